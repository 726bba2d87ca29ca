import { reports } from '#commands/reports.ts';
import { runCommand } from './commands.ts';
import type { TestWorkspace } from './context.ts';

/** @returns what `porchlight reports` prints */
export async function runReports({ store, privateStore, clock }: TestWorkspace): Promise<string> {
  return (await runCommand(reports, store, { privateStore, now: clock.now })).join('\n');
}
