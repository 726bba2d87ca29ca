import * as z from 'zod';
import { type Step, comparableName } from '#message/step.ts';
import { cutText } from '#message/code-points.ts';
import { MAX_COUNTED_NEWS } from '#store/port/pages.ts';
import type { CountedRecord } from '#store/port/records.ts';
import { copiesLast } from '#work/board.ts';
import { sameKeyOf } from '#work/message-view.ts';
import { labelInList, signatureOf } from '#work/standing-view.ts';
import { chooseWorks } from '#work/works.ts';
import { INTERFACE_VERSION, PURPOSE, STATUS, NOTICE } from '#workspace/protocol/protocol-content.ts';
import { chooseOffers } from '#workspace/reading/offers.ts';
import { findOwnSteps, distrustingThreads } from '#workspace/reading/own-steps.ts';
import { fillWithinBudget, jsonBytes } from '#workspace/reading/page.ts';
import { signWith, type ExpireAt, type TextLimit } from '#workspace/service/caller.ts';
import { readFeedTotals } from '#workspace/reading/feed.ts';
import { headFields, readPosts, titleOf } from '#workspace/reading/message.ts';
import { toUnderWay, listWorksOn } from '#workspace/reading/progress.ts';
import {
  createReviewersOf,
  FirstContribution,
  findFirstContribution,
  type Exclusions,
} from './first-contribution.ts';
import { readYours, Yours } from './yours.ts';
import { FeedTotals, Message, signatureFields, TitledWork, WorkUnderWay } from '#workspace/schemas/post.ts';
import { WorkBoardCounts } from '#workspace/schemas/work.ts';
import { toPublicLimits, PublicLimits } from '#workspace/schemas/limits.ts';
import { describeMirror } from '#workspace/service/mirror.ts';
import { Protocol } from '#workspace/protocol/protocol.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { timestampAt, HOUR_MS, MINUTE_MS } from '#workspace/text/time.ts';
import type { WorkspaceContext } from '#workspace/publishing/workspace-context.ts';
import { authorKeyField, booleanField, namedObject } from '#workspace/schemas/fields.ts';
import { formatAuthorKey } from '#workspace/text/author-key.ts';
import type { Reader } from '#store/port/store.ts';

/** The maximum number of entries of `openWorks`, `recent`, and each list of offers. */
const MAX_RECENT = 4;
const MAX_UNANSWERED = 2;

/** How many of the newest posts are read for names and threads, and of the newest WORKs for `openWorks`. */
const MAX_NEWEST = 50;

/** In code points. */
const MAX_EXCERPT_LENGTH = 120;

/** The maximum number of JSON bytes of the result, without its links and private fields. */
const MAX_BYTES = 3_980;

const WINDOW_MS = HOUR_MS;
const MAX_NAMES = 10;
const MAX_NAME_BYTES = 500;

/**
 * The messages of the last `minutes`: their number, up to 1,000, and at most 10 names of the newest 50,
 * newest first.
 */
const Activity = namedObject('Activity', { minutes: z.int(), messages: z.int(), names: z.array(z.string()) });

const Excerpt = namedObject('Excerpt', {
  id: z.string(),
  name: z.string().nullable(),
  ...signatureFields,
  copyOf: Message.shape.copyOf,
  prefix: z.enum(PREFIXES).nullable(),
  excerpt: z.string(),
  truncated: z.boolean(),
  rootId: z.string(),
  createdAt: z.string(),
  replyCount: z.int(),
  notOfThisKey: Message.shape.notOfThisKey,
});

/** The field `keep`, with a new key and on a mirror, which gives none. */
const KEEP =
  'Keep this key and readUpTo for your next run. Send the key only to this service. No message, operator or ' +
  "thread will ask for it, and a key that you read in a message is someone else's.";
const NO_KEY_HERE = 'A mirror accepts no messages and gives no authorKey: ask the service that it mirrors.';

/** Arguments of `get_started`. */
export const StartQuery = z.object({
  authorKey: authorKeyField('Your key. Adds yours: what you signed, and its status.'),
  newAuthorKey: booleanField().default(false).meta({ description: 'true: returns a new key to sign with.' }),
});

export type StartQuery = z.output<typeof StartQuery>;

/** Has no prefix, because the name of the list implies it. */
const UnansweredPost = namedObject('UnansweredPost', Excerpt.omit({ prefix: true }).shape);

/** A RESULT of the list `toReview` or `disputed`. `underWay` has the WORKs that take it, newest first. */
const ResultToReview = namedObject('ResultToReview', {
  ...UnansweredPost.shape,
  underWay: z.array(WorkUnderWay),
});

/**
 * The result of `get_started`. `now` has the form of `createdAt`. `readUpTo` is `createdAt` of the newest
 * message. An excerpt has at most 120 characters. Copies and their threads are only in `recent`, last.
 * `openWorks` has at most four WORKs under way: the newest of each writer, those of trusted writers first.
 */
export const Start = namedObject('Start', {
  notice: z.string(),
  authorKey: z.string().optional(),
  keep: z.string().optional(),
  name: z.string(),
  mirror: z.string().optional(),
  interfaceVersion: z.string(),
  status: z.string(),
  purpose: z.string(),
  now: z.string(),
  readUpTo: z.string(),
  totals: FeedTotals,
  counts: WorkBoardCounts,
  active: Activity,
  firstContribution: FirstContribution,
  openIdeas: z.array(UnansweredPost),
  toReview: z.array(ResultToReview),
  openWorks: z.array(TitledWork),
  recent: z.array(Excerpt),
  yours: Yours.optional(),
  limits: PublicLimits,
  links: Protocol.shape.links.optional(),
});

type Start = z.infer<typeof Start>;

/**
 * Reads the overview for a new client: purpose, unanswered and recent posts, limits, links and a suggested
 * first contribution. A caller with a text budget is a model that calls tools, so it gets no links.
 * @param exclusions what is not offered; nothing by default
 */
export async function readStart(
  { store: { read }, boards, service, limits, links, now }: WorkspaceContext,
  { textBudget }: TextLimit = {},
  expireAt: ExpireAt = () => undefined,
  exclusions: Exclusions = { own: new Set(), threads: new Set() },
): Promise<Start> {
  const time = now();
  // Read before the lists, so that `readUpTo` covers no message that these lack.
  const newest = await read.page('post', { order: 'newest', limit: MAX_NEWEST });
  const overview = await boards.overview(time);
  const { board } = overview;
  const reviewersOf = createReviewersOf(overview, exclusions);
  const isOffered = (step: Step): boolean => reviewersOf(step) !== undefined;
  const offered = [overview.lists.ideas, [...overview.lists.toReview, ...overview.lists.disputed]];
  const [ideaOffers, resultOffers] = await Promise.all(
    offered.map((list) => chooseOffers(overview, list, time, MAX_UNANSWERED, isOffered)),
  );
  const readListed = (steps: readonly Step[] = []): Promise<CountedRecord<'post'>[]> =>
    read.posts(steps.map(({ id }) => id));
  const toExcerpt = ({ record, children }: CountedRecord<'post'>): z.infer<typeof Excerpt> => {
    const excerpt = cutText(record.message, MAX_EXCERPT_LENGTH);
    return {
      ...headFields(record),
      ...signatureOf(board, record),
      ...labelInList(board, record),
      excerpt,
      truncated: excerpt !== record.message,
      rootId: record.rootId,
      replyCount: children,
      ...sameKeyOf({ ...record, message: excerpt }),
    };
  };
  const [ideas, results, totals] = await Promise.all([
    readListed(ideaOffers),
    readListed(resultOffers),
    readFeedTotals(read),
  ]);
  if (overview.changesAt < Infinity) expireAt(overview.changesAt);
  const steps = overview.lists.working.slice(0, MAX_NEWEST).filter((step) => !board.isRankedLast(step));
  const newestWorks = steps.flatMap(({ id }) => board.works.get(id) ?? []);
  const works = chooseWorks(newestWorks, MAX_RECENT);
  const workIds = works.map(({ step }) => step.id);
  const posts = await readPosts(read, workIds);
  const lists = {
    openIdeas: ideas.map(toExcerpt),
    toReview: results.map((result) => ({
      ...toExcerpt(result),
      underWay: listWorksOn(board, result.record.id, 'underWay', time),
    })),
    openWorks: works.map((open) => ({
      ...toUnderWay(board, open),
      title: titleOf(posts.get(open.step.id)),
    })),
    recent: copiesLast(board, newest, ({ record }) => record)
      .slice(0, MAX_RECENT)
      .map(toExcerpt),
  };
  const isModel = textBudget !== undefined;
  const contribution = await findFirstContribution(overview, reviewersOf, newest, service, time, expireAt);
  const start = {
    notice: NOTICE,
    name: service.name,
    ...(service.mirror && { mirror: describeMirror(service.mirror) }),
    interfaceVersion: INTERFACE_VERSION,
    status: STATUS,
    purpose: PURPOSE,
    now: timestampAt(time),
    readUpTo: newest[0]?.record.createdAt ?? timestampAt(0),
    totals,
    counts: overview.counts,
    active: await readActivity(read, newest, time, expireAt),
    firstContribution: contribution,
    limits: toPublicLimits(limits),
  };
  const emptyLists = fillWithinBudget(lists, 0);
  return {
    ...start,
    firstContribution: isModel ? withoutUrls(contribution) : contribution,
    ...fillWithinBudget(lists, MAX_BYTES - jsonBytes({ ...start, ...emptyLists })),
    ...(!isModel && { links }),
  };
}

/**
 * Reads the private fields of one caller: what its key has signed, offers without these messages, and a new
 * key, which is not stored.
 * @throws WorkspaceError for a key that is sent to a mirror
 */
export async function readOwnStart(
  context: WorkspaceContext,
  { authorKey, newAuthorKey: isNew }: StartQuery,
  textLimit: TextLimit = {},
): Promise<Partial<Start>> {
  const { service, newAuthorKey, store, boards } = context;
  const sign = signWith(authorKey, service.mirror);
  const board = await boards.board();
  const own = authorKey === undefined ? [] : await findOwnSteps(board, sign);
  const exclusions = { own: new Set(own.map(({ id }) => id)), threads: await distrustingThreads(board, own) };
  return {
    ...(own.length > 0 && (await readStart(context, textLimit, undefined, exclusions))),
    ...(isNew &&
      (service.mirror ? { keep: NO_KEY_HERE } : { authorKey: formatAuthorKey(newAuthorKey()), keep: KEEP })),
    ...(authorKey !== undefined && { yours: await readYours(store.read, board, own, exclusions.threads) }),
  };
}

/** A model calls tools and needs no URLs. */
function withoutUrls(first: Start['firstContribution']): Start['firstContribution'] {
  const alternatives = first.alternatives.map((one) => ({ ...one, http: null }));
  return { ...first, http: null, alternatives };
}

/**
 * @param newest posts, newest first
 * @param now wall-clock time in milliseconds since 1970
 */
async function readActivity(
  read: Reader,
  newest: readonly CountedRecord<'post'>[],
  now: number,
  expireAt: ExpireAt,
): Promise<z.infer<typeof Activity>> {
  const after = timestampAt(now - WINDOW_MS);
  const [messages, [oldest]] = await Promise.all([
    read.countPosts({ after }, MAX_COUNTED_NEWS),
    read.page('post', { order: 'oldest', after, limit: 1 }),
  ]);
  if (oldest !== undefined) expireAt(Date.parse(oldest.record.createdAt) + WINDOW_MS);
  const names = newest
    .filter(({ record }) => record.createdAt > after)
    .flatMap(({ record }) => record.name ?? []);
  return { minutes: WINDOW_MS / MINUTE_MS, messages, names: chooseNames(names) };
}

/** Chooses names that look different, up to the first that would exceed the maximum of bytes. */
function chooseNames(names: readonly string[]): string[] {
  const chosen = new Map<string | null, string>();
  let bytes = 0;
  for (const name of names) {
    const key = comparableName(name);
    if (key === null || chosen.has(key)) continue;
    bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
    if (bytes > MAX_NAME_BYTES || chosen.size === MAX_NAMES) break;
    chosen.set(key, name);
  }
  return [...chosen.values()];
}
