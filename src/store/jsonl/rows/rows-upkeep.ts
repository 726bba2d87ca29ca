import { MAX_CLOCK_SKEW_MS, RETENTION_MS } from '#store/engine/write-history.ts';
import { expiryTime } from '#store/jsonl/expiry-time.ts';
import { BEFORE_ALL, timeKeyAt, toTimestamp, type TimeKey } from '#store/memory/columns/time-key.ts';
import type { RecordRows } from '#store/memory/rows/record-rows.ts';
import type { Log } from '#store/jsonl/log/log.ts';
import type { RowsFolder } from './rows-folder.ts';

/** Keeps the folder `rows` up with the log, and never ahead of its erases. */
export class RowsUpkeep {
  readonly folder: RowsFolder;
  readonly #clock: { now: () => number };
  /** Older lines hold no write entry that counts. */
  #recentFrom: TimeKey = BEFORE_ALL;
  /** Rises with every erase, and when the log is read anew. */
  #eraseCount = 0;
  /** Lines of erased records that a file may describe. */
  #stale: number[] = [];

  constructor(folder: RowsFolder, clock: { now: () => number }) {
    this.folder = folder;
    this.#clock = clock;
  }

  /** The log is read from its beginning. @returns about how many lines it has */
  async begin(): Promise<number> {
    this.#eraseCount += 1;
    const last = this.folder.isRead ? await this.folder.readLast() : undefined;
    // At most the newest time of the log: an earlier one only makes more lines recent.
    const newest = last?.rows.times.reduce((latest, time) => Math.max(latest, time), BEFORE_ALL);
    const isKnown = newest !== undefined && newest !== BEFORE_ALL;
    const now = isKnown ? expiryTime(this.#clock.now(), toTimestamp(newest)) : 0;
    this.#recentFrom = timeKeyAt(now - RETENTION_MS - MAX_CLOCK_SKEW_MS);
    return last === undefined ? 0 : last.from + last.count;
  }

  /** Whether the write entry of a line of this time may count. */
  isRecent(time: TimeKey): boolean {
    return time > this.#recentFrom;
  }

  /** @param row of a record that the index had until now */
  noteErase(row: number | undefined): void {
    this.#eraseCount += 1;
    if (row !== undefined) this.#stale.push(row);
  }

  /** A process that died, or knew nothing of the folder, may have left what a file says of an erased record. */
  async removeStale(): Promise<void> {
    await this.folder.removeCovering(this.#stale.splice(0));
  }

  /**
   * Writes a file that is missing.
   * @param exportRows as of `writeMissingRows`
   * @param catchUp resolves to whether the index holds every change that was durable at the time of the call
   * @returns false if none is missing, or it cannot be written now
   */
  async writeMissing(
    log: Log,
    exportRows: (first: number, count: number) => RecordRows | undefined,
    catchUp: () => Promise<boolean>,
  ): Promise<boolean> {
    let eraseCount = NaN;
    const written = await log.writeMissingRows((first, count) => {
      eraseCount = this.#eraseCount;
      return exportRows(first, count);
    });
    if (written === undefined) return false;
    // A process that erased one of the records meanwhile has not seen the file.
    const isComplete = await catchUp();
    if (!isComplete || eraseCount !== this.#eraseCount) await this.folder.removeCovering([written.from]);
    return true;
  }
}
