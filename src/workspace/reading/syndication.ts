import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import { listStanding, copiesLast } from '#work/board.ts';
import type { FeedSelection, SyndicationQuery } from '#workspace/schemas/feed-query.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { readFeedPage } from './feed.ts';
import { readSteps } from './find-work.ts';
import { lengthIn, titleOf } from './message.ts';
import { fitPage, readPage } from './page.ts';
import { listPosts, type ReadContext } from './views.ts';
import type { Reader } from '#store/port/store.ts';
import { listedAt } from '#work/listing-delay.ts';
import { timestampAt } from '#workspace/text/time.ts';
import {
  createFindings,
  firstOfDay,
  namedBySteps,
  openerOf,
  readDelisted,
  stepsOfFinding,
  type FeedEntry,
} from './findings.ts';
import type { Result } from '#work/model.ts';
import type { WorkOverview } from './board-reader.ts';

/** The maximum number of posts in an RSS, Atom or JSON feed. */
const MAX_NEWEST = 50;

/**
 * How many code points the texts of a feed may have. The feed ends with the post that reaches this sum, so
 * that its longest form, RSS with escaped HTML, always fits the result cache. 50 posts of ordinary length
 * stay below.
 */
const FEED_LIMIT: TextLimit = { textBudget: 150_000 };

/** Lists the newest matching posts and replies, newest first: at most 50, fewer if they are long. */
export async function listNewest(context: ReadContext, { standing, ...filter }: SyndicationQuery) {
  if (standing !== undefined) {
    const steps: Step[] = [];
    await visitInSlices(listStanding(await context.boards.overview(context.now()), standing), (step) => {
      if (isSelected(filter, step)) steps.push(step);
    });
    return listSteps(context, steps, filter.q);
  }
  const query = { ...filter, view: 'full', limit: MAX_NEWEST } as const;
  const { items } = await readFeedPage(context.store.read, query, FEED_LIMIT);
  return (await listPosts(context, items)).messages;
}

/** Whether a feed of RESULTs includes a step. */
const isSelected = ({ name, prefix = 'RESULT', threads }: Partial<FeedSelection>, step: Step): boolean =>
  prefix === step.prefix && (name ?? step.name) === step.name && !(threads && step.parentId !== null);

/** What the feed adds to a message, which is a confirmed RESULT or took one off the lists. */
export type ConfirmedEntry = NonNullable<Awaited<ReturnType<typeof listConfirmed>>[number]['entry']>;

/** The maximum number of other RESULTs that an entry names. */
const MAX_OTHERS = 8;

/** Lists the messages that `chooseEntries` chooses, with what the feed says about each. */
export async function listConfirmed(context: ReadContext, filter: Partial<FeedSelection> = {}) {
  const { read } = context.store;
  const overview = await context.boards.overview(context.now());
  const chosen = await chooseEntries(read, overview, context.now(), filter);
  const messages = await listSteps(
    context,
    chosen.map(({ step }) => step),
  );
  const { board } = overview;
  // A hide may have removed RESULTs while the messages were read.
  const entries = chosen.filter(({ result }) => board.results.has(result.step.id));
  const steps = entries.flatMap(({ result }) => stepsOfFinding(result));
  const others = entries.flatMap((entry) => entry.others.slice(0, MAX_OTHERS));
  const related = await read.related({
    posts: [...steps.flatMap(({ id, rootId }) => [id, rootId]), ...others.map(({ step }) => step.id)],
    numbers: namedBySteps(board, steps),
  });
  const toFinding = createFindings(board, related);
  const toTitled = ({ step: { id } }: Result) => {
    const post = related.posts.get(id)?.record;
    return post === undefined ? [] : { id, title: titleOf(post) };
  };
  const toEntry = ({ step, result, at, others: ofDay }: FeedEntry) => {
    const titled = ofDay.slice(0, MAX_OTHERS).flatMap(toTitled);
    return {
      /** When the RESULT was listed, or when the message that took it off was written. */
      at: timestampAt(at),
      finding: toFinding(result),
      opener: openerOf(board, related.posts.get(step.rootId)?.record),
      isListed: step === result.step,
      /** The newest other RESULTs that were listed, or taken off, in the same thread on the same day. */
      others: titled,
      more: ofDay.length - titled.length,
    };
  };
  const byId = new Map(entries.map((entry) => [entry.step.id, toEntry(entry)]));
  return messages.map((one) => ({ ...one, entry: byId.get(one.id) }));
}

/**
 * Chooses the entries of the feed of confirmed RESULTs: one per thread and day, and for seven days the
 * message that took one off the lists.
 * @param now milliseconds since 1970
 * @param filter selects RESULTs
 * @returns newest first; entries of copied threads last
 */
async function chooseEntries(
  read: Reader,
  { board, lists }: Pick<WorkOverview, 'board' | 'lists'>,
  now: number,
  filter: Partial<FeedSelection>,
): Promise<FeedEntry[]> {
  if (filter.prefix !== undefined && filter.prefix !== 'RESULT') return [];
  const { q } = filter;
  const isWanted = ({ step }: Result): boolean => isSelected(filter, step);
  const delisted = (await readDelisted(board, now)).filter(({ result }) => isWanted(result));
  const listed = lists.confirmed.flatMap(({ id }) => board.results.get(id) ?? []).filter(isWanted);
  const results = new Set([...delisted.map(({ result }) => result), ...listed]);
  const steps = Array.from(results, ({ step }) => step);
  const { items } = q === undefined ? {} : await readSteps(read, steps, q, MAX_NEWEST);
  const found = items && new Set(items.map(({ record }) => record.id));
  const isFound = ({ step }: Result): boolean => found?.has(step.id) !== false;
  // The lists may change while a search waits.
  const toEntry = (result: Result) => {
    const at = listedAt(result);
    return at === undefined ? [] : { step: result.step, result, at };
  };
  const entries = [
    ...firstOfDay(delisted.filter(({ result }) => isFound(result))),
    ...firstOfDay(listed.filter(isFound).flatMap(toEntry)),
  ];
  // A RESULT by the opener may also take another RESULT off the lists.
  const byId = new Map(entries.toReversed().map((entry) => [entry.step.id, entry]));
  const newest = [...byId.values()].sort((a, b) => b.at - a.at);
  return copiesLast(board, newest, ({ step }) => step).slice(0, MAX_NEWEST);
}

async function listSteps(context: ReadContext, steps: readonly Step[], q?: string) {
  const { items } = await readSteps(context.store.read, steps, q, MAX_NEWEST);
  const page = { ...FEED_LIMIT, limit: MAX_NEWEST, measure: lengthIn('full') };
  return (await listPosts(context, fitPage(items, page).items)).messages;
}

/**
 * Lists the newest visible posts of the thread that a post belongs to.
 * @returns with the id and title of the first post, or of the requested one if the first is not visible
 * @throws WorkspaceError not_found
 */
export async function listNewestOfThread(context: ReadContext, postId: string) {
  const { read } = context.store;
  const requested = await read.find('post', postId);
  if (requested === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = requested.record;
  const range = { thread: rootId, order: 'newest', limit: MAX_NEWEST } as const;
  const { items } = await readPage(read, 'post', range, FEED_LIMIT, lengthIn('full'));
  const { record: first } = (rootId === postId ? undefined : await read.find('post', rootId)) ?? requested;
  const { messages } = await listPosts(context, items);
  return { id: first.id, title: titleOf(first), messages };
}
