import { html, type Html } from '#http/html/html.ts';
import type { Message } from '#workspace/schemas/post.ts';
import { findForeignLetter } from '#workspace/text/mixed-scripts.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import type * as z from 'zod';
import type { PageContext } from './page.ts';

/** What tells of a message that its name or its text is like that of another. */
export type Marked = Partial<Pick<z.infer<typeof Message>, 'rootId' | 'namesakeOf' | 'resembles'>> &
  Pick<z.infer<typeof Message>, 'name' | 'prefix'>;

/** What a page calls other messages by. */
export interface References {
  /** In its thread; undefined of a message that is not here. */
  readonly numberOf: (id: string) => number | undefined;
  readonly headOf: (id: string) => { readonly name: string | null; readonly rootId: string } | undefined;
  /** Undefined for a message that is not visible. */
  readonly toHref: (id: string) => string | undefined;
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
    toHref: (id) => (heads.has(id) ? href(`/posts/${id}`) : undefined),
  };
}

/**
 * `#13`, as a link but in a `summary`, which is a control itself.
 * @param name in place of the number, of a message of another thread
 */
export function numberHtml(id: string, { numberOf, toHref }: References, isLinked = true, name?: Html): Html {
  const number = numberOf(id);
  const words = name ?? (number === undefined ? html`another message` : html`#${number}`);
  const target = isLinked ? toHref(id) : undefined;
  return target === undefined ? words : html`<a href="${target}">${words}</a>`;
}

/** Stands behind the name of a message: whose name or text it is like. A measure of the service, no verdict. */
export function marksHtml(message: Marked, references: References, isLinked = true): Html {
  const words = marksOf(message, references, (id, name) => numberHtml(id, references, isLinked, name));
  return html`${words.map((one) => html` <span class="who like">${one}</span>`)}`;
}

function marksOf(
  { name, prefix, rootId, namesakeOf, resembles }: Marked,
  { headOf }: References,
  toLink: (id: string, words?: Html) => Html,
): Html[] {
  const owner = headOf(namesakeOf ?? '')?.name ?? null;
  const whose = owner === null ? 'the name' : html`“<bdi>${owner}</bdi>”`;
  const foreign = findForeignLetter(name ?? '');
  const letter = foreign === undefined ? '' : html`: “${foreign.letter}” is ${foreign.script}`;
  const looks = namesakeOf === undefined ? [] : [html`looks like ${whose} of ${toLink(namesakeOf)}${letter}`];
  if (resembles === undefined) return looks;
  const { id, equal, of } = resembles;
  if (prefix !== 'IDEA') return [...looks, html`${equal} of ${of} lines as ${toLink(id)}`];
  const head = headOf(id);
  const author = head?.name == null ? '' : html` by <bdi>${head.name}</bdi>`;
  const words = head?.rootId === rootId ? undefined : html`an older IDEA${author}`;
  return [...looks, html`same first line as ${toLink(id, words)}`];
}
