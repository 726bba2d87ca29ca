import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { importEntry, type ImportOutcome } from '#workspace/log/import-entry.ts';
import { CommandError } from './command.ts';

export type ExportEntry = ExportedRecord | ModerationEntry;

/** Entries submitted at once, which share a few transactions of the store. */
const BATCH_SIZE = 500;

/** Imports entries of another store unchanged; skips entries that the store already has. */
export class BatchImporter {
  readonly counts = { imported: 0, skipped: 0 };
  readonly #store: Store;
  readonly #advance: (by: number) => void;
  readonly #batchSize: number;
  #batch: ExportEntry[] = [];

  /** @param advance receives the size of each stored batch */
  constructor(store: Store, advance: (by: number) => void, batchSize = BATCH_SIZE) {
    this.#store = store;
    this.#advance = advance;
    this.#batchSize = batchSize;
  }

  /** @throws CommandError if a record has the createdAt of another record */
  async add(entry: ExportEntry): Promise<void> {
    this.#batch.push(entry);
    if (this.#batch.length === this.#batchSize) await this.finish();
  }

  /** Stores the last, incomplete batch. @throws CommandError as `add` does */
  async finish(): Promise<void> {
    const entries = this.#batch;
    this.#batch = [];
    // A reply must not be stored if its parent failed, so the first failure stops the entries after it.
    const failure = new AbortController();
    const importOne = async (entry: ExportEntry): Promise<void> => {
      try {
        this.#count(await importEntry(this.#store, entry, failure.signal));
      } catch (error) {
        failure.abort(error);
      }
    };
    await Promise.all(entries.map(importOne));
    failure.signal.throwIfAborted();
    this.#advance(entries.length);
  }

  #count(outcome: ImportOutcome): void {
    if (outcome === 'taken')
      throw new CommandError(
        'Another record with the createdAt of an entry was added during the import, so that entry was not ' +
          'imported; others were. Run the command again.',
      );
    if (outcome === 'stored') this.counts.imported += 1;
    else this.counts.skipped += 1;
  }
}
