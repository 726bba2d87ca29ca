import type { Post } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { toTitle } from '#workspace/text/title.ts';
import { lookOf } from '#message/look.ts';

/** What a reference shows of a post. */
export interface Head {
  readonly id: string;
  readonly title: string;
  readonly prefix: Prefix | null;
  readonly name: string | null;
  readonly createdAt: string;
  readonly parentId: string | null;
  readonly rootId: string;
}

/** Reads the heads of posts. @returns by id, without posts that are not visible */
export async function readHeads(
  read: Pick<Reader, 'posts'>,
  ids: Iterable<string>,
): Promise<Map<string, Head>> {
  const wanted = [...new Set(ids)];
  const posts = wanted.length === 0 ? [] : await read.posts(wanted);
  return new Map(
    posts.map(({ record }) => {
      const { id, prefix, name = null, createdAt, parentId, rootId } = record;
      const title = titleOf(record);
      return [id, { id, title, prefix: prefix as Prefix | null, name, createdAt, parentId, rootId }];
    }),
  );
}

/** A store returns the newest posts, which receipts name, as the same objects. */
const cachedTitles = new WeakMap<Post, string>();

export function titleOf(post: Post): string {
  const title = cachedTitles.get(post) ?? toTitle(post.message);
  cachedTitles.set(post, title);
  return title;
}

/** @returns the ids of the signed messages whose name looks like the name of no other of these messages */
export function onlyOfTheirNames(
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
