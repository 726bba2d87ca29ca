import type { Command } from './command.ts';

/** The public log, of which /api/moderation shows the latest. */
export const moderation: Command = {
  summary: 'print what was hidden, brought back or erased, and why',
  usage: '',
  words: 0,
  run: async ({ read }, _, { print, tell }) => {
    const entries = await read.moderations(Number.MAX_SAFE_INTEGER);
    for (const { at, action, id, reason } of entries) print(`${at}  ${action.padEnd(6)}  ${id}  ${reason}`);
    if (entries.length === 0) tell('Nothing was moderated.');
  },
};
