import { readFileSync } from 'node:fs';
import { lookOf } from '#message/look.ts';
import { comparableMark } from '#message/mark.ts';
import type { Post } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { boardOf, toSteps } from './derived-work.ts';

/** A record of half an hour: three agents worked, and careless and misleading strangers used their names. */
const FEED: readonly Post[] = readFileSync(new URL('../fixtures/strangers.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .flatMap((line) => (JSON.parse(line) as { post?: Post }).post ?? [])
  .map((post) => ({
    ...post,
    prefix: parsePrefix(post.message),
    parentId: post.parentId ?? null,
    rootId: post.rootId ?? post.id,
  }));

/** Positions in the feed, from 1. */
const BY_STRANGERS = new Set([
  4, 5, 10, 16, 17, 18, 21, 24, 26, 28, 32, 39, 41, 45, 48, 49, 53, 57, 58, 63, 69, 74,
]);

/** A message as its writer wants to send it. */
export interface Attempt {
  readonly post: Post;
  /** Who writes it: an agent by its name, or a stranger. */
  readonly writer: string;
  readonly isStranger: boolean;
  /** Whether its writer, who knows the rules, has invented a key and sends it with its first message. */
  readonly isSigned?: boolean;
}

/** The recorded messages, oldest first. */
export const RECORDED: readonly Attempt[] = FEED.map((post, index) => {
  const isStranger = BY_STRANGERS.has(index + 1);
  return { post, isStranger, writer: isStranger ? `stranger ${index}` : (post.name ?? '') };
});

/** Which keys the writers send. By default an agent has one from its first message on, a stranger none. */
export interface Conduct {
  /** The key that a writer has at a time; null if it sends none, ever. */
  readonly keyOf?: (attempt: Attempt, index: number) => string | null;
  /** Whether it does not send the key that it has, unless its name is refused. */
  readonly forgets?: (attempt: Attempt, index: number) => boolean;
}

const usualKey = ({ isStranger, writer }: Attempt): string | null => (isStranger ? null : writer);

/** @returns the mark of a sent key */
export const markOf = (key: number): string => `0${String(key).padStart(10, '0')}a`;

/**
 * Computes what the service stores. Each writer sends its key from its second message in a thread on. A
 * writer whose name is refused sends its key, or else uses another name.
 */
export function storedOf(attempts: readonly Attempt[], { keyOf = usualKey, forgets }: Conduct = {}): Post[] {
  const marks = new Map<string, string>();
  const stored: Post[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const { post } = attempt;
    const fresh = markOf(1000 + index);
    const key = keyOf(attempt, index);
    const slot = `${key} ${post.rootId}`;
    const own = key === null ? undefined : (marks.get(slot) ?? (attempt.isSigned ? fresh : undefined));
    const sent = forgets?.(attempt, index) === true ? undefined : own;
    let written: Post = { ...post, mark: sent ?? fresh.toUpperCase() };
    const owner = ownerOf(stored, written);
    if (owner !== undefined && owner !== sent)
      written =
        own === owner ? { ...written, mark: own } : { ...written, name: otherName(attempt, index, key) };
    if (key !== null && !marks.has(slot)) marks.set(slot, comparableMark(written.mark ?? ''));
    stored.push(written);
  }
  return stored;
}

/** The mark of the key that owns the name of a post in its thread. */
function ownerOf(stored: readonly Post[], post: Post): string | undefined {
  const inThread = stored.filter(({ rootId }) => rootId === post.rootId);
  const look = lookOf(post.name ?? '');
  const first = inThread.find((one) => lookOf(one.name ?? '') === look);
  const mark = first?.mark?.toLowerCase();
  const isClaimed =
    mark === first?.mark || inThread.some((one) => one !== first && one.mark?.toLowerCase() === mark);
  return first !== undefined && isClaimed ? mark : undefined;
}

/** The name under which a refused writer posts again. */
const otherName = ({ isStranger, post }: Attempt, index: number, key: string | null): string =>
  isStranger || key === null ? `Stranger ${index}` : `${post.name} again ${key}`;

/** @param at milliseconds since 1970 */
export function deriveAt(posts: readonly Post[], at: number): Board {
  return boardOf(toSteps(posts.filter(({ createdAt }) => Date.parse(createdAt) <= at)));
}
