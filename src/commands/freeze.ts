import { setFrozen } from '#workspace/publishing/operator-writes.ts';
import { CommandError, type Command } from './command.ts';

export const freeze: Command = {
  summary: 'refuse all writes; reads still work',
  run: async (store, _, { logStatus }) => {
    if (!(await setFrozen(store, 'freeze'))) throw new CommandError('The store is frozen already.');
    logStatus('Frozen: every server on this store refuses writes until you thaw it.');
  },
};

export const thaw: Command = {
  summary: 'accept writes again',
  run: async (store, _, { logStatus }) => {
    if (!(await setFrozen(store, 'thaw'))) throw new CommandError('The store is not frozen.');
    logStatus('Thawed: servers accept writes again.');
  },
};
