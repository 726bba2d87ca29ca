import { appendLines, type NewLine } from './append.ts';
import { catchUp } from './catch-up.ts';
import { finishErasures } from './erase.ts';
import { loadLog } from './load.ts';
import { LogState, type LogContext } from './log-state.ts';
import { appendProof } from './marks.ts';
import { followSeal } from './next-segment.ts';
import type { StoredOperation } from './line.ts';
import { prepareToAppend } from './prepare-to-append.ts';
import { readLines } from './read-lines.ts';
import { SegmentFile } from './segment-file.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The log of a store: segments to which several processes append without a lock. A line counts only where
 * its writer expected it; of two writers that read the same end, the second finds its lines displaced. Its
 * caller runs one method at a time.
 */
export class Log {
  readonly #state: LogState;

  private constructor(state: LogState) {
    this.#state = state;
  }

  /**
   * Reads the log, and removes what an interrupted erase left.
   * @param first name of the first segment
   * @param snapshot as of `loadLog`
   * @throws CorruptionError
   */
  static async open(context: LogContext, first: string, snapshot: Snapshot | undefined): Promise<Log> {
    const { disk, folder, report } = context;
    const state = new LogState(context, await SegmentFile.open(disk, folder, first), first);
    try {
      const seal = await loadLog(state, snapshot);
      if (seal !== undefined) await followSeal(state, seal);
    } catch (error) {
      await state.close();
      throw error;
    }
    if (state.unfinished.size > 0) {
      await finishErasures(state).catch((error: unknown) => {
        report(`an interrupted erase cannot be finished, run it again: ${String(error)}`);
      });
    }
    return new Log(state);
  }

  get state(): LogState {
    return this.#state;
  }

  /** The number of the last line that counts. */
  get seq(): number {
    return this.#state.seq;
  }

  /** The length of all segments in bytes when they were last read or written. */
  get size(): number {
    return this.#state.size + this.#state.olderBytes;
  }

  /** Resolves when the lines of the append that is under way are in the file, synced or not; undefined if there is none. */
  get appending(): Promise<void> | undefined {
    return this.#state.appending;
  }

  /** One system call: whether there may be lines that were not read. */
  hasMoved(): boolean {
    return this.#state.hasMoved();
  }

  /**
   * Hands what was appended to the visitor.
   * @throws CorruptionError
   */
  catchUp(): Promise<void> {
    return catchUp(this.#state);
  }

  /**
   * Has to come before the decision on what is appended.
   * @throws Error if nothing can be appended
   */
  prepareToAppend(): Promise<void> {
    return prepareToAppend(this.#state);
  }

  /**
   * Appends lines in a single write and syncs them. The visitor does not receive them, unless a new segment
   * was begun: then those that count were among what it received.
   * @returns how many of the lines count and are synced: the first so many. The others are not in the log.
   * @throws StoreFailure
   */
  append(lines: readonly NewLine[]): Promise<number> {
    return appendLines(this.#state, lines);
  }

  /**
   * Removes the texts of all records that were erased, and of lines that do not count, from all segments.
   * @throws Error if a text may still be there
   */
  finishErasures(): Promise<void> {
    return finishErasures(this.#state);
  }

  /**
   * Reads lines at once.
   * @param seqs numbers of lines
   * @returns for each what it holds; undefined if it cannot be read
   */
  readLines(seqs: readonly number[]): (StoredOperation | undefined)[] {
    return readLines(this.#state, seqs);
  }

  /** Proves to later openers that what was appended is synced. @throws Error if the disk takes no write */
  prove(): Promise<void> {
    return appendProof(this.#state);
  }

  /** Tries whether the disk takes a write. @throws Error if it does not */
  async probe(): Promise<void> {
    await prepareToAppend(this.#state);
    await appendProof(this.#state);
    await this.#state.file.sync();
  }

  close(): Promise<void> {
    return this.#state.close();
  }
}
