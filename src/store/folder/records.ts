import { startSlice } from '#runtime/slice.ts';
import { TextBudget, type Alternatives } from '#message/words.ts';
import {
  kindOf,
  type AnyRecord,
  type ExportedRecord,
  type Kind,
  type Post,
  type CountedRecord,
  type Timestamp,
} from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import type { Item } from './item.ts';
import { recordIn } from './line.ts';
import type { Log } from './log.ts';
import type { State } from './state.ts';
import { merged, page, type PageRange } from './time-order.ts';

/** A read is retried if another process erased one of its texts. */
const MAX_TRIES = 5;
/** The number of posts that are taken from the lists at once. */
const BATCH_SIZE = 256;
/** Posts that are visited before the slice is checked again. The text of each may be read from the log. */
const VISITS_AT_ONCE = 64;

export interface Source {
  /**
   * Resolves once the state has everything that is durable, except the batch that this process is appending.
   * @param mustHave ids and times that the caller got. If one is in that batch, the call waits for the batch:
   *   another process may have synced and shown it
   */
  readonly currentState: (...mustHave: readonly (string | undefined)[]) => Promise<State>;
  readonly log: Pick<Log, 'readLines'>;
  readonly recent: Pick<State['recent'], 'get'>;
}

/** Thrown if another process has just erased the text, or the storage is damaged. */
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

export function readExported(source: Pick<Source, 'log'>, items: readonly Item[]): ExportedRecord[] {
  return readRecords(source, items).map((record) => ({ kind: kindOf(record.id), record }));
}

/** Reads records from memory or, if they are not there, from the log. */
export function readTexts(source: Pick<Source, 'log' | 'recent'>, items: readonly Item[]): AnyRecord[] {
  const others = items.filter((item) => source.recent.get(item) === undefined);
  const read = new Map(readRecords(source, others).map((record, index) => [others[index], record]));
  return items.flatMap((item) => source.recent.get(item) ?? read.get(item) ?? []);
}

/** Whether a post has all of the words, and those of one alternative. @throws TextUnavailable */
export function holdsWords(
  source: Pick<Source, 'log' | 'recent'>,
  post: Item,
  texts: TextBudget,
  words: readonly string[],
  any: Alternatives = [],
): boolean {
  if (words.length === 0 && any.length === 0) return true;
  return texts.holdsWords(readTexts(source, [post])[0] as Post, words, any);
}

/** @param items visible. @throws TextUnavailable */
export function readCounted<K extends Kind>(
  source: Pick<Source, 'log' | 'recent'>,
  items: readonly Item[],
): CountedRecord<K>[] {
  return readTexts(source, items).map((record, index) => {
    const children = items[index]?.replies.length ?? 0;
    return { record, children } as unknown as CountedRecord<K>;
  });
}

/** Retries a read that fails because another process erased a text. @throws TextUnavailable */
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
 * Visits posts, with pauses. A post may be hidden or erased between its visit and the end of the walk.
 * @param visit returns whether the walk continues
 * @param texts the budget with which `visit` compares texts
 * @param listsOf returns lists that together have the posts; more than one only for the oldest first. By
 *   default all visible posts
 * @returns `isWhole`: whether all posts of the range were visited; `examinedTo`: the time of the last one, if
 *   any; `latest`: the latest timestamp of the store at the end, null while it is empty
 */
export async function walkPosts(
  { currentState }: Pick<Source, 'currentState'>,
  { order, after, before }: Omit<PageRange, 'limit'>,
  visit: (post: Item) => boolean,
  texts = new TextBudget(),
  listsOf = ({ visible }: State): Item[][] => [visible.post],
) {
  let examinedTo: Timestamp | undefined;
  for (let visits = 0; ; ) {
    const state = await currentState(after);
    const isOver = startSlice();
    for (let isPaused = false; !isPaused; ) {
      const rest =
        order === 'newest'
          ? { order, after, before: examinedTo ?? before }
          : { order, after: examinedTo ?? after, before };
      const batch = batchOf(listsOf(state), { ...rest, limit: BATCH_SIZE });
      for (const post of batch) {
        examinedTo = post.createdAt;
        if (!visit(post)) return { isWhole: false, examinedTo, latest: state.lastTimestamp };
        visits += 1;
        isPaused = texts.isSliceOver || (visits % VISITS_AT_ONCE === 0 && isOver());
        if (isPaused) break;
      }
      if (!isPaused && batch.length < BATCH_SIZE)
        return { isWhole: true, examinedTo, latest: state.lastTimestamp };
    }
    await texts.nextSlice();
  }
}

/** @param lists more than one only for the oldest first */
function batchOf(lists: readonly Item[][], range: PageRange): Item[] {
  const [first = [], ...others] = lists;
  if (others.length === 0) return page(first, range);
  const batch: Item[] = [];
  for (const post of merged(lists, range.after ?? '')) {
    if (batch.length === range.limit || post.createdAt >= (range.before ?? '~')) break;
    batch.push(post);
  }
  return batch;
}
