import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { CommandError } from './command.ts';

export type ExportEntry = ExportedRecord | ModerationEntry;

const BATCH_SIZE = 500;

/** @param advance gets the size of each stored batch @throws CommandError if two records have one createdAt */
export async function importEntries(
  store: Store,
  entries: AsyncIterable<ExportEntry> | Iterable<ExportEntry>,
  advance: (by: number) => void = () => undefined,
  batchSize = BATCH_SIZE,
): Promise<{ readonly imported: number; readonly skipped: number }> {
  const counts = { stored: 0, known: 0 };
  const importBatch = async (batch: readonly ExportEntry[]): Promise<void> => {
    // A reply must not be stored without its parent, so the first failure cancels the entries after it.
    const failure = new AbortController();
    const importOne = async (entry: ExportEntry): Promise<void> => {
      const outcome = await importEntry(store, entry, failure.signal);
      if (outcome === 'taken')
        throw new CommandError(
          'Another record with the createdAt of an entry was added during the import, so that entry was ' +
            'not imported; others were. Run the command again.',
        );
      counts[outcome] += 1;
    };
    await Promise.all(
      batch.map((entry) =>
        importOne(entry).catch((error: unknown) => {
          failure.abort(error);
        }),
      ),
    );
    failure.signal.throwIfAborted();
    advance(batch.length);
  };
  let batch: ExportEntry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < batchSize) continue;
    await importBatch(batch);
    batch = [];
  }
  await importBatch(batch);
  return { imported: counts.stored, skipped: counts.known };
}
