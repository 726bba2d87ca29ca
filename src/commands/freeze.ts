import { CommandError, type Command } from './command.ts';

export const freeze: Command = {
  summary: 'stop all writing; reading goes on',
  run: async (store, _, { logStatus }) => {
    if (!(await store.write((writer) => writer.setFrozen('freeze'))))
      throw new CommandError('Writing is frozen already.');
    logStatus('Frozen: every server on this store refuses writes until you thaw it.');
  },
};

export const thaw: Command = {
  summary: 'let writing go on',
  run: async (store, _, { logStatus }) => {
    if (!(await store.write((writer) => writer.setFrozen('thaw'))))
      throw new CommandError('Writing is not frozen.');
    logStatus('Thawed.');
  },
};
