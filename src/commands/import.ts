import type { Store } from '#store/port/store.ts';
import type { Service } from '#workspace/service/service.ts';
import { textRefusal } from '#workspace/log/import-rules.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { ForeignRecords } from './foreign-records.ts';
import { importEntries, type ExportEntry } from './import-entries.ts';
import { clampTimes, openImportFile, readChunks, readEntries } from './import-file.ts';

/**
 * The first pass over the file validates every line, the second stores each entry by a write. If that fails,
 * the same command imports the rest, since it skips entries that the store has.
 */
export const importAll: Command = {
  summary: 'import an export; skips entries that the store has',
  positionals: ['FILE|-'],
  optionalFlags: ['strict', 'clamp'],
  createsStore: true,
  openInput: ([name = ''], folders, now) => openImportFile(name, folders, now),
  run: async (store, { input, now, service, strict = false, clamp = false }, { logStatus, progress }) => {
    if (input === undefined) throw new CommandError('Name the file to import.');
    const startedAt = now();
    const read = (outcome?: string): ReturnType<typeof readEntries> =>
      clamp
        ? clampTimes(readEntries(readChunks(input), Infinity, outcome), startedAt)
        : readEntries(readChunks(input), startedAt, outcome);
    const { total, refused, firstRefusal } = await verify(store, read(), service, progress);
    const refusals =
      `${refused} entries have a text, name or id that new entries may not have. The first is in line ` +
      `${firstRefusal}.`;
    if (strict && refused > 0) throw new CommandError(`${refusals} Nothing was imported.`);
    const interrupted = (done: number): string =>
      `${done} of ${total} lines are imported. To import the rest, run the same command again.`;
    const { imported, skipped } = await progress({ unit: 'lines', total, interrupted }, (advance) =>
      importEntries(store, entriesOf(read('Lines before it may be imported.')), advance),
    );
    logStatus(`Imported ${imported}, skipped ${skipped} existing.`);
    if (refused > 0) logStatus(refusals);
  },
};

/**
 * @returns the number of entries, the number of those that the rules for new texts reject, and the line of
 *   the first of these, with the reason
 * @throws CommandError with the number of the first invalid line
 */
async function verify(
  { read }: Store,
  lines: ReturnType<typeof readEntries>,
  service: Pick<Service, 'name'>,
  progress: CommandOutput['progress'],
): Promise<{ total: number; refused: number; firstRefusal: string }> {
  const interrupted = (): string => 'Interrupted. Nothing was imported.';
  const records = new ForeignRecords();
  return progress({ unit: 'lines verified', interrupted }, async (advance) => {
    const found = { total: 0, refused: 0, firstRefusal: '' };
    for await (const entry of read.history()) records.add(entry);
    for await (const { entry, number } of lines) {
      records.add(entry, number);
      const refusal = textRefusal(entry, service);
      if (refusal !== null) {
        found.refused += 1;
        found.firstRefusal ||= `${number}: ${refusal}`;
      }
      found.total += 1;
      advance(1);
    }
    const wrong = records.firstFault();
    if (wrong !== undefined)
      throw new CommandError(`Line ${wrong.line} ${wrong.fault}. Nothing was imported.`);
    return found;
  });
}

async function* entriesOf(lines: ReturnType<typeof readEntries>): AsyncIterable<ExportEntry> {
  for await (const { entry } of lines) yield entry;
}
