import { reports } from '#commands/reports.ts';
import { commandArgs, SILENT } from './commands.ts';
import type { TestWorkspace } from './context.ts';

/** @returns what `porchlight reports` prints */
export async function runReports(
  { store, privateStore, clock }: TestWorkspace,
  json = false,
): Promise<string> {
  const lines: string[] = [];
  const args = commandArgs({ privateStore, now: clock.now, json });
  await reports.run(store, args, { ...SILENT, printResult: (line) => lines.push(line) });
  return lines.join('\n');
}
