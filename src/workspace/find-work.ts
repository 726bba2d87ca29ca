import {
  takesUp,
  WORK_LISTS,
  type Reader,
  type Standing,
  type WorkItem,
  type WorkList,
} from '#store/store.ts';
import { queryWordsOf } from '#store/words.ts';
import type * as z from 'zod';
import type { Caller } from './caller.ts';
import { lengthIn, toPreview } from './feed-page.ts';
import { NOTICE } from './notice.ts';
import { fitPage, newest } from './page.ts';
import type { WorkBoard, WorkQuery } from './schemas/work.ts';
import type { Prefix } from './text/prefix.ts';
import { timestampAt } from './text/rfc3339.ts';
import { MAX_UNDER_WAY, toUnderWay } from './work/under-way.ts';

const LIST_LIMIT = 10;
/** Without `list`, of each. */
const OVERVIEW_LIMIT = 5;

/** How many texts of a list a search compares at most. */
const MAX_CANDIDATES = 500;

type Board = z.infer<typeof WorkBoard>;
type Page = Pick<Board, 'nextBefore'> & { readonly items: readonly WorkItem[] };

/**
 * The lists of work: one, page by page, or the newest of each.
 * @param now wall-clock time in milliseconds since 1970
 */
export async function findWork(
  read: Reader,
  query: z.infer<typeof WorkQuery>,
  { textBudget = Infinity }: Caller,
  now: number,
): Promise<Board> {
  const { list, q } = query;
  const lists = list === undefined ? WORK_LISTS : [list];
  const [{ counts }, ...pages] = await Promise.all([
    read.workCounts(now),
    ...lists.map((one) => readPage(read, one, query, textBudget / lists.length, now)),
  ]);
  const pageOf = (name: WorkList): Page['items'] => pages[lists.indexOf(name)]?.items ?? [];
  const unreviewed = pageOf('unreviewed');
  const works = [...pageOf('working'), ...pageOf('overdue')];
  const ids = new Set([
    ...unreviewed.map(({ record }) => record.id),
    ...works.flatMap(({ record }) => takesUp(record)),
  ]);
  const standings = ids.size === 0 ? [] : await read.standings([...ids], now);
  const standingOf = new Map(standings.map((standing) => [standing.id, standing]));
  const toWork = (item: WorkItem): Board['working'][number] => toListedWork(item, standingOf);
  return {
    notice: NOTICE,
    now: timestampAt(now),
    nextBefore: list === undefined ? null : (pages[0]?.nextBefore ?? null),
    applied: { ...(list !== undefined && { list }), ...(q !== undefined && { q }) },
    counts,
    ideas: pageOf('ideas').map(toPreview),
    working: pageOf('working').map(toWork),
    overdue: pageOf('overdue').map(toWork),
    unreviewed: unreviewed.map((item) => ({
      ...toPreview(item),
      underWay: (standingOf.get(item.record.id)?.underWay ?? []).slice(0, MAX_UNDER_WAY).map(toUnderWay),
    })),
  };
}

async function readPage(
  read: Reader,
  list: WorkList,
  {
    list: only,
    q,
    before,
    limit = only === undefined ? OVERVIEW_LIMIT : LIST_LIMIT,
  }: z.infer<typeof WorkQuery>,
  textBudget: number,
  now: number,
): Promise<Page> {
  // One item more than the page shows whether there is another page.
  const range = {
    order: 'newest',
    before: newest({ limit, before }).before,
    limit: limit + 1,
    words: q === undefined ? undefined : queryWordsOf(q).words,
    maxCandidates: MAX_CANDIDATES,
  } as const;
  const { items: found, examinedTo } = await read.work(list, range, now);
  const items = fitPage(found, { limit, textBudget, measure: lengthIn('preview') });
  const isCut = items.length < found.length;
  return { items, nextBefore: isCut ? (items.at(-1)?.record.createdAt ?? null) : examinedTo };
}

function toListedWork(item: WorkItem, standings: ReadonlyMap<string, Standing>): Board['working'][number] {
  const about = takesUp(item.record).flatMap((id) => {
    const standing = standings.get(id);
    return standing === undefined ? [] : [{ id, prefix: standing.prefix as Prefix | null }];
  });
  const { at, assumed } = item.due ?? { at: Date.parse(item.record.createdAt), assumed: true };
  return { ...toPreview(item), dueAt: timestampAt(at), dueAssumed: assumed, about };
}
