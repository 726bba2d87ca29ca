import { nodeDisk } from '#store/folder/fs/disk.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import type { Command, CommandArgs, CommandOutput } from '#commands/command.ts';
import type { Store } from '#store/port/store.ts';

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

/** @param answer to its question @returns what a command prints, on both outputs, and its question */
export async function runCommand(
  command: Command,
  store: Store,
  given: Partial<CommandArgs>,
  answer?: string,
): Promise<string[]> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const ask = async (question: string): Promise<string | undefined> => {
    print(question);
    return answer;
  };
  await command.run(store, commandArgs(given), { ...SILENT, printResult: print, logStatus: print, ask });
  return lines;
}
