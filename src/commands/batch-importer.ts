import type { Entry, ModerationEntry, Store } from '#store/store.ts';
import { Refusal } from './command.ts';

export type Archived = Entry | ModerationEntry;

/** As many entries are decided in one act as a write of the log comfortably takes. */
const AT_ONCE = 500;

/** Brings the entries of another store into one, as they are; what is known already is passed over. */
export class Intake {
  readonly counts = { kept: 0, known: 0 };
  readonly #store: Store;
  readonly #advance: (by: number) => void;
  #waiting: Archived[] = [];

  /** @param advance told how many more are done */
  constructor(store: Store, advance: (by: number) => void) {
    this.#store = store;
    this.#advance = advance;
  }

  /** @throws Refusal where the entry has the time of another record */
  async take(entry: Archived): Promise<void> {
    this.#waiting.push(entry);
    if (this.#waiting.length === AT_ONCE) await this.finish();
  }

  /** Keeps what still waits. @throws Refusal */
  async finish(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    const outcomes = await this.#store.write(async (writer) => {
      const restored = await writer.restore(entries);
      if (restored.includes('taken'))
        throw new Refusal('A record came to have the time of another while this ran; run it again.');
      return restored;
    });
    const kept = outcomes.filter((outcome) => outcome === 'kept').length;
    this.counts.kept += kept;
    this.counts.known += outcomes.length - kept;
    this.#advance(entries.length);
  }
}
