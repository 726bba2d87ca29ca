import { keepStepFacts, readAllStepFacts, type Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { PostHead } from '#store/port/pages.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type * as z from 'zod';
import { copiesLast, listStanding, type Board } from '#work/board.ts';
import { listedByDay } from '#work/listed.ts';
import { type Remarks, type Signature, copiesOf, labelInList, signatureOfStep } from '#work/say.ts';
import { postUrl } from '#workspace/service/service.ts';
import type { Caller, TextLimit } from '#workspace/service/caller.ts';
import { type Head, readHeads } from '#workspace/reading/heads.ts';
import type { FeedPage, Message, PostRequest, PublishedMessage } from './schemas/post.ts';
import type { FeedFilter, FeedQuery } from './schemas/feed-query.ts';
import type { News, NewsQuery } from './schemas/news.ts';
import type { Thread } from './schemas/thread.ts';
import {
  appliedFilters,
  lengthIn,
  readFeedPage,
  readFeedTotals,
  toPreview,
} from '#workspace/reading/feed-page.ts';
import {
  listPosts,
  placeMessages,
  readMessageViews,
  type Listed,
  type ListedPost,
  type Place,
  type Placeable,
} from '#workspace/reading/views.ts';
import {
  readKnownThread,
  viewSeenBy,
  type KnownQuery,
  type KnownThread,
} from '#workspace/reading/known-thread.ts';
import { readThreadState } from '#workspace/reading/thread-state.ts';
import { readThread, type ThreadRequest } from '#workspace/reading/thread.ts';
import { describeNews, leaveOutOwn, readNews, resolveAfter } from '#workspace/reading/news.ts';
import { findOwn } from '#workspace/reading/own-steps.ts';
import { chooseEntries, readEntries } from '#workspace/reading/confirmed-feed.ts';
import { readSteps } from '#workspace/reading/find-work.ts';
import { fitPage, readPage, type PageQuery } from '#workspace/reading/page.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { signWith } from '#workspace/service/mirror.ts';
import { dayAfter, floorToMicrosecond } from './text/time.ts';
import { readThreadNews } from '#workspace/reading/thread-news.ts';
import { readThreadList, type ThreadList } from '#workspace/reading/thread-list.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import type { Prefix } from './text/prefix.ts';
import type { Receipt } from '#workspace/publishing/publish.ts';
import { fitReview } from '#workspace/publishing/receipt.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import type { WorkspaceContext } from '#workspace/publishing/workspace-context.ts';

interface DayQuery {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** RFC 3339 date-time, exclusive. */
  readonly after?: string | undefined;
  readonly limit: number;
}

type ThreadOutput = z.infer<typeof Thread>;

type ReadThread = Omit<ThreadOutput, 'post' | 'replies' | 'state'> & {
  readonly post: NonNullable<ThreadOutput['post']>;
  readonly replies: NonNullable<ThreadOutput['replies']>;
};

/** A thread whose post has its whole text. */
type FullThread = Omit<ReadThread, 'post'> & {
  readonly post: Extract<ReadThread['post'], z.infer<typeof Message>>;
};

type Referrer = FullThread['post']['referredToBy'][number];

/** A message of a thread, with what its head says. */
export type MessageInThread = Extract<ReadThread['replies'][number], z.infer<typeof Message>> &
  Signature & { readonly remarks: Remarks };

/** A page of a thread whose messages have their whole texts. */
export type ThreadPage = Omit<ReadThread, 'post' | 'replies'> & {
  readonly post: MessageInThread & { readonly referredToBy: Referrer[] };
  readonly replies: readonly MessageInThread[];
};

/** Later copies in an answer to a wait. */
const MAX_COPIES = 20;
/** Posts of a caller that its news by thread leave out, the oldest first. */
const MAX_OWN = 1000;

/** The posts of an RSS, Atom or JSON feed. */
const MAX_NEWEST = 50;

/**
 * Code points of the texts of a feed. It ends with the post that reaches this sum, so that its longest form,
 * RSS with escaped HTML, fits the result cache whatever the texts contain. 50 posts of ordinary length stay
 * below it.
 */
const FEED_TEXTS = 150_000;
const FEED_LIMIT: TextLimit = { textBudget: FEED_TEXTS };

/** The public conversation: posts, and replies to them in threads. */
export class Feed {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** One page of the visible posts and replies that match, newest first, with the totals of the feed. */
  async read(query: FeedQuery, textLimit: TextLimit): Promise<z.infer<typeof FeedPage>> {
    const { read } = this.#context.store;
    const [{ items, next }, totals] = await Promise.all([
      readFeedPage(read, query, textLimit),
      readFeedTotals(read),
    ]);
    return {
      notice: NOTICE,
      nextBefore: next,
      applied: appliedFilters(query),
      totals,
      messages: await this.#toShown(items, query.view),
    };
  }

  /** The same page as a list shows it. */
  async list(
    query: FeedQuery,
    textLimit: TextLimit,
  ): Promise<Listed<ListedPost> & Pick<z.infer<typeof FeedPage>, 'nextBefore' | 'totals'>> {
    const { read } = this.#context.store;
    const [{ items, next }, totals] = await Promise.all([
      readFeedPage(read, query, textLimit),
      readFeedTotals(read),
    ]);
    return {
      ...(await this.#toListed(items)),
      nextBefore: next,
      totals,
    };
  }

  /** The newest visible posts and replies that match, newest first: at most 50, fewer if they are long. */
  async newest({ standing, ...filter }: FeedFilter): Promise<readonly ListedPost[]> {
    if (standing !== undefined) {
      const work = await this.#context.work.at(this.#context.now());
      const { q, name, prefix = 'RESULT', threads } = filter;
      const steps: Step[] = [];
      const listed = listStanding(work, standing);
      await visitInSlices(prefix === 'RESULT' ? listed : [], (step) => {
        if ((name ?? step.name) === step.name && !(threads && step.parentId !== null)) steps.push(step);
      });
      return this.#listSteps(steps, q);
    }
    const query = { ...filter, view: 'full', limit: MAX_NEWEST } as const;
    const { items } = await readFeedPage(this.#context.store.read, query, FEED_LIMIT);
    return (await this.#toListed(items)).messages;
  }

  /** The RESULTs that were listed last, one a thread a day. */
  async findings(limit: number): Promise<readonly ListedPost[]> {
    const work = await this.#context.work.at(this.#context.now());
    const listed = listedByDay(work.lists.confirmed, work.board).map(({ step }) => step);
    return this.#listSteps(copiesLast(work.board, listed, (step) => step).slice(0, limit));
  }

  /** What feeds have of confirmed RESULTs, as `chooseEntries`, with what they say of each. */
  async confirmed(filter: Partial<FeedFilter> = {}) {
    const { store, work, now } = this.#context;
    const at = await work.at(now());
    const entries = await chooseEntries(store.read, at, now(), { ...filter, limit: MAX_NEWEST });
    const messages = await this.#listSteps(entries.map(({ step }) => step));
    const said = await readEntries(store.read, at, entries);
    return messages.map((one) => ({ ...one, entry: said.get(one.id) }));
  }

  async #listSteps(steps: readonly Step[], q?: string): Promise<readonly ListedPost[]> {
    const { items } = await readSteps(this.#context.store.read, steps, q, MAX_NEWEST);
    const page = { limit: MAX_NEWEST, textBudget: FEED_TEXTS, measure: lengthIn('full') };
    return (await this.#toListed(fitPage(items, page))).messages;
  }

  /** The newest visible posts of the thread that a post belongs to. @throws WorkspaceError not_found */
  async newestOfThread(postId: string): Promise<{
    /** Id of the first post, or of the requested post if the first is not visible. */
    readonly id: string;
    readonly messages: readonly ListedPost[];
  }> {
    const { read } = this.#context.store;
    const asked = await read.find('post', postId);
    if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
    const { rootId } = asked.record;
    const range = { thread: rootId, order: 'newest', limit: MAX_NEWEST } as const;
    const { items } = await readPage(read, 'post', range, FEED_LIMIT, lengthIn('full'));
    const first = rootId === postId ? asked : await read.find('post', rootId);
    return { id: first?.record.id ?? postId, messages: (await this.#toListed(items)).messages };
  }

  async moderatedAt(): Promise<string | null> {
    return (await this.#context.store.read.moderations(1))[0]?.at ?? null;
  }

  firstPosts(limit: number): Promise<Pick<Post, 'id' | 'createdAt'>[]> {
    return this.#context.store.read.firstPosts(limit);
  }

  /** As `readThreadList`. */
  threads(query: PageQuery): Promise<ThreadList> {
    return readThreadList(this.#context, query);
  }

  /** As `readKnownThread`. */
  async known(query: KnownQuery): Promise<KnownThread> {
    const board = await this.#context.work.board();
    return readKnownThread(this.#context.store.read, board, query, this.#context.now());
  }

  /** As `placeMessages`. */
  place<Item extends Placeable>(items: readonly Item[]): Promise<Listed<Item & Place>> {
    return placeMessages(this.#context, items);
  }

  /** The numbers of posts in their threads, as `Related.numbers`. */
  async numbers(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return (await this.#context.store.read.related({ numbers: ids })).numbers;
  }

  /** What references to posts show, by their ids, without posts that are not visible. */
  heads(ids: Iterable<string>): Promise<ReadonlyMap<string, Head>> {
    return readHeads(this.#context.store.read, ids);
  }

  /** One page of the posts of a day, oldest first. */
  async day(
    { day, after, limit }: DayQuery,
    textLimit: TextLimit,
  ): Promise<Listed<ListedPost> & { readonly nextAfter: string | null }> {
    const cursor = after === undefined ? null : floorToMicrosecond(after);
    const from = cursor !== null && cursor > day ? cursor : day;
    const range = { order: 'oldest', after: from, before: dayAfter(day), limit } as const;
    const { items, next } = await readPage(this.#context.store.read, 'post', range, textLimit);
    return {
      ...(await this.#toListed(items)),
      nextAfter: next,
    };
  }

  /**
   * A post with one page of its direct replies, newest first, or of its whole thread, oldest first.
   * @throws WorkspaceError not_found
   */
  thread(query: ThreadRequest & { readonly view?: 'full' }, textLimit?: TextLimit): Promise<FullThread>;
  thread(query: ThreadRequest, textLimit?: TextLimit): Promise<ReadThread>;
  async thread(query: ThreadRequest, textLimit: TextLimit = {}): Promise<ReadThread> {
    const { post, replies, referredToBy, viewOf, ...page } = await this.#readThread(query, textLimit);
    const describe = (item: RecordView<'post'>) => viewOf(item).fields;
    if (query.view === 'preview') {
      const show = (item: RecordView<'post'>) => toPreview(item, describe(item));
      return { ...page, post: show(post), replies: replies.map(show) };
    }
    const show = (item: RecordView<'post'>) => this.#toMessage(item, describe(item));
    return { ...page, post: { ...show(post), referredToBy }, replies: replies.map(show) };
  }

  /** One page of a whole thread, with what the heads of its messages say. @throws WorkspaceError not_found */
  async threadPage(query: ThreadRequest, textLimit: TextLimit): Promise<ThreadPage> {
    const { post, replies, referredToBy, viewOf, ...page } = await this.#readThread(query, textLimit);
    await readAllStepFacts([post, ...replies].map(({ record }) => record));
    const show = (item: RecordView<'post'>): MessageInThread => {
      const view = viewOf(item);
      return Object.assign(this.#toMessage(item, view.fields), { remarks: view.remarks });
    };
    return { ...page, post: { ...show(post), referredToBy }, replies: replies.map(show) };
  }

  async #readThread(query: ThreadRequest, textLimit: TextLimit) {
    const { read } = this.#context.store;
    const { post, referredToBy, replies, nextBefore, nextAfter, readUpTo, count } = await readThread(
      read,
      query,
      textLimit,
    );
    const board = await this.#context.work.board();
    const steps = new Map(board.thread(post.record.rootId)?.messages.map(({ step }) => [step.id, step]));
    for (const { record } of [post, ...replies]) {
      const step = steps.get(record.id);
      // To read the texts of a whole page again takes half of its time.
      if (step !== undefined) keepStepFacts(record, step);
    }
    const view = viewSeenBy(board, post.record.rootId, query.viewer);
    const viewOf = await readMessageViews(this.#context, [post, ...replies], view);
    return {
      notice: NOTICE,
      nextBefore,
      nextAfter,
      readUpTo,
      threadCount: count,
      parentId: post.record.parentId,
      post,
      replies,
      referredToBy: referredToBy.map((head) => toReferrer(board, head)),
      viewOf,
    };
  }

  /** As `readThreadState`. */
  async stateOf(
    query: Pick<ThreadRequest, 'postId' | 'viewer'>,
    expireAt: (time: number) => void = () => undefined,
  ): Promise<ThreadOutput> {
    const board = await this.#context.work.board();
    return readThreadState(this.#context.store.read, board, query, this.#context.now(), expireAt);
  }

  /** The messages after a cursor that match, oldest first, or their threads. It does not wait. */
  async news(query: NewsQuery, textLimit: TextLimit): Promise<z.infer<typeof News>> {
    const { store, work } = this.#context;
    const copies = await this.#copiesOf(query.posts ?? []);
    if (query.view === 'threads') {
      const excepted = { ...query, except: await this.#findExcepted(query) };
      return { ...(await readThreadNews(store.read, await work.board(), excepted)), ...copies };
    }
    const look = (later: NewsQuery): Promise<z.infer<typeof News>> => this.#readNews(later, textLimit);
    return { ...(await leaveOutOwn(query, await look(query), look, this.#context)), ...copies };
  }

  /** @returns threads that are nearly copies of the threads of some posts; nothing without any */
  async #copiesOf(posts: readonly string[]): Promise<Pick<z.infer<typeof News>, 'copies'>> {
    if (posts.length === 0) return {};
    const board = await this.#context.work.board();
    const heads = await this.heads(posts.filter((id) => board.authorOfStep(id) === undefined));
    const rootIds = new Set(posts.map((id) => board.authorOfStep(id)?.rootId ?? heads.get(id)?.rootId ?? id));
    const copies = [...rootIds].flatMap((id) => copiesOf(board, id));
    return copies.length === 0 ? {} : { copies: copies.slice(0, MAX_COPIES) };
  }

  /** @returns the ids of `except`, and what the key of the caller has signed after the cursor */
  async #findExcepted({ except = [], authorKey, ...query }: NewsQuery): Promise<string[]> {
    if (authorKey === undefined) return except;
    const { service, store, work } = this.#context;
    const after = await resolveAfter(store.read, query);
    const own = await findOwn(await work.board(), signWith(authorKey, service.mirror), after);
    return [...except, ...own.slice(-MAX_OWN).map(({ id }) => id)];
  }

  async #readNews(query: NewsQuery, textLimit: TextLimit): Promise<z.infer<typeof News>> {
    const { items, ...state } = await readNews(this.#context.store.read, query, textLimit);
    return {
      ...describeNews(query, state),
      messages: await this.#toShown(items, query.view),
    };
  }

  /** Publishes a post or a reply. @throws WorkspaceError as `publishPost` */
  async post(input: PostRequest, caller: Caller): Promise<Receipt<typeof PublishedMessage>> {
    const { stored, fields } = await publishPost(this.#context, input, caller);
    const receipt = this.#toMessage(stored, fields);
    if (stored.record.prefix !== 'REVIEW') return receipt;
    const { message: _, ...shown } = receipt;
    return Object.assign(shown, fitReview(shown));
  }

  #toListed(posts: readonly RecordView<'post'>[]): Promise<Listed<ListedPost>> {
    return listPosts(this.#context, posts, (post, { fields }) => this.#toMessage(post, fields));
  }

  async #toShown(posts: readonly RecordView<'post'>[], view: string) {
    const viewOf = await readMessageViews(this.#context, posts);
    const board = await this.#context.work.board();
    return posts.map((post) => {
      const fields = Object.assign(viewOf(post).fields, labelInList(board, post.record));
      return view === 'preview' ? toPreview(post, fields) : this.#toMessage(post, fields);
    });
  }

  /** A message with what else is said of it. To spread both into another object takes V8 ten times as long. */
  #toMessage<Said extends object>({ record, children }: RecordView<'post'>, said: Said) {
    const message: Omit<z.infer<typeof Message>, 'refersTo'> = {
      id: record.id,
      name: record.name ?? null,
      message: record.message,
      prefix: record.prefix as Prefix | null,
      parentId: record.parentId,
      rootId: record.rootId,
      createdAt: record.createdAt,
      replyCount: children,
      url: postUrl(this.#context.service, record.id),
    };
    return Object.assign(message, said);
  }
}

function toReferrer(board: Board, { id, prefix, name, createdAt }: PostHead): Referrer {
  return { id, prefix: prefix as Prefix | null, name, ...signatureOfStep(board, id), createdAt };
}
