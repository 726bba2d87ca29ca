import type { Moderation } from '#store/engine/operation.ts';
import { SortedList } from '#store/engine/sorted-list.ts';
import type { Timestamp } from '#store/port/records.ts';

/** All moderations in the order of time and by line, without the clients that made them. */
export class ModerationList {
  readonly #moderations = new SortedList<Moderation, Timestamp>(({ at }) => at);
  readonly #byLine = new Map<number, Moderation>();

  add({ action, id, at, reason }: Moderation, line: number): void {
    const moderation = { action, id, at, reason };
    this.#moderations.add(moderation);
    this.#byLine.set(line, moderation);
  }

  /** @returns undefined if the line is no moderation */
  atLine(line: number): Moderation | undefined {
    return this.#byLine.get(line);
  }

  has({ at, id, action }: Pick<Moderation, 'at' | 'id' | 'action'>): boolean {
    return this.#moderations.at(at).some((other) => other.id === id && other.action === action);
  }

  newest(limit: number, before?: Timestamp): Moderation[] {
    return this.#moderations.newest(limit, before);
  }

  /** Oldest first. */
  all(): Moderation[] {
    return this.#moderations.oldest(this.#moderations.size);
  }
}
