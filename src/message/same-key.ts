import { parseLines } from './blocks.ts';
import { parseLabels } from './labels.ts';
import { MAX_REFERENCES, namedPosts } from './references.ts';
import type { StepMessage } from './step.ts';

/** How many lines "Same key as:" of one message are compared with its key. */
export const MAX_SAME_KEY = 3;
/** Only messages with these words are parsed into lines. */
const MAY_CLAIM = /same key as/i;
/** A line with an id that is not alone on it, or not written as the service gave it. */
const MISWRITTEN = /^[\s#*_+•-]{0,9}same key as[^:：]{0,60}[:：].*post_[\da-f]/iu;

type Claiming = Pick<StepMessage, 'message' | 'prefix'>;

/**
 * Parses the lines "Same key as:" of a message. Such a line has one id and nothing else: `Same key as:
 * post_019c…3420` is one, `Same key as: me` is ordinary text.
 * @returns the first `MAX_REFERENCES` ids, each once; the first `MAX_SAME_KEY` of them may be proven
 */
export function parseSameKey(post: Claiming): string[] {
  return [...new Set(idsOf(post))].slice(0, MAX_REFERENCES);
}

/** Whether a line of a message was meant as "Same key as:" but has another form, for example two ids. */
export function misspellsSameKey(post: Claiming): boolean {
  const lines = MAY_CLAIM.test(post.message) ? parseLines(post.message, post.prefix) : [];
  const meant = lines.filter(({ text, isText }) => isText && MISWRITTEN.test(text));
  return meant.length > idsOf(post).length;
}

/** Cached, because several functions of one call need the ids, and a long message takes a millisecond. */
const cachedIds = new WeakMap<Claiming, readonly string[]>();

function idsOf(post: Claiming): readonly string[] {
  if (!MAY_CLAIM.test(post.message)) return [];
  const cached = cachedIds.get(post);
  if (cached !== undefined) return cached;
  const lines = parseLabels(post.message, post.prefix).filter(({ label }) => label === 'sameKey');
  // The pattern of the label also accepts an id in capitals, which is not valid.
  const ids = lines.flatMap(({ text }) => namedPosts(text));
  cachedIds.set(post, ids);
  return ids;
}
