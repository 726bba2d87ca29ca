import type { PostHead, ThreadHead } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Prefix } from '#workspace/text/prefix.ts';
import type { Signature } from '#workspace/work/authors.ts';
import type { Derivation } from '#workspace/work/derive-work.ts';
import type { Standing } from '#workspace/work/work-model.ts';
import { readChecked, toHeads } from '#workspace/work/heads.ts';
import {
  countStandings,
  readStanding,
  signatureOf,
  standingOf,
  type SaidOfResult,
  type StandingCounts,
} from '#workspace/work/reviews.ts';
import type { WorkAt, WorkReader } from '#workspace/work/work-reader.ts';
import { readFeedTotals } from './feed-page.ts';
import { likenessesOf, type Names } from './listed.ts';
import { newest, type PageQuery } from './page.ts';
import type { FeedTotals, Message } from '#workspace/schemas/post.ts';

export interface ListedThread {
  /** The first post of the thread, or the oldest visible one if the first is not visible. */
  readonly first: Pick<z.infer<typeof Message>, 'id' | 'prefix' | 'name' | 'createdAt'> &
    Signature &
    SaidOfResult;
  readonly size: number;
  readonly title: string;
  /** The newest visible post. */
  readonly last: Pick<PostHead, 'id' | 'name' | 'createdAt'> & Signature;
  /** Its newest messages, oldest first; empty for a short thread. */
  readonly tail: readonly TailMessage[];
  /** The standings of its RESULTs. */
  readonly standings: StandingCounts;
}

/** A message in the strip of its thread. */
export interface TailMessage {
  readonly prefix: string | null;
  /** Undefined unless it is a RESULT. */
  readonly standing?: Standing | undefined;
}

/** Threads, and the state of the workspace at the same time. */
export interface ThreadList extends Pick<WorkAt, 'counts' | 'changesAt'> {
  readonly nextBefore: string | null;
  readonly totals: z.infer<typeof FeedTotals>;
  readonly threads: readonly ListedThread[];
  /** The newest message of a thread has a number, unless it has just been erased. */
  readonly names: Names;
}

/** A thread with fewer messages has no tail. */
const MIN_SIZE = 4;
/** Messages of a tail. */
const MAX_TAIL = 60;

interface ListContext {
  readonly store: { readonly read: Reader };
  readonly work: WorkReader;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Reads threads by their last activity, newest first. @throws StoreFailure */
export async function readThreadList(
  { store: { read }, work: workReader, now }: ListContext,
  query: PageQuery,
): Promise<ThreadList> {
  const { order, before, limit } = newest(query);
  // One thread more than the page shows whether there is another page.
  const [{ items }, totals] = await Promise.all([
    read.threads({ order, before, limit: limit + 1, tail: MAX_TAIL }),
    readFeedTotals(read),
  ]);
  const shown = items.slice(0, limit);
  const firsts = shown.map(({ post }) => post);
  const { derived, counts, changesAt } = await workReader.at(now());
  const standings = await countStandings(
    derived,
    firsts.map(({ record }) => record.rootId),
  );
  const threads = shown.map((thread) => ({
    first: toFirst(derived, thread),
    size: thread.size,
    last: toLast(derived, thread),
    tail: toTail(derived, thread),
    standings: standings.get(thread.post.record.rootId) ?? {},
  }));
  const checked = await readChecked(firsts);
  const likenesses = threads.flatMap(({ first, last }) => [first, last].flatMap(likenessesOf));
  const related = await read.related({
    posts: checked,
    heads: likenesses,
    numbers: [...likenesses, ...threads.map(({ last }) => last.id)],
  });
  const known = new Map(checked.map((id) => [id, related.posts.get(id)]));
  const heads = await toHeads(read, firsts, known);
  return {
    nextBefore: shown.length < items.length ? (shown.at(-1)?.lastAt ?? null) : null,
    totals,
    threads: threads.map((thread) => ({
      ...thread,
      title: heads.get(thread.first.id)?.title ?? '',
    })),
    names: related,
    counts,
    changesAt,
  };
}

function toFirst(work: Derivation, { post: { record } }: ThreadHead): ListedThread['first'] {
  const { id, prefix, name = null, createdAt } = record;
  return {
    id,
    prefix: prefix as Prefix | null,
    name,
    createdAt,
    ...signatureOf(work, record),
    ...readStanding(work, id),
  };
}

function toLast(work: Derivation, { post: { record }, tail = [] }: ThreadHead): ListedThread['last'] {
  const { id, name = null, mark, createdAt } = tail.at(-1) ?? record;
  const signed = { id, rootId: record.rootId, name, mark: mark ?? undefined, createdAt };
  return {
    id,
    name,
    createdAt,
    ...signatureOf(work, signed),
  };
}

function toTail(work: Derivation, { size, tail = [] }: ThreadHead): ListedThread['tail'] {
  if (size < MIN_SIZE) return [];
  return tail.map(({ id, prefix }) => ({ prefix, standing: standingOf(work, id) }));
}
