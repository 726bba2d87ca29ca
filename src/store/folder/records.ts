import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { AnyRecord, Kind, RecordView } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import { isVisible, type Item } from './item.ts';
import { recordIn } from './line.ts';
import type { Log } from './log.ts';
import type { RecentPosts, State } from './state.ts';
import { page, type PageRange } from './time-order.ts';

/** A try fails if another process erases one of its texts. */
const MAX_TRIES = 5;
const BATCH_SIZE = 1024;

export interface Source {
  /**
   * Resolves once the state holds all that was durable, except the batch that this process is appending.
   * @param names ids and times that the caller was given. The call waits for the batch if it has one of them:
   *   another process may have synced and shown it
   */
  readonly current: (...names: readonly (string | undefined)[]) => Promise<State>;
  readonly log: Pick<Log, 'readLines'>;
  readonly recent: Pick<RecentPosts, 'get'>;
}

/** Another process has just erased the text, or the storage is damaged. */
class TextUnavailable extends StoreFailure {
  constructor() {
    super('nothing', 'a stored text cannot be read; `porchlight check` finds the place');
  }
}

/** @param items of records that have arrived and are not erased @throws TextUnavailable */
export function readRecords({ log }: Pick<Source, 'log'>, items: readonly Item[]): AnyRecord[] {
  return log.readLines(items).map((line, index) => {
    const record = line && recordIn(line.do);
    if (record === undefined || record.id !== items[index]?.id) throw new TextUnavailable();
    return record;
  });
}

/** Reads records from memory as far as they are there, else from the log. */
export function readTexts(source: Pick<Source, 'log' | 'recent'>, items: readonly Item[]): AnyRecord[] {
  const others = items.filter((item) => source.recent.get(item) === undefined);
  const read = new Map(readRecords(source, others).map((record, index) => [others[index], record]));
  return items.flatMap((item) => source.recent.get(item) ?? read.get(item) ?? []);
}

/** @param items visible. @throws TextUnavailable */
export function readViews<K extends Kind>(
  source: Pick<Source, 'log' | 'recent'>,
  items: readonly Item[],
): RecordView<K>[] {
  return readTexts(source, items).map((record, index) => {
    const children = items[index]?.replies.length ?? 0;
    return { record, children } as unknown as RecordView<K>;
  });
}

/** Repeats a read that fails because another process erases a text. @throws TextUnavailable */
export async function withTexts<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof TextUnavailable) || tries === MAX_TRIES) throw error;
    }
  }
}

/**
 * Visits posts with pauses. One may be hidden or erased between its visit and the end of the walk.
 * @param visit returns whether the walk continues
 * @returns the state at the end
 */
export async function walkPosts(
  { current }: Pick<Source, 'current'>,
  range: Omit<PageRange, 'limit'>,
  visit: (post: Item, state: State) => boolean,
): Promise<State> {
  let rest: PageRange = { ...range, limit: BATCH_SIZE };
  for (let state = await current(range.after), isSliceOver = startSlice(); ; ) {
    const batch = page(state.visible.post, rest);
    for (const post of batch) if (isVisible(post) && !visit(post, state)) return state;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH_SIZE) return state;
    rest =
      range.order === 'newest' ? { ...rest, before: last.createdAt } : { ...rest, after: last.createdAt };
    if (!isSliceOver()) continue;
    await nextSlice();
    state = await current();
    isSliceOver = startSlice();
  }
}
