import type { Revision } from '#store/store.ts';
import { atOnce } from '#store/postgres/connection/with-timeout.ts';
import { SharedQuestion } from './coalesced-query.ts';
import type { Ask } from './reader.ts';

const REVISION = "select concat_ws(' ', revision, last) as told from clock";

/** After a database did not tell at once. */
const SILENT_MS = 1000;

/** Tells whether anything has changed, by a number of its own: a server that takes over and lags behind would repeat its numbers. */
export class RevisionTeller {
  readonly #question: SharedQuestion<Revision>;
  #told: { clock: string | undefined; revision: number } = { clock: undefined, revision: 0 };
  /** Until then nobody asks again. */
  #silentUntil = 0;

  constructor(ask: Ask) {
    this.#question = new SharedQuestion(() => this.#look(ask));
  }

  /** @returns undefined where the database does not tell, which whoever reads next is then told */
  ask(): Promise<Revision> {
    return this.#question.ask();
  }

  async #look(ask: Ask): Promise<Revision> {
    if (performance.now() < this.#silentUntil) return undefined;
    try {
      const [clock] = await atOnce(ask<{ told: string }>('revision', REVISION));
      if (clock?.told !== this.#told.clock)
        this.#told = { clock: clock?.told, revision: this.#told.revision + 1 };
      return this.#told.revision;
    } catch {
      this.#silentUntil = performance.now() + SILENT_MS;
      return undefined;
    }
  }
}
