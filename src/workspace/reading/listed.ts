import { judgedPost, readAllStepFacts, readStepFacts } from '#message/step.ts';
import type { Related } from '#store/port/pages.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import {
  type Remarks,
  type SaidOfResult,
  type Signature,
  readStanding,
  remarksOf,
  signatureOf,
} from '#work/say.ts';
import type { Message } from '#workspace/schemas/post.ts';
import { findNamed, toReferences } from './describe.ts';
import { type Head, readChecked, toHeads } from './heads.ts';
import type { WorkReader } from './work-reader.ts';

/** What a list shows of the thread of a message. */
export interface Place {
  readonly title: string;
  /** The title of a reply's thread; undefined if the first post of the thread is not visible. */
  readonly threadTitle: string | undefined;
  /** Visible messages of its thread, the message included. */
  readonly threadSize: number;
}

/** What a list calls the messages that its own messages name. */
export type Names = Pick<Related, 'numbers' | 'heads'>;

export interface Listed<Item> {
  readonly messages: readonly Item[];
  readonly names: Names;
}

export type ListedPost = z.infer<typeof Message> & Place & { readonly remarks: Remarks };

interface ListContext {
  readonly store: { readonly read: Reader };
  readonly work: WorkReader;
}

/**
 * Reads what a list shows of posts: all that `describePosts` reads, their places, and what their heads say. It
 * asks the store once, and once more if a REVIEW began the thread of one.
 * @throws StoreFailure
 */
export async function listPosts(
  { store: { read }, work: workReader }: ListContext,
  posts: readonly RecordView<'post'>[],
  toMessage: (post: RecordView<'post'>) => Omit<z.infer<typeof Message>, 'refersTo'>,
): Promise<Listed<ListedPost>> {
  const records = posts.map(({ record }) => record);
  await readAllStepFacts(records);
  const [board, named, checked] = await Promise.all([
    workReader.board(),
    findNamed(posts),
    readChecked(posts),
  ]);
  const said = records.map((record) => ({
    ...signatureOf(board, record),
    ...readStanding(board, record.id),
  }));
  const claimed = records.flatMap((record) => claimedBy(board, record));
  const numbered = [...said.flatMap(likenessesOf), ...claimed];
  const here = new Map(posts.map((post) => [post.record.id, post]));
  const rootIds = records.map(({ rootId }) => rootId);
  const elsewhere = [...rootIds, ...checked].filter((id) => !here.has(id));
  const related = await read.related({
    posts: elsewhere,
    heads: [...named.heads, ...numbered],
    known: named.known,
    numbers: numbered,
    sizes: rootIds,
  });
  const known = new Map([...here, ...elsewhere.map((id) => [id, related.posts.get(id)] as const)]);
  const titled = new Set([...posts, ...rootIds.flatMap((id) => known.get(id) ?? [])]);
  const placeOf = createPlaces(await toHeads(read, [...titled], known), related);
  const referencesOf = toReferences(related);
  return {
    messages: posts.map((post, index) => {
      const { record } = post;
      const message = {
        ...toMessage(post),
        ...referencesOf(record),
        ...said[index],
      };
      return {
        ...message,
        ...placeOf(record),
        remarks: remarksOf(board, message, readStepFacts(record)),
      };
    }),
    names: related,
  };
}

export type Placeable = Pick<Post, 'id' | 'rootId'> & Signature & SaidOfResult;

/**
 * Reads the places of messages of which a list shows the beginning only.
 * @throws StoreFailure
 */
export async function placeMessages<Item extends Placeable>(
  read: Pick<Reader, 'posts' | 'related'>,
  items: readonly Item[],
): Promise<Listed<Item & Place>> {
  const rootIds = items.map(({ rootId }) => rootId);
  const numbered = items.flatMap(likenessesOf);
  const related = await read.related({
    posts: [...items.map(({ id }) => id), ...rootIds],
    heads: numbered,
    numbers: numbered,
    sizes: rootIds,
  });
  const placeOf = createPlaces(await toHeads(read, [...related.posts.values()], related.posts), related);
  const messages = items.map((item) => ({
    ...item,
    ...placeOf(item),
  }));
  return { messages, names: related };
}

/** @returns the messages whose names or texts a message is like */
export const likenessesOf = ({ namesakeOf, resembles }: Signature & SaidOfResult): string[] =>
  [namesakeOf ?? [], resembles?.id ?? []].flat();

/**
 * What the head of a message may name: of a REVIEW the RESULT that it judges, and messages of its thread that
 * it says it ends. One of another thread costs a read of that thread, so they are few.
 */
function claimedBy(board: Board, post: Post): string[] {
  const facts = readStepFacts(post);
  if (facts === null) return [];
  const ended = (facts.ends ?? []).filter(
    (id) => (board.works.get(id) ?? board.ideas.get(id))?.step.rootId === post.rootId,
  );
  if (post.prefix !== 'REVIEW') return ended;
  const referring = { ...facts, parentId: post.parentId };
  // A RESULT that is older than the newest steps is unknown there.
  const judged = judgedPost(referring, (id) => board.results.has(id)) ?? judgedPost(referring, () => true);
  return [...ended, ...[judged ?? []].flat()];
}

const createPlaces =
  (heads: ReadonlyMap<string, Head>, { sizes }: Pick<Related, 'sizes'>) =>
  ({ id, rootId }: Pick<Post, 'id' | 'rootId'>): Place => ({
    title: heads.get(id)?.title ?? '',
    threadTitle: id === rootId ? undefined : heads.get(rootId)?.title,
    // The store may have hidden the whole thread since the message was read.
    threadSize: Math.max(sizes.get(rootId) ?? 0, 1),
  });
