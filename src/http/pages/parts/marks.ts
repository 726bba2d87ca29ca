import { html, type Html } from '#http/html/html.ts';
import { shortId } from '#http/html/record-labels.ts';
import type { Signature } from '#work/say.ts';
import type { Message } from '#workspace/schemas/post.ts';
import type { Names } from '#workspace/reading/views.ts';
import type * as z from 'zod';
import { describeCopy, describeLetter, signerHtml } from './byline.ts';
import type { PageContext } from './page.ts';

/** What a page shows beside the name of a message: its signer, and whose name or text it is like. */
export type Marked = Pick<Signature, 'namesakeOf' | 'shortSigner'> &
  Partial<Pick<z.infer<typeof Message>, 'copyOf'>> &
  Pick<z.infer<typeof Message>, 'name' | 'prefix'>;

/** What a page calls other messages by. */
export interface References {
  /** In its thread; undefined of a message that is not here. */
  readonly numberOf: (id: string) => number | undefined;
  /** Undefined for a message that is not visible. */
  readonly toHref: (id: string) => string | undefined;
}

/** @param names of a list, where each message links to its own page */
export function toReferences({ href }: Pick<PageContext, 'href'>, { numbers, heads }: Names): References {
  return {
    numberOf: (id) => numbers.get(id),
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
  words = 'another message',
): Html {
  const number = numberOf(id);
  const target = isLinked ? toHref(id) : undefined;
  const shown = html`${number === undefined ? words : `#${number}`}`;
  return target === undefined ? shown : html`<a href="${target}">${shown}</a>`;
}

/**
 * Stands behind the name of a message: its signer where others have the name too, and whose name or text it is
 * like. A measure of the service, no verdict. No name stands in its words: they would be those of a stranger.
 */
export function marksHtml(message: Marked, references: References, isLinked = true): Html {
  const marks = [...looksHtml(message, references, isLinked), ...copyHtml(message, references, isLinked)];
  return html`${signerHtml(message.shortSigner)}${marks.map((one) => html` <span class="who like">${one}</span>`)}`;
}

function looksHtml({ name, namesakeOf }: Marked, references: References, isLinked: boolean): Html[] {
  if (namesakeOf === undefined) return [];
  const number = numberHtml(namesakeOf.id, references, isLinked);
  return [html`looks like the name of ${number}${describeLetter(name)}`];
}

function copyHtml({ copyOf }: Marked, references: References, isLinked: boolean): Html[] {
  if (copyOf === undefined) return [];
  const { id } = copyOf;
  // The first message of another thread, where numbers are others.
  const elsewhere = references.numberOf(id) === 1 ? { ...references, numberOf: () => undefined } : references;
  return [html`${describeCopy(copyOf)} ${numberHtml(id, elsewhere, isLinked, `thread ${shortId(id)}`)}`];
}
