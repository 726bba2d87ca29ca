import type { Step } from '#message/step.ts';
import type { CountedRecord } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { queryWordsOf, TextBudget } from '#message/words.ts';
import type * as z from 'zod';
import { WORK_LISTS, type WorkList } from '#work/work-lists.ts';
import { freeParts, partsOf } from '#work/parts.ts';
import { labelInList, shownStandingOf, signatureOf } from '#work/standing-view.ts';
import { statusOf } from '#work/works.ts';
import type { ExpireAt, TextLimit } from '#workspace/service/caller.ts';
import { lengthIn, titleOf, toPreview } from './message.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { createFindings, openerOf, stepsOfFinding } from './findings.ts';
import { countParts, listWorksOn } from './progress.ts';
import { chooseOffers } from './offers.ts';
import { definedOf, fitPage, newest, restOf, type Page } from './page.ts';
import { MAX_LISTED } from '#workspace/schemas/post.ts';
import type { WorkBoard, WorkQuery } from '#workspace/schemas/work.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { timestampAt, DAY_MS } from '#workspace/text/time.ts';
import type { ReadContext } from './views.ts';
import type { WorkOverview } from './board-reader.ts';

/** The default limit of a single list. In an overview, each list has at most `MAX_LISTED`. */
const LIST_LIMIT = 10;

/** The maximum number of posts that a search for words examines. */
const MAX_CANDIDATES = 500;
/** How many texts a search for words reads at once. */
const CANDIDATES_AT_ONCE = 50;

type Query = z.infer<typeof WorkQuery>;
type FoundWork = z.infer<typeof WorkBoard>;

/** Reads one list of work page by page, or the newest entries of every list. */
export async function findWork(
  { store: { read }, boards, now }: ReadContext,
  query: Query,
  { textBudget = Infinity }: TextLimit = {},
  expireAt: ExpireAt = () => undefined,
): Promise<FoundWork> {
  const time = now();
  const overview = await boards.overview(time);
  if (overview.changesAt < Infinity) expireAt(overview.changesAt);
  const { list, q } = query;
  const pages: Partial<Record<WorkList, Page<'post'>>> = {};
  const lists = list === undefined ? WORK_LISTS : [list];
  for (const name of lists) {
    let steps = name === 'confirmed' ? overview.listed.flatMap(({ shown }) => shown) : overview.lists[name];
    if (list === undefined && q === undefined && (name === 'ideas' || name === 'toReview'))
      steps = await chooseOffers(overview, steps, time, query.limit ?? MAX_LISTED);
    pages[name] = await readPage(read, steps, query, textBudget / lists.length);
  }
  const pageItems = (name: WorkList): CountedRecord<'post'>[] => pages[name]?.items ?? [];
  const posts = lists.flatMap(pageItems).map(({ record }) => record);
  const { board } = overview;
  const confirmed = [...pageItems('confirmed'), ...pageItems('partlyConfirmed')].flatMap(
    ({ record }) => board.results.get(record.id) ?? [],
  );
  const related = await read.related({
    heads: posts.flatMap(({ id }) => board.works.get(id)?.takes ?? []),
    posts: [
      ...posts.flatMap(({ id, rootId }) => (id === rootId ? [] : rootId)),
      ...confirmed.flatMap((result) => stepsOfFinding(result)).map(({ id }) => id),
    ],
  });
  const toFinding = createFindings(board, related);
  const labelsOf = ({ record }: CountedRecord<'post'>) => {
    const first = record.id === record.rootId ? undefined : related.posts.get(record.rootId)?.record;
    return {
      ...signatureOf(board, record),
      ...labelInList(board, record),
      ...(first !== undefined && {
        thread: { title: titleOf(first), ...openerOf(board, first) },
      }),
    };
  };
  /** @returns an empty list for a WORK that has left the board since its list was read */
  const toWork = (item: CountedRecord<'post'>): FoundWork['working'] => {
    const listed = board.works.get(item.record.id);
    if (listed === undefined) return [];
    const { dueAt, isDueAssumed } = statusOf(listed);
    const about = listed.takes.flatMap((id) => {
      const head = related.heads.get(id);
      return head === undefined ? [] : { id, prefix: head.prefix as Prefix | null };
    });
    return [
      toPreview(item, { ...labelsOf(item), dueAt: timestampAt(dueAt), dueAssumed: isDueAssumed, about }),
    ];
  };
  const toResult = (item: CountedRecord<'post'>): FoundWork['toReview'][number] =>
    toPreview(item, {
      ...shownStandingOf(board, item.record.id),
      ...labelsOf(item),
      underWay: listWorksOn(board, item.record.id, 'underWay', time),
    });
  /** @returns an empty list for a RESULT that has left the board since its list was read */
  const toConfirmed = (item: CountedRecord<'post'>): FoundWork['confirmed'] => {
    const result = board.results.get(item.record.id);
    if (result === undefined) return [];
    const { since, checked } = toFinding(result);
    return [{ ...toResult(item), since, ...(checked.length > 0 && { checked: [...checked] }) }];
  };
  const toIdea = (item: CountedRecord<'post'>): FoundWork['ideas'][number] => {
    const idea = board.ideas.get(item.record.id);
    const free = idea === undefined ? [] : freeParts(idea, time);
    const late = listWorksOn(board, item.record.id, 'overdue', time);
    return toPreview(item, {
      ...labelsOf(item),
      ...(late.length > 0 && { overdue: late }),
      ...(idea !== undefined && idea.parts.length > 0 && { parts: countParts(partsOf(idea, time)) }),
      ...(free.length > 0 && { freeParts: free.slice(0, MAX_LISTED) }),
    });
  };
  return {
    notice: NOTICE,
    now: timestampAt(time),
    nextBefore: list === undefined ? null : (pages[list]?.next ?? null),
    applied: definedOf({ list, q }),
    counts: overview.counts,
    ideas: pageItems('ideas').map(toIdea),
    working: pageItems('working').flatMap(toWork),
    overdue: pageItems('overdue').flatMap(toWork),
    toReview: pageItems('toReview').map(toResult),
    partlyConfirmed: pageItems('partlyConfirmed').flatMap(toConfirmed),
    disputed: pageItems('disputed').map(toResult),
    confirmed: pageItems('confirmed')
      .flatMap(toConfirmed)
      .map((item) => ({ ...item, ...moreIn(overview, item) })),
    ended: list === undefined ? endedLately(overview, time, expireAt) : [],
  };
}

/** @returns for the last shown RESULT of a thread: how many more RESULTs of it the list has */
function moreIn({ listed }: WorkOverview, { id, rootId }: Pick<Step, 'id' | 'rootId'>) {
  const thread = listed.find((candidate) => candidate.rootId === rootId);
  return thread === undefined || thread.more === 0 || thread.shown.at(-1)?.id !== id
    ? {}
    : { moreInThread: thread.more };
}

/** @returns the WORKs and IDEAs that ended in the last 24 hours, newest first */
function endedLately({ board }: WorkOverview, now: number, expireAt: ExpireAt): FoundWork['ended'] {
  const ended = board.newestEnded(timestampAt(now - DAY_MS), LIST_LIMIT);
  return ended.map(({ item, by }) => {
    const { id, name, rootId } = item.step;
    expireAt(Date.parse(by.createdAt) + DAY_MS);
    return {
      id,
      prefix: 'takes' in item ? ('WORK' as const) : ('IDEA' as const),
      name,
      ...signatureOf(board, item.step),
      rootId,
      endedBy: by.id,
      endedAt: by.createdAt,
    };
  });
}

async function readPage(
  read: Reader,
  list: readonly Step[],
  { list: only, q, before: cursor, limit = only === undefined ? MAX_LISTED : LIST_LIMIT }: Query,
  textBudget: number,
): Promise<Page<'post'>> {
  const { before } = newest({ limit, before: cursor });
  const rest = restOf(list, ({ createdAt }) => createdAt, before);
  const { items: found, examined } = await readSteps(read, rest, q, limit);
  const { createdAt: last = null } = rest[examined - 1] ?? {};
  const page = { limit, textBudget, measure: lengthIn('preview') };
  return fitPage(found, page, examined === rest.length ? null : last);
}

interface FoundPosts {
  readonly items: readonly CountedRecord<'post'>[];
  /** The number of examined steps. */
  readonly examined: number;
}

/** @returns the first posts of a list; with `q`, the first that have all its words */
export async function readSteps(
  read: Reader,
  list: readonly Step[],
  q: string | undefined,
  limit: number,
): Promise<FoundPosts> {
  if (q !== undefined) return search(read, list, queryWordsOf(q).words, limit);
  const first = list.slice(0, limit);
  return { items: await read.posts(first.map(({ id }) => id)), examined: first.length };
}

/** @returns the first posts of a list that have all the words */
async function search(read: Reader, list: readonly Step[], words: readonly string[], limit: number) {
  const texts = new TextBudget();
  const candidates = list.slice(0, MAX_CANDIDATES);
  const items: CountedRecord<'post'>[] = [];
  for (let start = 0; start < candidates.length; start += CANDIDATES_AT_ONCE) {
    const ids = candidates.slice(start, start + CANDIDATES_AT_ONCE).map(({ id }) => id);
    for (const post of await read.posts(ids)) {
      if (texts.isSliceOver) await texts.nextSlice();
      if (texts.holdsWords(post.record, words)) items.push(post);
      if (items.length === limit || texts.isSpent)
        return { items, examined: start + ids.indexOf(post.record.id) + 1 };
    }
  }
  return { items, examined: candidates.length };
}
