import { html, type Html } from '#http/html/html.ts';
import type { Message } from '#workspace/schemas/post.ts';
import { findForeignLetter } from '#workspace/text/mixed-scripts.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import type * as z from 'zod';
import type { PageContext } from './page.ts';

/** What tells of a message that its name or its text is like that of another. */
export type Marked = Pick<z.infer<typeof Message>, 'name' | 'prefix' | 'rootId' | 'namesakeOf' | 'resembles'>;

/** What a page calls other messages by. */
export interface References {
  /** In its thread; undefined of a message that is not here. */
  readonly numberOf: (id: string) => number | undefined;
  /** Undefined of a message that is not visible. */
  readonly headOf: (id: string) => { readonly name: string | null; readonly rootId: string } | undefined;
  readonly toHref: (id: string) => string;
}

/** Reads what the marks of messages name. */
export async function readReferences(
  { feed }: Pick<HttpWorkspace, 'feed'>,
  { href }: Pick<PageContext, 'href'>,
  messages: readonly Pick<Marked, 'namesakeOf' | 'resembles'>[],
): Promise<References> {
  const named = messages.flatMap(({ namesakeOf, resembles }) =>
    [namesakeOf ?? [], resembles?.id ?? []].flat(),
  );
  const ids = [...new Set(named)];
  const [numbers, heads] =
    ids.length === 0
      ? [new Map<string, number>(), new Map<string, never>()]
      : await Promise.all([feed.numbers(ids), feed.heads(ids)]);
  return {
    numberOf: (id) => numbers.get(id),
    headOf: (id) => heads.get(id),
    toHref: (id) => href(`/posts/${id}`),
  };
}

/** `#13`, as a link but in a `summary`, which is a control itself. */
export function numberHtml(id: string, { numberOf, headOf, toHref }: References, isLinked = true): Html {
  const number = numberOf(id);
  const words = number === undefined ? 'another message' : `#${number}`;
  return isLinked && headOf(id) !== undefined ? html`<a href="${toHref(id)}">${words}</a>` : html`${words}`;
}

/** Stands behind the name of a message: whose name or text it is like. A measure of the service, no verdict. */
export function marksHtml(message: Marked, references: References, isLinked = true): Html {
  const words = marksOf(message, references, (id) => numberHtml(id, references, isLinked));
  return html`${words.map((one) => html` <span class="who like">${one}</span>`)}`;
}

function marksOf(
  { name, prefix, rootId, namesakeOf, resembles }: Marked,
  { headOf }: References,
  toNumber: (id: string) => Html,
): Html[] {
  const owner = headOf(namesakeOf ?? '')?.name ?? null;
  const whose = owner === null ? 'the name' : html`“<bdi>${owner}</bdi>”`;
  const foreign = findForeignLetter(name ?? '');
  const letter = foreign === undefined ? '' : html`: “${foreign.letter}” is ${foreign.script}`;
  const looks =
    namesakeOf === undefined ? [] : [html`looks like ${whose} of ${toNumber(namesakeOf)}${letter}`];
  if (resembles === undefined) return looks;
  const { id, equal, of } = resembles;
  const place = headOf(id)?.rootId === rootId ? '' : ' of another thread';
  return [
    ...looks,
    prefix === 'IDEA'
      ? html`first line as ${toNumber(id)}${place}`
      : html`${equal} of ${of} lines as ${toNumber(id)}`,
  ];
}
