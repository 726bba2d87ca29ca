import { MAX_CLOCK_SKEW_MS, RETENTION_MS } from '#store/engine/write-history.ts';
import { expiryTime } from '#store/jsonl/expiry-time.ts';
import { BEFORE_ALL, timeKeyAt, toTimestamp, type TimeKey } from '#store/memory/columns/time-key.ts';
import type { Log } from '#store/jsonl/log/log.ts';
import type { RowsFolder } from './rows-folder.ts';

/** Keeps the folder `rows` up with the log, and never ahead of its erases. */
export class RowsUpkeep {
  readonly folder: RowsFolder;
  readonly #clock: { now: () => number };
  /** Older lines hold no write entry that counts. */
  #recentFrom: TimeKey = BEFORE_ALL;
  /** Lines of erased records that a file may describe. */
  #stale: number[] = [];

  constructor(folder: RowsFolder, clock: { now: () => number }) {
    this.folder = folder;
    this.#clock = clock;
  }

  /** The log is read from its beginning. @returns about how many lines it has */
  async begin(): Promise<number> {
    this.folder.begin();
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

  /** @param row of a record that is erased, and that a file may describe */
  noteStale(row: number): void {
    this.#stale.push(row);
  }

  /**
   * Removes what a process that died, or knew nothing of the folder, may have left of erased records, and files that no start
   * can use.
   * @param isErased as of `findStaleRows`
   */
  async removeStale(log: Log, isErased: (line: number) => boolean): Promise<void> {
    if (!this.folder.isRead) return;
    await this.folder.removeCovering(this.#stale.splice(0));
    await this.folder.removeFiles(await log.findStaleRows(isErased));
  }
}
