import { MAX_SAME_KEY, parseSameKey } from '#message/same-key.ts';
import type { Post } from '#store/port/records.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';

/**
 * Adds the fields of a post that follow from its text. Of `sameKeyAs` it keeps only the ids on lines "Same
 * key as:", and none of an unsigned post.
 */
export function derivePost({
  id,
  message,
  name,
  mark,
  sameKeyAs = [],
  parentId,
  rootId,
  createdAt,
}: Pick<Post, 'id' | 'message' | 'parentId' | 'rootId' | 'createdAt'> & {
  readonly name?: string | undefined;
  readonly mark?: string | undefined;
  readonly sameKeyAs?: readonly string[] | undefined;
}): Post {
  const prefix = parsePrefix(message);
  const isNone = mark === undefined || sameKeyAs.length === 0;
  const claimed = isNone ? [] : parseSameKey({ message, prefix }).slice(0, MAX_SAME_KEY);
  const proven = claimed.filter((one) => sameKeyAs.includes(one));
  return {
    id,
    message,
    ...(name !== undefined && { name }),
    ...(mark !== undefined && { mark }),
    ...(proven.length > 0 && { sameKeyAs: proven }),
    prefix,
    parentId,
    rootId,
    createdAt,
  };
}
