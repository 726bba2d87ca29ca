import { Refusal, type Command } from './command.ts';

export const freeze: Command = {
  summary: 'stop all writing; reading goes on',
  run: async (store, _, { tell }) => {
    if (!(await store.write((writer) => writer.turn('freeze'))))
      throw new Refusal('Writing is frozen already.');
    tell('Frozen: every server on this store refuses writes until you thaw it.');
  },
};

export const thaw: Command = {
  summary: 'let writing go on',
  run: async (store, _, { tell }) => {
    if (!(await store.write((writer) => writer.turn('thaw')))) throw new Refusal('Writing is not frozen.');
    tell('Thawed.');
  },
};
