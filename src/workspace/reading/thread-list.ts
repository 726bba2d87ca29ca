import { copiesLast } from '#work/board.ts';
import { likenessesOf, shownStandingOf, signatureOf } from '#work/standing-view.ts';
import { readFeedTotals } from './feed.ts';
import type { ReadContext } from './views.ts';
import { newest, type PageQuery } from './page.ts';
import { countByDay, prepareConfirmed } from './findings.ts';
import { progressInLists } from './progress.ts';
import { headFields, titleOf } from './message.ts';

export type ListedThread = ThreadList['threads'][number];

/** A page of threads, and the state of the workspace at the same time. */
export type ThreadList = Awaited<ReturnType<typeof readThreadList>>;

/** The maximum number of findings. More threads are read, because the first message of some is hidden. */
const MAX_FINDINGS = 4;
const MAX_READ = 8;

/** Reads threads by their last activity, newest first. @throws StoreFailure */
export async function readThreadList({ store: { read }, boards, now }: ReadContext, query: PageQuery) {
  const { order, before, limit } = newest(query);
  // One extra thread shows whether there is another page.
  const [{ items }, totals] = await Promise.all([
    read.threads({ order, before, limit: limit + 1, tail: 1 }),
    readFeedTotals(read),
  ]);
  const page = items.slice(0, limit);
  const overview = await boards.overview(now());
  const { board, lists, counts, changesAt } = overview;
  const threads = copiesLast(board, page, ({ post }) => post.record).map(({ post, size, tail = [] }) => {
    const { record } = post;
    const latest = tail.at(-1) ?? record;
    const last = { ...headFields(latest), rootId: record.rootId, mark: latest.mark ?? undefined };
    return {
      /** The first post of the thread, or the oldest visible one if the first is not visible. */
      first: { ...headFields(record), ...signatureOf(board, record), ...shownStandingOf(board, record.id) },
      size,
      title: titleOf(record),
      /** The newest visible post. */
      last: { ...headFields(latest), ...signatureOf(board, last) },
      progress: progressInLists(board, record.rootId, now()),
    };
  });
  const likenesses = threads.flatMap(({ first, last }) => [first, last]).flatMap(likenessesOf);
  const listed = before === undefined ? overview.listed.slice(0, MAX_READ) : [];
  const { relatedQuery, toThreads } = prepareConfirmed(board, listed, now(), 1);
  const related = await read.related({
    posts: relatedQuery.posts,
    heads: [...relatedQuery.heads, ...likenesses],
    numbers: [...relatedQuery.numbers, ...likenesses, ...threads.map(({ last }) => last.id)],
  });
  return {
    nextBefore: page.length < items.length ? (page.at(-1)?.lastAt ?? null) : null,
    totals,
    threads,
    /** The newest RESULT of each recently listed thread; none on later pages. */
    findings: toThreads(related)
      .filter(({ title }) => title !== undefined)
      .slice(0, MAX_FINDINGS),
    /** The number of RESULTs on the list `confirmed` by the UTC day on which they were written. */
    confirmedOn: await countByDay(lists.confirmed),
    /** The newest message of a thread has a number, unless it has just been erased. */
    names: related,
    counts,
    changesAt,
  };
}
