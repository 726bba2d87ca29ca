import type { ErasedAddition, Operation } from '#store/engine/operation.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import { toChange } from '#store/memory/record-states.ts';
import type { RecordSource } from '#store/memory/stored-records.ts';
import { startSlice } from '#runtime/slice.ts';
import type { Change } from '#store/port/store.ts';
import { expiryTime, type DayKeys } from './day-keys.ts';
import { decodeOperation } from './log/codec.ts';
import type { LogConsumer } from './log/log-state.ts';
import type { CountedLine } from './log/line.ts';
import type { Snapshot } from './log/snapshot.ts';
import { RecordRestorer } from './snapshot-records.ts';

export interface LogIndexOptions {
  readonly source: RecordSource;
  readonly keys: DayKeys;
  readonly clock: { now: () => number };
  /**
   * Is called once for each change of a record, when the index has it. Not before `startNotifying`.
   * @param toChange describes the change; undefined if readers cannot see it
   */
  readonly notify: (toChange: () => Change | undefined) => void;
}

/** The index that the lines of a log make. */
export class LogIndex implements LogConsumer {
  readonly #options: LogIndexOptions;
  #index: RecordIndex;
  /** Lines that are not part of the index yet: their keys may have to be loaded. */
  #waiting: CountedLine[] = [];
  #nextIndex: RecordIndex | undefined;
  #restorer: RecordRestorer | undefined;
  /** The number of the last line that is part of the index. */
  #appliedSeq = 0;
  /** Changes up to this line are known to the listeners. */
  #notifiedSeq = Infinity;
  #revision = 0;

  constructor(options: LogIndexOptions) {
    this.#options = options;
    this.#index = new RecordIndex(options.source);
  }

  get current(): RecordIndex {
    return this.#index;
  }

  /** Rises with every change of the index. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether lines wait for `applyWaiting`, or the log is read anew and some places are not known. */
  get isBehind(): boolean {
    return this.#nextIndex !== undefined || this.#waiting.length > 0;
  }

  line(line: CountedLine): void {
    if (this.#nextIndex === undefined) this.#waiting.push(line);
    else this.#applyLine(line);
  }

  restore(seq: number): boolean {
    if (this.#restorer?.restore(seq) !== true) return false;
    this.#appliedSeq = seq;
    return true;
  }

  replaced(seq: number): void {
    this.#notifiedSeq = Math.min(this.#notifiedSeq, seq - 1);
  }

  async reset(snapshot: Snapshot | undefined): Promise<void> {
    const { keys, clock, source } = this.#options;
    await keys.load();
    const index = new RecordIndex(source, snapshot?.head.idCount);
    this.#waiting = [];
    this.#nextIndex = index;
    this.#restorer = snapshot && new RecordRestorer(snapshot, index, clock.now());
    this.#appliedSeq = 0;
  }

  loaded(): void {
    this.#index = this.#nextIndex ?? this.#index;
    this.#nextIndex = this.#restorer = undefined;
    this.#revision += 1;
  }

  /** @throws Error if a key cannot be read; the lines are applied by the next call */
  async applyWaiting(): Promise<void> {
    const { keys } = this.#options;
    if (this.#waiting.some(({ do: stored }) => 'by' in stored && keys.lacks(stored.by ?? '')))
      await keys.load();
    const lines = this.#waiting.splice(0);
    if (lines.length > 0) this.#revision += 1;
    const isSliceOver = startSlice();
    for (const line of lines) this.#applyLine(line, !isSliceOver());
  }

  /** Applies operations that this process appended. @param first the number of the first line */
  applyOwn(operations: readonly Operation[], first: number): void {
    if (operations.length > 0) this.#revision += 1;
    const isSliceOver = startSlice();
    for (const [index, operation] of operations.entries())
      this.#apply(operation, first + index, !isSliceOver());
  }

  startNotifying(): void {
    this.#notifiedSeq = this.#appliedSeq;
  }

  #applyLine({ seq, do: stored }: CountedLine, addsWords = false): void {
    this.#apply(decodeOperation(stored, this.#options.keys), seq, addsWords);
  }

  /** @param addsWords as of `RecordIndex.apply` */
  #apply(operation: Operation | ErasedAddition, seq: number, addsWords: boolean): void {
    if (seq <= this.#appliedSeq) return;
    this.#appliedSeq = seq;
    const index = this.#nextIndex ?? this.#index;
    const isLoading = this.#nextIndex !== undefined;
    const wasThere = 'id' in operation && index.has(operation.id);
    // Only at its end it is known how far the log reaches, and what has expired.
    const now = isLoading ? 0 : expiryTime(this.#options.clock.now(), index.lastTimestamp);
    if (operation.action === 'erased-add') {
      index.applyErased(operation, now, seq);
      return;
    }
    index.apply(operation, now, seq, addsWords);
    if (seq <= this.#notifiedSeq) return;
    this.#notifiedSeq = seq;
    this.#options.notify(() => toChange(index, operation, wasThere));
  }
}
