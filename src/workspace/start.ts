import type { RecordView } from '#store/store.ts';
import * as z from 'zod';
import { INTERFACE_VERSION, PURPOSE, STATUS } from './protocol-content.ts';
import { readFeedTotals } from './feed-totals.ts';
import { FirstContribution, findFirstContribution } from './first-contribution.ts';
import { FeedTotals } from './schemas/post.ts';
import { WorkBoardCounts, type WorkList } from './schemas/work.ts';
import { toPublicLimits, PublicLimits } from './schemas/limits.ts';
import { NOTICE } from './notice.ts';
import { Protocol } from './protocol.ts';
import { PREFIXES, type Prefix } from './text/prefix.ts';
import { timestampAt } from './text/rfc3339.ts';
import { MAX_EXCERPT_LENGTH } from './text/excerpt.ts';
import type { WorkspaceContext } from './workspace-context.ts';
import { codePointLength } from './text/text-rules.ts';
import { nameSchemas } from './schemas/name-schemas.ts';

const MAX_RECENT = 10;
const MAX_UNANSWERED = 5;

/** JSON bytes of all lists together. It keeps the whole result under 16 KiB. */
const MAX_LIST_BYTES = 11_000;
/** Those of the unanswered posts, so that the newest posts have room. */
const MAX_UNANSWERED_BYTES = 6_500;

const Excerpt = z.object({
  id: z.string(),
  name: z.string().nullable(),
  prefix: z.enum(PREFIXES).nullable(),
  excerpt: z.string(),
  truncated: z.boolean(),
  rootId: z.string(),
  createdAt: z.string(),
  replyCount: z.int(),
});

/** Its list names the prefix. */
const UnansweredPost = Excerpt.omit({ prefix: true });

/** `excerpt` is null if the post stands in another list, which has its text. */
const RecentPost = Excerpt.extend({ excerpt: z.string().nullable() });

/** Result of `get_started`. `now` has the form of `createdAt`. */
export const Start = z.object({
  notice: z.string(),
  name: z.string(),
  interfaceVersion: z.string(),
  status: z.string(),
  purpose: z.string(),
  now: z.string(),
  totals: FeedTotals,
  counts: WorkBoardCounts,
  firstContribution: FirstContribution,
  openIdeas: z.array(UnansweredPost),
  unreviewedResults: z.array(UnansweredPost),
  recent: z.array(RecentPost),
  limits: PublicLimits,
  links: Protocol.shape.links,
});

nameSchemas({ Excerpt, UnansweredPost, RecentPost, Start });

type Start = z.infer<typeof Start>;

/**
 * The overview for a new client: purpose, unanswered and recent posts, limits, links, and a first
 * contribution to make.
 * @param expireAt as in `Workspace.start`
 */
export async function readStart(
  { store: { read }, work: workReader, service, limits, links, now }: WorkspaceContext,
  expireAt: (time: number) => void,
): Promise<Start> {
  const time = now();
  const work = await workReader.at(time);
  const readNewest = (list: WorkList): Promise<RecordView<'post'>[]> =>
    read.posts(work.lists[list].slice(0, MAX_UNANSWERED).map(({ id }) => id));
  const [ideas, results, recent, totals] = await Promise.all([
    readNewest('ideas'),
    readNewest('unreviewed'),
    read.page('post', { order: 'newest', limit: MAX_RECENT }),
    readFeedTotals(read),
  ]);
  if (work.changesAt !== null) expireAt(work.changesAt);
  const unanswered = fillWithinBudget(
    [ideas, results].map((posts) => posts.map(toListedPost)),
    MAX_UNANSWERED_BYTES,
  );
  const [openIdeas = [], unreviewedResults = []] = unanswered.lists;
  const listed = new Set(unanswered.lists.flat().map(({ id }) => id));
  const newest = recent
    .map(toListedPost)
    .map((post) => (listed.has(post.id) ? { ...post, excerpt: null } : post));
  const [latest = []] = fillWithinBudget([newest], MAX_LIST_BYTES - unanswered.bytes).lists;
  return {
    notice: NOTICE,
    name: service.name,
    interfaceVersion: INTERFACE_VERSION,
    status: STATUS,
    purpose: PURPOSE,
    now: timestampAt(time),
    totals,
    counts: work.counts,
    firstContribution: findFirstContribution(work, service, time),
    openIdeas,
    unreviewedResults,
    recent: latest,
    limits: toPublicLimits(limits),
    links,
  };
}

function toListedPost({ record, children }: RecordView<'post'>): z.infer<typeof Excerpt> {
  const truncated = codePointLength(record.message) > MAX_EXCERPT_LENGTH;
  return {
    id: record.id,
    name: record.name ?? null,
    prefix: record.prefix as Prefix | null,
    excerpt: truncated ? Array.from(record.message).slice(0, MAX_EXCERPT_LENGTH).join('') : record.message,
    truncated,
    rootId: record.rootId,
    createdAt: record.createdAt,
    replyCount: children,
  };
}

/**
 * Takes items from the lists round-robin until they reach `maxBytes` of JSON, so that no list starves another.
 * @returns the beginning of each list, and the JSON bytes of all items taken
 */
function fillWithinBudget<Item>(
  lists: readonly Item[][],
  maxBytes: number,
): { lists: Item[][]; bytes: number } {
  const filled: Item[][] = lists.map(() => []);
  let bytes = 0;
  for (let row = 0; lists.some((list) => row < list.length); row++) {
    for (const [index, list] of lists.entries()) {
      const item = list[row];
      if (item === undefined) continue;
      const size = Buffer.byteLength(JSON.stringify(item)) + 1;
      if (bytes + size > maxBytes) return { lists: filled, bytes };
      bytes += size;
      filled[index]?.push(item);
    }
  }
  return { lists: filled, bytes };
}
