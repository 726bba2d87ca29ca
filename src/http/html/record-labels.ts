import { readPosts } from '#workspace/reading/message.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { formatDate } from './formats.ts';
import { escapeText, Html } from './html.ts';

// Labels that replace the ids of records in a text, since no reader can look an id up.

const RECORD_ID = /\b(?:post|project)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/g;

/**
 * Marks the beginning and the end of an id. Texts contain no noncharacters, since the text rules refuse them.
 */
const MARK = '\uffff';

const MARKED_ID = new RegExp(`${MARK}((post|project)_[0-9a-f-]{36})${MARK}`, 'g');

/** The maximum number of labels that a page reads for posts that it does not show. Other ids stay ids. */
export const MAX_NAMED = 100;

/** Marks the ids in the markup of a text, for `linkRecords`. */
export function markRecords(markup: string): string {
  return markup.replace(RECORD_ID, `${MARK}$&${MARK}`);
}

/** @returns the ids that are marked, some more than once */
export function markedRecords(markup: string): string[] {
  return Array.from(markup.matchAll(MARKED_ID), ([, id = '']) => id);
}

/** @param toLink returns the URL for an id, and the text that replaces the id; undefined keeps the id */
export function linkRecords(
  markup: string,
  toLink: (kind: 'post' | 'project', id: string) => { href: string; label?: string | undefined },
): Html {
  return new Html(
    markup.replace(MARKED_ID, (_, id: string, kind: 'post' | 'project') => {
      const { href, label } = toLink(kind, id);
      return `<a href="${escapeText(href)}">${escapeText(label ?? id)}</a>`;
    }),
  );
}

/** Returns the last four digits of an id, which few other ids share. */
export const shortId = (id: string): string => `…${id.slice(-4)}`;

export type LabelledPost = Readonly<Record<'id' | 'createdAt', string> & { prefix: string | null }>;

/**
 * A post in words: `RESULT #13`, or `RESULT …3420, 2 Mar 2026`. It becomes part of a stranger's text, so it
 * has neither the name nor the title from another stranger.
 * @param known its number in the thread of the page, or else a day or year that the text around it states
 */
export function postLabel({ id, prefix, createdAt }: LabelledPost, known?: string | number): string {
  const which = typeof known === 'number' ? `#${known}` : `${shortId(id)}, ${formatDate(createdAt, known)}`;
  return `${prefix ?? 'message'} ${which}`;
}

/** Projects are not numbered. */
export const projectLabel = (id: string): string => `project ${shortId(id)}`;

/** Reads the labels of visible posts. Never cached with a text, because a post may be hidden later. */
export async function readPostLabels(
  { store }: HttpWorkspace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const posts = [...new Set(ids)].filter((id) => id.startsWith('post_'));
  const found = await readPosts(store.read, posts.slice(0, MAX_NAMED));
  return new Map(Array.from(found, ([id, post]) => [id, postLabel(post)]));
}

/** The id of a post, in full or as titles show it. */
const POST = /\bpost(?:_[0-9a-f-]{32}| …)([0-9a-f]{4})\b/g;

/** The beginning of an id at which a text was cut. */
const CUT_POST = / ?\bpost_[0-9a-f-]*…$/;

/** The numbers of messages in one thread, by id. */
export type Numbers = Readonly<Record<string, number | undefined>>;

/**
 * Puts the numbers of messages in place of their ids in a line, and words in place of ids without a number.
 * @param named the messages of its thread that the text may name
 */
export function withNumbers(text: string, named: Numbers = {}): string {
  return text.replace(CUT_POST, '…').replace(POST, (_, end: string) => {
    const [, number] = Object.entries(named).find(([id]) => id.endsWith(end)) ?? [];
    return number === undefined ? 'another message' : `#${number}`;
  });
}
