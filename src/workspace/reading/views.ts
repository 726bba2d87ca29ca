import { visitInSlices } from '#runtime/slice.ts';
import { parseAllStepFacts } from '#message/step.ts';
import type { Related, RelatedQuery } from '#store/port/pages.ts';
import type { Post, CountedRecord } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import {
  namedIn,
  namedInThread,
  numberedIn,
  viewOf,
  type NamedPosts,
  type MessageView,
  type Remarks,
} from '#work/message-view.ts';
import { labelInList, likenessesOf, type ShownStanding, type Signature } from '#work/standing-view.ts';
import type { Board } from '#work/board.ts';
import type { Viewpoint } from '#work/model.ts';
import type { Message, MessagePreview } from '#workspace/schemas/post.ts';
import type { Service } from '#workspace/service/service.ts';
import { titleOf, toMessage, toPreview } from './message.ts';
import type { BoardReader } from './board-reader.ts';

/** What functions that read the feed need. docs/architecture.md follows a read through the layers. */
export interface ReadContext {
  readonly store: { readonly read: Reader };
  readonly boards: BoardReader;
  readonly service: Service;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Reads what readers see of posts besides their records. @throws StoreFailure */
export async function readMessageViews(
  { store: { read }, boards }: Pick<ReadContext, 'store' | 'boards'>,
  posts: readonly CountedRecord<'post'>[],
  viewpoint?: Viewpoint,
): Promise<(post: CountedRecord<'post'>) => MessageView> {
  const named = await findNamed(posts);
  const isEmpty = named.known.length + named.heads.length === 0;
  const none: NamedPosts = { known: new Set(), heads: new Map() };
  const [known, board] = await Promise.all([isEmpty ? none : read.related(named), boards.board()]);
  return ({ record }) => viewOf(board, record, known, viewpoint);
}

/** @returns the ids of `namedIn` of all posts */
export async function findNamed(
  posts: readonly Pick<CountedRecord<'post'>, 'record'>[],
): Promise<Record<keyof NamedPosts, string[]>> {
  const named: ReturnType<typeof namedIn>[] = [];
  await visitInSlices(posts, ({ record }) => named.push(namedIn(record)));
  return { known: named.flatMap((one) => one.known), heads: named.flatMap((one) => one.heads) };
}

/** What a list shows about a message and its thread. */
export interface ThreadFields {
  readonly title: string;
  /** The title of a reply's thread; undefined if the first post of the thread is not visible. */
  readonly threadTitle: string | undefined;
  /** The number of visible messages in its thread, including itself. */
  readonly threadSize: number;
  /** The numbers of the messages of its thread that its text names, by id. */
  readonly named: Readonly<Record<string, number>>;
}

/** The numbers and heads of the messages that a list mentions. */
export type Mentions = Pick<Related, 'numbers' | 'heads'>;

export interface Listed<Item> {
  readonly messages: readonly Item[];
  readonly names: Mentions;
}

export type ListedPost = z.infer<typeof Message> & ThreadFields & { readonly remarks: Remarks };

/** Reads posts as a tool returns them. @throws StoreFailure */
export async function showPosts(
  context: ReadContext,
  posts: readonly CountedRecord<'post'>[],
  view: string,
): Promise<(z.infer<typeof Message> | z.infer<typeof MessagePreview>)[]> {
  const [viewOfPost, board] = await Promise.all([readMessageViews(context, posts), context.boards.board()]);
  return posts.map((post) => {
    const fields = Object.assign(viewOfPost(post).fields, labelInList(board, post.record));
    return view === 'preview' ? toPreview(post, fields) : toMessage(context.service, post, fields);
  });
}

/**
 * Reads posts for a list, with their places in threads. It queries the store once.
 * @throws StoreFailure
 */
export async function listPosts(
  { store: { read }, boards, service }: ReadContext,
  posts: readonly CountedRecord<'post'>[],
): Promise<Listed<ListedPost>> {
  const records = posts.map(({ record }) => record);
  await parseAllStepFacts(records);
  const [board, refers] = await Promise.all([boards.board(), findNamed(posts)]);
  const labels = records.flatMap((record) => likenessesOf(labelInList(board, record)));
  const numbered = [...records.flatMap((record) => numberedIn(board, record)), ...labels];
  const here = new Map(records.map((record) => [record.id, record]));
  const { related, placeOf } = await readPlaces(read, board, records, { numbered, here, ...refers });
  const messages = posts.map((post) => {
    const { fields, remarks } = viewOf(board, post.record, related);
    const labels = { ...labelInList(board, post.record), remarks };
    return Object.assign(toMessage(service, post, fields), placeOf(post.record), labels);
  });
  return { messages, names: related };
}

export type Placeable = Pick<Post, 'id' | 'rootId'> &
  Signature &
  ShownStanding & { readonly excerpt: string };

/**
 * Reads the places in threads of messages that a list shows as excerpts.
 * @throws StoreFailure
 */
export async function placeMessages<Item extends Placeable>(
  {
    store: { read },
    boards,
  }: Pick<ReadContext, 'boards'> & { readonly store: { readonly read: Pick<Reader, 'related'> } },
  items: readonly Item[],
): Promise<Listed<Item & ThreadFields>> {
  const texts = items.map(({ id, rootId, excerpt }) => ({ id, rootId, message: excerpt }));
  const numbered = items.flatMap(likenessesOf);
  const { related, placeOf } = await readPlaces(read, await boards.board(), texts, { numbered });
  return { messages: items.map((item) => ({ ...item, ...placeOf(item) })), names: related };
}

interface PlacesQuery extends Pick<RelatedQuery, 'heads' | 'known'> {
  /** The ids of messages that the heads of the listed messages mention. */
  readonly numbered: readonly string[];
  /** Posts that need not be read, by id. */
  readonly here?: ReadonlyMap<string, Post>;
}

/** @returns what the store has found, and a function that returns the place of a message */
async function readPlaces(
  read: Pick<Reader, 'related'>,
  board: Board,
  messages: readonly Pick<Post, 'id' | 'rootId' | 'message'>[],
  { numbered, here = new Map(), heads = [], known = [] }: PlacesQuery,
) {
  const named = new Map(messages.map((message) => [message.id, namedInThread(board, message)]));
  const numbers = [...numbered, ...[...named.values()].flat()];
  const sizes = messages.map(({ rootId }) => rootId);
  const posts = [...messages.map(({ id }) => id), ...sizes].filter((id) => !here.has(id));
  const related = await read.related({ posts, heads: [...heads, ...numbers], known, numbers, sizes });
  const postOf = (id: string): Post | undefined => here.get(id) ?? related.posts.get(id)?.record;
  const placeOf = ({ id, rootId }: Pick<Post, 'id' | 'rootId'>): ThreadFields => {
    const first = postOf(rootId);
    const isInThread = (target: string): boolean =>
      target === rootId || (board.authorOfStep(target) ?? related.heads.get(target))?.rootId === rootId;
    return {
      title: titleOf(postOf(id)),
      threadTitle: id === rootId ? undefined : first && titleOf(first),
      // The store may have hidden the whole thread since the message was read.
      threadSize: Math.max(related.sizes.get(rootId) ?? 0, 1),
      named: toNamed((named.get(id) ?? []).filter(isInThread), related.numbers),
    };
  };
  return { related, placeOf };
}

/** @returns the numbers of these posts by id, without posts that have none */
export const toNamed = (
  ids: readonly string[],
  numbers: Related['numbers'],
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const number = numbers.get(id);
      return number === undefined ? [] : [[id, number]];
    }),
  );
