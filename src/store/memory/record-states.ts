import { ancestorsOf, ERASED, type AwaitedRecord } from '#store/engine/record-state.ts';
import type { ErasedRecord, RecordState } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import type { GroupedRecords } from './grouped-records.ts';
import type { PostLinks } from './post-links.ts';
import type { RecordTable } from './record-table.ts';

/** The states of records that writes are decided on. None of them needs a text. */
export class RecordStates {
  readonly #table: RecordTable;
  readonly #links: PostLinks;
  readonly #children: GroupedRecords;

  /** @param children replies by the number of their parent, and notes by that of their project */
  constructor(table: RecordTable, links: PostLinks, children: GroupedRecords) {
    this.#table = table;
    this.#links = links;
    this.#children = children;
  }

  /** @returns undefined if there never was such a record */
  state(id: string): RecordState | ErasedRecord | undefined {
    const number = this.#table.ids.find(id);
    if (!this.#table.isThere(number)) return this.#table.isErased(number) ? ERASED : undefined;
    return {
      ...this.#known(number),
      kind: this.#table.kindOf(number),
      parentId: this.#idOf(this.#table.parentOf(number)),
      rootId: this.#idOf(this.#table.rootOf(number)),
      prefix: this.#table.prefixOf(number),
      ancestors: this.ancestorsOf(number),
    };
  }

  /** @returns what is known of a record that has not arrived; undefined if nothing is */
  awaited(id: string): AwaitedRecord | undefined {
    const number = this.#table.ids.find(id);
    return number === NONE ? undefined : this.#known(number);
  }

  /** @returns as `Change.ancestors`, of an erased record too */
  ancestorsOf(record: number): readonly string[] {
    const parent = this.#table.parentOf(record);
    const grandparent = this.#table.isThere(parent) ? this.#table.parentOf(parent) : NONE;
    const named: string[] = [];
    this.#links.takers.forEachReference(record, (_, target) => named.push(this.#table.ids.idOf(target)));
    const root = this.#idOf(this.#table.rootOf(record));
    return ancestorsOf(this.#idOf(parent), this.#idOf(grandparent), root, named);
  }

  #idOf(record: number): string | null {
    return record === NONE ? null : this.#table.ids.idOf(record);
  }

  #known(number: number): AwaitedRecord {
    return {
      status: this.#table.isHidden(number) ? 'hidden' : 'visible',
      moderatedAt: this.#table.moderatedAt(number),
      children: this.#children.size(number),
    };
  }
}
