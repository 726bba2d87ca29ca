import type { Command } from './command.ts';

/** For a store that no server has open: running servers destroy expired client keys themselves. */
export const forget: Command = {
  summary: 'destroy the expired client keys of a stopped store',
  run: async (store, _, { logStatus }) => {
    const { destroyed, unit } = await store.forgetClients();
    const noun = destroyed === 1 ? unit.slice(0, -1) : unit;
    logStatus(destroyed === 0 ? 'Nothing had expired.' : `Destroyed ${destroyed} expired ${noun}.`);
  },
};
