import { WriteHistory } from './write-history.ts';
import { timestampOf, type Operation } from './operation.ts';
import { parentOf, type Kind, type Records, type Stamp } from '#store/records.ts';
import { latest } from './timestamp.ts';

/** What works decided that is not durable yet, over the state that is. */
export class Overlay {
  readonly operations: Operation[] = [];
  readonly added = new Map<string, Records[Kind]>();
  readonly hidden = new Map<string, boolean>();
  readonly erased = new Set<string>();
  /** How many visible children were won or lost, by their parent's id. */
  readonly children = new Map<string, number>();
  /** Made with the first visit. */
  history: WriteHistory | undefined;
  lastTimestamp: Stamp | null = null;
  frozen: boolean | undefined;

  add(operation: Operation): void {
    this.operations.push(operation);
    this.lastTimestamp = latest(this.lastTimestamp, timestampOf(operation));
    if (operation.action === 'add') {
      this.added.set(operation.record.id, operation.record);
      if (operation.visit !== undefined) (this.history ??= new WriteHistory()).add(operation.visit);
    } else if (operation.action === 'erase') {
      this.erased.add(operation.id);
    } else if ('id' in operation) {
      this.hidden.set(operation.id, operation.action === 'hide');
    } else {
      this.frozen = operation.action === 'freeze';
    }
  }

  count(child: Records[Kind], sign: 1 | -1): void {
    const parent = parentOf(child);
    if (parent !== null) this.#count(parent, sign);
  }

  merge(other: Overlay): void {
    for (const operation of other.operations) this.add(operation);
    for (const [parent, change] of other.children) this.#count(parent, change);
  }

  #count(parent: string, change: number): void {
    this.children.set(parent, (this.children.get(parent) ?? 0) + change);
  }
}
