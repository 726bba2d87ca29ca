import { nodeDisk } from '#store/folder/fs/disk.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import type { CommandArgs, CommandOutput } from '#commands/command.ts';

export const SILENT: CommandOutput = {
  printResult: () => undefined,
  logStatus: () => undefined,
  progress: (_, work) => work(() => undefined),
  ask: async () => undefined,
};

/** A private store that no command of the test uses. */
const UNUSED = new FolderPrivateStore({ disk: nodeDisk, folder: '/nowhere', clock: { now: () => 0 } });

/** The parsed command line of a command without flags. */
export function commandArgs(given: Partial<CommandArgs>): CommandArgs {
  return {
    positionals: [],
    input: undefined,
    now: () => 0,
    privateStore: UNUSED,
    service: { name: 'porchlight' },
    readInput: async () => '',
    ...given,
  };
}
