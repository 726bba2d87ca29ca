import type { Command } from './command.ts';

/** The public log, of which /api/moderation shows the latest. */
export const moderation: Command = {
  summary: 'print what was hidden, brought back or erased, and why',
  optionalFlags: ['json'],
  run: async ({ read }, { json }, { printResult, logStatus }) => {
    const entries = await read.moderations(Number.MAX_SAFE_INTEGER);
    if (json) {
      printResult(
        JSON.stringify({
          entries: entries.map(({ id, action, at, reason }) => ({ id, action, at, reason })),
        }),
      );
      return;
    }
    for (const { at, action, id, reason } of entries)
      printResult(`${at}  ${action.padEnd(6)}  ${id}  ${reason}`);
    if (entries.length === 0) logStatus('Nothing was moderated.');
  },
};
