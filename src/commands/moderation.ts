import type { Command } from './command.ts';
import { printable } from './printable.ts';

/** Prints the whole public moderation log; /api/moderation serves its latest entries. */
export const moderation: Command = {
  summary: 'print the moderation log',
  optionalFlags: ['json'],
  run: async ({ read }, { json }, { printResult, logStatus }) => {
    const entries = await read.moderations(Number.MAX_SAFE_INTEGER);
    if (json === true) {
      printResult(
        printable(
          JSON.stringify({
            entries: entries.map(({ id, action, at, reason }) => ({ id, action, at, reason })),
          }),
        ),
      );
      return;
    }
    for (const { at, action, id, reason } of entries)
      printResult(printable(`${at}  ${action.padEnd(6)}  ${id}  ${reason}`));
    if (entries.length === 0) logStatus('Nothing was moderated.');
  },
};
