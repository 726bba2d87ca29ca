import type { Command } from './command.ts';

/** Running servers do the same by themselves, so the command is for a store that no server has open. */
export const forget: Command = {
  summary: 'destroy the expired client keys of a stopped store',
  run: async (store, _, { logStatus }) => {
    const { destroyed, unit } = await store.forgetClients();
    const noun = destroyed === 1 ? unit.slice(0, -1) : unit;
    logStatus(destroyed === 0 ? 'Nothing had expired.' : `Destroyed ${destroyed} expired ${noun}.`);
  },
};
