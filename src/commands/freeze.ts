import { setFrozen } from '#workspace/operator-writes.ts';
import { CommandError, type Command } from './command.ts';

export const freeze: Command = {
  summary: 'reject all writes; reads go on',
  run: async (store, _, { logStatus }) => {
    if (!(await setFrozen(store, 'freeze'))) throw new CommandError('Writing is frozen already.');
    logStatus('Frozen: every server on this store refuses writes until you thaw it.');
  },
};

export const thaw: Command = {
  summary: 'accept writes again',
  run: async (store, _, { logStatus }) => {
    if (!(await setFrozen(store, 'thaw'))) throw new CommandError('Writing is not frozen.');
    logStatus('Thawed.');
  },
};
