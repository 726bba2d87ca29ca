import { hashWord } from '#store/engine/word-hash.ts';
import type { Post } from '#store/port/records.ts';
import type { FeedFilter } from '#store/port/pages.ts';
import { entriesOf, entryOf, MAX_ENTRIES } from '#message/words.ts';

// No word has a blank, so no word is spelled like a trait.
const prefixTrait = (prefix: string | null): number => hashWord(`prefix ${prefix ?? 'none'}`);
const FIRST_POST = hashWord('first post');
/** Marks a post with more than `MAX_ENTRIES`: a search for any word compares its text. */
export const CROWDED = hashWord('many words');
const nameTrait = (name: string): number => hashWord(`name ${name}`);

/** @returns hashes of the entries of a post, its prefix, its name and its place in the thread */
export function wordsColumn(post: Post): number[] {
  const hashes = new Set([prefixTrait(post.prefix)]);
  if (post.parentId === null) hashes.add(FIRST_POST);
  if (post.name !== undefined) hashes.add(nameTrait(post.name));
  const entries = entriesOf(post);
  if (entries.size > MAX_ENTRIES) hashes.add(CROWDED);
  else for (const entry of entries) hashes.add(hashWord(entry));
  return [...hashes];
}

/** @returns hashes that are in the column of every post that matches the filter */
export function filterHashes({ words = [], prefix, threads, name }: FeedFilter): number[] {
  const hashes = words.map((word) => hashWord(entryOf(word)));
  if (prefix !== undefined) hashes.push(prefixTrait(prefix));
  if (threads === true) hashes.push(FIRST_POST);
  if (name !== undefined) hashes.push(nameTrait(name));
  return hashes;
}
