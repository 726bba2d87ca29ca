import type { ExportedRecord, ModerationEntry, Store } from '#store/store.ts';
import { CommandError } from './command.ts';

export type ExportEntry = ExportedRecord | ModerationEntry;

/** Entries per write: each batch is one append to the log. */
const BATCH_SIZE = 500;

/** Imports entries of another store unchanged, in batches; skips entries that the store already has. */
export class BatchImporter {
  readonly counts = { imported: 0, skipped: 0 };
  readonly #store: Store;
  readonly #advance: (by: number) => void;
  #batch: ExportEntry[] = [];

  /** @param advance receives the size of each stored batch */
  constructor(store: Store, advance: (by: number) => void) {
    this.#store = store;
    this.#advance = advance;
  }

  /** @throws CommandError if a record has the createdAt of another record */
  async add(entry: ExportEntry): Promise<void> {
    this.#batch.push(entry);
    if (this.#batch.length === BATCH_SIZE) await this.finish();
  }

  /** Stores the last, incomplete batch. @throws CommandError as `add` does */
  async finish(): Promise<void> {
    const entries = this.#batch;
    this.#batch = [];
    const outcomes = await this.#store.write(async (writer) => {
      const restored = await writer.restore(entries);
      if (restored.includes('taken'))
        throw new CommandError(
          'A record with the createdAt of an imported one was added meanwhile. Run the command again.',
        );
      return restored;
    });
    const imported = outcomes.filter((outcome) => outcome === 'stored').length;
    this.counts.imported += imported;
    this.counts.skipped += outcomes.length - imported;
    this.#advance(entries.length);
  }
}
