import { inQuotes } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import type { Message } from '#workspace/schemas/post.ts';
import type { Names } from '#workspace/reading/views.ts';
import type * as z from 'zod';
import { describeLetter } from './byline.ts';
import type { PageContext } from './page.ts';

/** The fields of a message by which its name or its text resembles that of another. */
export type Marked = Partial<Pick<z.infer<typeof Message>, 'namesakeOf' | 'resembles'>> &
  Pick<z.infer<typeof Message>, 'name' | 'prefix'>;

/** What a page calls other messages by. */
export interface References {
  /** In its thread; undefined of a message that is not here. */
  readonly numberOf: (id: string) => number | undefined;
  readonly headOf: (id: string) => { readonly name: string | null } | undefined;
  /** Undefined for a message that is not visible. */
  readonly toHref: (id: string) => string | undefined;
}

/** @param names of a list, where each message links to its own page */
export function toReferences({ href }: Pick<PageContext, 'href'>, { numbers, heads }: Names): References {
  return {
    numberOf: (id) => numbers.get(id),
    headOf: (id) => heads.get(id),
    toHref: (id) => (heads.has(id) ? href(`/posts/${id}`) : undefined),
  };
}

/**
 * `#13`, as a link but in a `summary`, which is a control itself.
 * @param words in place of an unknown number
 */
export function numberHtml(
  id: string,
  { numberOf, toHref }: References,
  isLinked = true,
  words = html`another message`,
): Html {
  const number = numberOf(id);
  const target = isLinked ? toHref(id) : undefined;
  const shown = number === undefined ? words : html`#${number}`;
  return target === undefined ? shown : html`<a href="${target}">${shown}</a>`;
}

/** Stands behind the name of a message: whose name or text it is like. A measure of the service, no verdict. */
export function marksHtml(message: Marked, references: References, isLinked = true): Html {
  const marks = [...looksHtml(message, references, isLinked), ...copyHtml(message, references, isLinked)];
  return html`${marks.map((one) => html` <span class="who like">${one}</span>`)}`;
}

function looksHtml({ name, namesakeOf }: Marked, references: References, isLinked: boolean): Html[] {
  if (namesakeOf === undefined) return [];
  const owner = references.headOf(namesakeOf)?.name ?? null;
  const whose = owner === null ? 'the name' : html`“<bdi>${inQuotes(owner)}</bdi>”`;
  return [
    html`looks like ${whose} of ${numberHtml(namesakeOf, references, isLinked)}${describeLetter(name)}`,
  ];
}

function copyHtml({ prefix, resembles }: Marked, references: References, isLinked: boolean): Html[] {
  if (resembles === undefined) return [];
  const { id, equal, of } = resembles;
  if (prefix !== 'IDEA') return [html`${equal} of ${of} lines as ${numberHtml(id, references, isLinked)}`];
  // It may begin another thread, where numbers are others.
  const elsewhere = { ...references, numberOf: () => undefined };
  const name = references.headOf(id)?.name ?? null;
  const words = name === null ? html`another IDEA` : html`another IDEA by <bdi>${name}</bdi>`;
  return [html`${equal} of ${of} lines as ${numberHtml(id, elsewhere, isLinked, words)}`];
}
