import { WriteHistory } from './write-history.ts';
import { timestampOf, type Operation } from './operation.ts';
import { parentIdOf, type Kind, type Records, type Timestamp } from '#store/records.ts';
import { latest } from './timestamp.ts';

/** Changes that are not durable yet. Readers of an overlay fall back to the committed state. */
export class Overlay {
  readonly operations: Operation[] = [];
  readonly addedRecords = new Map<string, Records[Kind]>();
  /** By id, the last hide (true) or unhide (false). */
  readonly hidden = new Map<string, boolean>();
  readonly erasedIds = new Set<string>();
  /** By id of a parent, the difference in its visible children. */
  readonly childCountChanges = new Map<string, number>();
  /** Created with the first operation that has a write entry. */
  writeHistory: WriteHistory | undefined;
  lastTimestamp: Timestamp | null = null;
  /** Undefined if no operation freezes or thaws. */
  frozen: boolean | undefined;

  /** Child counts are not derived: the caller reports them with `countChild`. */
  add(operation: Operation): void {
    this.operations.push(operation);
    this.lastTimestamp = latest(this.lastTimestamp, timestampOf(operation));
    if (operation.action === 'add') {
      this.addedRecords.set(operation.record.id, operation.record);
      if (operation.visit !== undefined) (this.writeHistory ??= new WriteHistory()).add(operation.visit);
    } else if (operation.action === 'erase') {
      this.erasedIds.add(operation.id);
    } else if ('id' in operation) {
      this.hidden.set(operation.id, operation.action === 'hide');
    } else {
      this.frozen = operation.action === 'freeze';
    }
  }

  /** Counts a child that becomes visible (1) or ceases to be (-1) for its parent, if it has one. */
  countChild(child: Records[Kind], sign: 1 | -1): void {
    const parent = parentIdOf(child);
    if (parent !== null) this.#changeChildCount(parent, sign);
  }

  /** Appends the changes of another overlay, which was made on top of this one. */
  merge(other: Overlay): void {
    for (const operation of other.operations) this.add(operation);
    for (const [parent, change] of other.childCountChanges) this.#changeChildCount(parent, change);
  }

  #changeChildCount(parent: string, change: number): void {
    this.childCountChanges.set(parent, (this.childCountChanges.get(parent) ?? 0) + change);
  }
}
