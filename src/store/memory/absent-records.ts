import type { Visibility } from './visibility.ts';

/** Ids that no record has: erased ones, and those of which an import brought moderations first. */
export class AbsentRecords {
  /** The number of the line that added the record; undefined if none did. */
  readonly #erased = new Map<string, number | undefined>();
  /** Invariant: no id of it is in `#erased`. */
  readonly #awaited = new Map<string, Visibility>();

  /** @param row the number of the line that added the record; undefined if none did */
  erase(id: string, row: number | undefined): void {
    this.#awaited.delete(id);
    this.#erased.set(id, row);
  }

  isErased(id: string): boolean {
    return this.#erased.has(id);
  }

  /** @returns the number of the line that added an erased record; undefined if none did */
  rowOf(id: string): number | undefined {
    return this.#erased.get(id);
  }

  awaited(id: string): Visibility | undefined {
    return this.#awaited.get(id);
  }

  /** @param id of a record that is neither there nor erased */
  await(id: string): Visibility {
    let awaited = this.#awaited.get(id);
    if (awaited === undefined) {
      awaited = { hidden: false, moderatedAt: null };
      this.#awaited.set(id, awaited);
    }
    return awaited;
  }

  /** The record is added. */
  arrive(id: string): void {
    this.#awaited.delete(id);
  }
}
