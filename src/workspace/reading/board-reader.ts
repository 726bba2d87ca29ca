import type { Step } from '#message/step.ts';
import { nextSlice, startSlice, visitInSlices } from '#runtime/slice.ts';
import { MAX_COUNTED_NEWS } from '#store/port/pages.ts';
import type { Store } from '#store/port/store.ts';
import { Board, MAX_AT_ONCE } from '#work/board.ts';
import { WORK_LISTS, type Lists, type WorkList } from '#work/work-lists.ts';
import { groupByThread, type ListedThread } from '#work/listing-delay.ts';

export interface WorkOverview {
  readonly board: Board;
  readonly lists: Lists;
  /** The threads with RESULTs on the list `confirmed`. */
  readonly listed: readonly ListedThread[];
  /** At most 1000 each. */
  readonly counts: Readonly<Record<WorkList, number>>;
  /** The next time at which the clock alone changes a list, in milliseconds since 1970, or Infinity. */
  readonly changesAt: number;
}

/** Reads the steps and keeps a board of them, to which it adds later steps. */
export class BoardReader {
  readonly #store: Pick<Store, 'read' | 'knownSteps'>;
  #board = new Board();
  /** The steps for the board, and how many of them it already has. */
  #steps: readonly Step[] = [];
  #size = 0;
  #last: { readonly overview: WorkOverview; readonly size: number; readonly from: number } | undefined;
  /** A mutex: only one call at a time adds steps. */
  #turn: Promise<unknown> = Promise.resolve();
  /** A queued read that has not begun. Calls share it. */
  #next: Promise<Board> | undefined;

  constructor(store: Pick<Store, 'read' | 'knownSteps'>) {
    this.#store = store;
  }

  /** @returns the board with all steps that this process knows; undefined if it must first read some */
  boardNow(): Board | undefined {
    const steps = this.#store.knownSteps?.();
    if (steps === undefined || steps !== this.#steps || steps.length - this.#size > MAX_AT_ONCE)
      return undefined;
    for (const step of this.#later(steps)) this.#add(step);
    return this.#board;
  }

  /** Reads the board without updating its lists, which costs less than `overview`. @throws StoreFailure */
  board(): Promise<Board> {
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined;
      return this.#readBoard();
    });
    return this.#next;
  }

  /** Reads the lists. @param now milliseconds since 1970. @throws StoreFailure */
  overview(now: number): Promise<WorkOverview> {
    return this.#inTurn(async () => {
      const board = await this.#readBoard();
      const last = this.#last;
      if (last?.size === this.#size && last.from <= now && now < last.overview.changesAt)
        return last.overview;
      while (!board.update(now, startSlice())) await nextSlice();
      const lists = board.lists.current();
      const counts = Object.fromEntries(
        WORK_LISTS.map((list) => [list, Math.min(lists[list].length, MAX_COUNTED_NEWS)]),
      ) as Record<WorkList, number>;
      const listed = groupByThread(lists.confirmed, board);
      const overview = { board, lists, listed, counts, changesAt: board.lists.changesAt };
      this.#last = { overview, size: this.#size, from: now };
      return overview;
    });
  }

  #inTurn<Value>(read: () => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(read);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #readBoard(): Promise<Board> {
    const steps = await this.#store.read.steps();
    if (steps !== this.#steps) {
      const { length } = steps;
      // Keeps `boardNow` from adding steps to a board that is only partly replaced.
      this.#steps = [];
      this.#last = undefined;
      const board = this.#board;
      // The new board stays if the old one cannot replace everything, or throws.
      this.#board = new Board();
      this.#size = 0;
      if (await replaceSteps(board, steps)) {
        this.#board = board;
        this.#size = length;
      }
      this.#steps = steps;
      // Lets other requests run, because large threads may have taken long.
      await nextSlice();
    }
    if (this.#size < steps.length)
      await visitInSlices(this.#later(steps), (step) => {
        // `boardNow` may have added it during a pause.
        if (step === steps[this.#size]) this.#add(step);
      });
    return this.#board;
  }

  #add(step: Step): void {
    this.#size += 1;
    this.#board.add(step);
  }

  *#later(steps: readonly Step[]): Generator<Step, void> {
    for (let step = steps[this.#size]; step !== undefined; step = steps[this.#size]) yield step;
  }
}

/** @returns false if nothing was changed and a new board must be made */
async function replaceSteps(board: Board, steps: readonly Step[]): Promise<boolean> {
  const replacement = board.replace(steps);
  let isSliceOver = startSlice();
  let piece = replacement.next();
  for (; piece.done !== true; piece = replacement.next()) {
    if (!isSliceOver()) continue;
    await nextSlice();
    isSliceOver = startSlice();
  }
  return piece.value === 'replaced';
}
