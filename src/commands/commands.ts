import { check } from './check.ts';
import { setFrozen } from '#workspace/moderation/operator-writes.ts';
import { CommandError, type Command } from './command.ts';
import { allow, deny } from './deny.ts';
import { exportAll } from './export.ts';
import { importAll } from './import.ts';
import { erase, hide, moderation, unhide } from './moderate.ts';
import { keep, reports } from './reports.ts';

const freeze: Command = {
  summary: 'refuse all writes; reads still work',
  run: async (store, _, { logStatus }) => {
    if (!(await setFrozen(store, 'freeze'))) throw new CommandError('The store is frozen already.');
    logStatus('Frozen: every server on this store refuses writes until you thaw it.');
  },
};

const thaw: Command = {
  summary: 'accept writes again',
  run: async (store, _, { logStatus }) => {
    if (!(await setFrozen(store, 'thaw'))) throw new CommandError('The store is not frozen.');
    logStatus('Thawed: servers accept writes again.');
  },
};

/** For a store that no server has open. Running servers destroy expired client keys themselves. */
const forget: Command = {
  summary: 'destroy the expired client keys of a stopped store',
  run: async (store, _, { logStatus }) => {
    const { destroyed, unit } = await store.forgetClients();
    const noun = destroyed === 1 ? unit.slice(0, -1) : unit;
    logStatus(destroyed === 0 ? 'Nothing had expired.' : `Destroyed ${destroyed} expired ${noun}.`);
  },
};

export const COMMANDS: Readonly<Record<string, Command>> = {
  reports,
  keep,
  deny,
  allow,
  hide,
  unhide,
  erase,
  moderation,
  freeze,
  thaw,
  forget,
  export: exportAll,
  import: importAll,
  check,
};
