import type { Moderation } from '#store/engine/operation.ts';
import { SortedList } from '#store/engine/sorted-list.ts';
import type { Timestamp } from '#store/port/records.ts';

/** All moderations in the order of time, without the clients that made them. */
export class ModerationList {
  readonly #moderations = new SortedList<Moderation, Timestamp>(({ at }) => at);

  add({ action, id, at, reason }: Moderation): void {
    this.#moderations.add({ action, id, at, reason });
  }

  has({ at, id, action }: Pick<Moderation, 'at' | 'id' | 'action'>): boolean {
    return this.#moderations.at(at).some((other) => other.id === id && other.action === action);
  }

  newest(limit: number): Moderation[] {
    return this.#moderations.newest(limit);
  }

  /** Oldest first. */
  all(): Moderation[] {
    return this.#moderations.oldest(this.#moderations.size);
  }
}
