import type { PostHead, Range } from '#store/port/pages.ts';
import type { RecordView, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { TextLimit } from '#workspace/service/caller.ts';
import { lengthIn } from './message.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { jsonBytes, newest, readPage, type Page, type PageQuery } from './page.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import type { Thread, ThreadState } from '#workspace/schemas/thread.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';
import { readThreadState } from './thread-state.ts';
import type { ReadContext } from './views.ts';

const MAX_REFERRERS = 20;

/** JSON bytes of the result with `view: state`. */
const MAX_STATE_BYTES = 6000;

/** Validated arguments of `read_thread`. */
export interface ThreadRequest extends PageQuery {
  readonly postId: string;
  /** Whether to read the whole thread, oldest first, instead of the direct replies, newest first. */
  readonly whole?: boolean;
  /** RFC 3339 date-time, exclusive; for a whole thread only. */
  readonly after?: string | undefined;
  readonly view?: 'full' | 'preview';
  /** Of a page for people: as in `readThreadState`. */
  readonly viewer?: string | undefined;
}

interface ThreadPage {
  readonly post: RecordView<'post'>;
  readonly referredToBy: readonly PostHead[];
  readonly replies: readonly RecordView<'post'>[];
  readonly nextBefore: Timestamp | null;
  readonly nextAfter: Timestamp | null;
  /** The timestamp of the newest post of this page. At least `after`, and before all posts of later pages. */
  readonly readUpTo: Timestamp;
  /** The number of visible posts of the whole thread. */
  readonly count: number;
}

/**
 * Reads a post with its direct replies, or its whole thread. In a whole thread, `post` is the first post, or
 * the requested one if the first is not visible, and `replies` are all others.
 * @throws WorkspaceError not_found
 */
export async function readThread(
  read: Reader,
  query: ThreadRequest,
  textLimit: TextLimit,
): Promise<ThreadPage> {
  const { postId, whole = false } = query;
  const asked = await read.find('post', postId);
  if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = asked.record;
  const first = whole && rootId !== postId ? await read.find('post', rootId) : asked;
  const post = first ?? asked;
  // Read before the replies, so that `readUpTo` covers no post that the replies lack.
  const referredToBy = await read.referrersOf(post.record.id, MAX_REFERRERS);
  const { items, next } = whole
    ? await readOthers(read, post.record, query, textLimit)
    : await readPage(read, 'post', { ...newest(query), within: postId }, textLimit, lengthIn(query.view));
  const isPart = whole && next !== null;
  const shown = [post, ...items].map(({ record }) => record);
  return {
    post,
    referredToBy,
    replies: items,
    nextBefore: whole ? null : next,
    nextAfter: whole ? next : null,
    readUpTo: [...shown, ...(isPart ? [] : referredToBy)].reduce(
      (last, { createdAt }) => (createdAt > last ? createdAt : last),
      lowerBound(query.after) ?? '',
    ),
    count: (await read.related({ sizes: [rootId] })).sizes.get(rootId) ?? 0,
  };
}

/**
 * Reads one page of a thread without one of its posts, oldest first. A cursor between two microseconds is
 * rounded down.
 */
function readOthers(
  read: Reader,
  { id, rootId }: { id: string; rootId: string },
  { limit, after, view }: ThreadRequest,
  textLimit: TextLimit,
): Promise<Page<'post'>> {
  const others: Pick<Reader, 'page'> = {
    page: async (kind, range) => {
      const page = await read.page(kind, { ...range, limit: range.limit + 1 });
      return page.filter(({ record }) => record.id !== id);
    },
  };
  const range: Range = { thread: rootId, order: 'oldest', after: lowerBound(after), limit };
  return readPage(others, 'post', range, textLimit, lengthIn(view));
}

function lowerBound(after: string | undefined): Timestamp | undefined {
  return after === undefined ? undefined : (floorToMicrosecond(after) ?? undefined);
}

/**
 * Reads the state of the work in the thread of a post.
 * @param query `viewer`: as in `readThreadState`
 * @param expireAt as in `Workspace.start`
 * @param maxBytes JSON bytes of the result
 * @throws WorkspaceError not_found, invalid_request (on `viewer`)
 */
export async function readStateOf(
  context: ReadContext,
  { postId, viewer }: { readonly postId: string; readonly viewer?: string | undefined },
  expireAt: (time: number) => void = () => undefined,
  maxBytes = MAX_STATE_BYTES,
): Promise<z.infer<typeof Thread>> {
  const { read } = context.store;
  const now = context.now();
  const { board, changesAt } = await context.work.at(now);
  if (changesAt !== null) expireAt(changesAt);
  const asked = await read.find('post', postId);
  if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = asked.record;
  const [first = asked, [last = asked], { sizes }] = await Promise.all([
    rootId === postId ? asked : read.find('post', rootId),
    read.page('post', { thread: rootId, order: 'newest', limit: 1 }),
    read.related({ sizes: [rootId] }),
  ]);
  const page = {
    notice: NOTICE,
    nextBefore: null,
    nextAfter: null,
    readUpTo: last.record.createdAt,
    threadCount: sizes.get(rootId) ?? 0,
    parentId: first.record.parentId,
  };
  const state = await readThreadState(read, board, first, last, now, viewer);
  return { ...page, state: fitState(state, maxBytes - jsonBytes(page)) };
}

type State = z.infer<typeof ThreadState>;
type ResultInBrief = NonNullable<State['results']['confirmed']>[number];

/**
 * Takes items from the lists in turn while they fit, then the evidence of REVIEWs, then what is replaced or
 * withdrawn. A list ends before the first item that does not fit.
 */
function fitState(state: State, maxBytes: number): State {
  const results = Object.fromEntries(
    Object.keys(state.results).map((standing): [string, ResultInBrief[]] => [standing, []]),
  );
  const fitted = { ...state, results, underWay: [], parts: [] };
  let left = maxBytes - jsonBytes({ state: fitted });
  const spend = (bytes: number): boolean => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  const fill = (lists: readonly (readonly [from: readonly unknown[], to: unknown[]])[]): void => {
    let unfinished = lists;
    for (let row = 0; unfinished.length > 0; row++)
      unfinished = unfinished.filter(([from, to]) => {
        const item = from[row];
        if (item === undefined || !spend(jsonBytes(item) + 1)) return false;
        to.push(item);
        return true;
      });
  };
  const { replaced = [], withdrawn = [], ...standing } = state.results;
  fill([
    ...Object.entries(standing).map(
      ([name, list]) => [list.map(withoutEvidence), results[name] ?? []] as const,
    ),
    [state.underWay, fitted.underWay],
    [state.parts, fitted.parts],
  ]);
  for (const [name, list] of Object.entries(standing))
    for (const [row, shown] of (results[name] ?? []).entries())
      for (const [index, review] of (shown.checked ?? []).entries()) {
        const did = list[row]?.checked?.[index]?.did;
        if (did !== undefined && spend(jsonBytes({ did }))) review.did = did;
      }
  fill([
    [replaced, results['replaced'] ?? []],
    [withdrawn, results['withdrawn'] ?? []],
  ]);
  return fitted;
}

/** @returns a RESULT without what its REVIEWs say that they checked */
const withoutEvidence = ({ checked, ...result }: ResultInBrief): ResultInBrief =>
  checked === undefined
    ? result
    : { ...result, checked: checked.map((review) => ({ ...review, did: undefined })) };
