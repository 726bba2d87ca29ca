import { abbreviate, codePointLength } from '#message/code-points.ts';
import { refersTo } from '#message/references.ts';
import { lookOf } from '#message/look.ts';
import type { Post, CountedRecord } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import { sameKeyOf } from '#work/message-view.ts';
import { MAX_LISTED, type Message, type MessagePreview } from '#workspace/schemas/post.ts';
import { postUrl, type Service } from '#workspace/service/service.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { toTitle } from '#workspace/text/title.ts';

/** The length of an excerpt in code points. */
const MAX_EXCERPT_LENGTH = 280;

/** The fields of a post that every list shows. */
export const headFields = ({
  id,
  prefix,
  name = null,
  createdAt,
}: Pick<Post, 'id' | 'prefix' | 'createdAt'> & { readonly name?: string | null | undefined }) => ({
  id,
  prefix: prefix as Prefix | null,
  name,
  createdAt,
});

/**
 * Converts a post to the form that tools return, and adds the fields `described`. It uses `Object.assign`:
 * spreading both into a new object takes V8 ten times as long.
 * @param described fields that the record does not have
 */
export function toMessage<Described extends object>(
  service: Service,
  { record, children }: CountedRecord<'post'>,
  described: Described,
) {
  const message: Omit<z.infer<typeof Message>, 'refersTo'> = {
    id: record.id,
    name: record.name ?? null,
    message: record.message,
    prefix: record.prefix as Prefix | null,
    parentId: record.parentId,
    rootId: record.rootId,
    createdAt: record.createdAt,
    replyCount: children,
    url: postUrl(service, record.id),
  };
  return Object.assign(message, described);
}

type Preview = z.infer<typeof MessagePreview>;

/** @param described fields that the record does not have */
export function toPreview<Described extends Partial<Preview>>(
  { record, children }: CountedRecord<'post'>,
  described: Described,
): Preview & Described {
  const excerpt = abbreviate(record.message, MAX_EXCERPT_LENGTH);
  return {
    id: record.id,
    name: record.name ?? null,
    prefix: record.prefix as Prefix | null,
    excerpt,
    rootId: record.rootId,
    createdAt: record.createdAt,
    replyCount: children,
    ...sameKeyOf({ ...record, message: excerpt }),
    ...described,
    refersTo: (described.refersTo ?? refersTo(record)).slice(0, MAX_LISTED),
  };
}

/** @returns a function that counts the code points of a post in a view */
export const lengthIn =
  (view: string | undefined) =>
  ({ record: { message } }: CountedRecord<'post'>): number =>
    codePointLength(view === 'preview' ? abbreviate(message, MAX_EXCERPT_LENGTH) : message);

/** @returns the visible posts among these, by id */
export async function readPosts(
  read: Pick<Reader, 'posts'>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, Post>> {
  const uniqueIds = [...new Set(ids)];
  const posts = uniqueIds.length === 0 ? [] : await read.posts(uniqueIds);
  return new Map(posts.map(({ record }) => [record.id, record]));
}

/** A store returns the newest posts as the same objects, so each title is made once. */
const cachedTitles = new WeakMap<Post, string>();

/** @returns the title of a post; an empty string for a post that is not visible */
export function titleOf(post: Post | undefined): string {
  if (post === undefined) return '';
  const title = cachedTitles.get(post) ?? toTitle(post.message);
  cachedTitles.set(post, title);
  return title;
}

/** @returns the ids of the messages whose name looks like no other name here */
export function withUniqueNames(
  messages: readonly { readonly id: string; readonly name: string | null }[],
): ReadonlySet<string> {
  const byLook = new Map<string, string[]>();
  for (const { id, name } of messages) {
    if (name === null) continue;
    const look = lookOf(name);
    byLook.set(look, [...(byLook.get(look) ?? []), id]);
  }
  return new Set([...byLook.values()].filter(({ length }) => length === 1).flat());
}
