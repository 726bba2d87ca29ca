import type { ExportedRecord, ModerationEntry, Store } from '#store/store.ts';
import { CommandError } from './command.ts';

export type ExportEntry = ExportedRecord | ModerationEntry;

/** As many entries are decided in one act as a write of the log comfortably takes. */
const BATCH_SIZE = 500;

/** Brings the entries of another store into one, as they are; what is known already is passed over. */
export class BatchImporter {
  readonly counts = { kept: 0, known: 0 };
  readonly #store: Store;
  readonly #advance: (by: number) => void;
  #waiting: ExportEntry[] = [];

  /** @param advance told how many more are done */
  constructor(store: Store, advance: (by: number) => void) {
    this.#store = store;
    this.#advance = advance;
  }

  /** @throws Refusal where the entry has the time of another record */
  async add(entry: ExportEntry): Promise<void> {
    this.#waiting.push(entry);
    if (this.#waiting.length === BATCH_SIZE) await this.finish();
  }

  /** Keeps what still waits. @throws Refusal */
  async finish(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    const outcomes = await this.#store.write(async (writer) => {
      const restored = await writer.restore(entries);
      if (restored.includes('taken'))
        throw new CommandError('A record came to have the time of another while this ran; run it again.');
      return restored;
    });
    const kept = outcomes.filter((outcome) => outcome === 'stored').length;
    this.counts.kept += kept;
    this.counts.known += outcomes.length - kept;
    this.#advance(entries.length);
  }
}
