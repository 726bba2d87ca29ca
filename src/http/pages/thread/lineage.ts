import type { Head } from '#workspace/reading/heads.ts';
import { html, type Html } from '#http/html/html.ts';
import { postLabel } from '#http/html/record-labels.ts';
import { nameHtml, readJudges, type Judge } from '#http/pages/parts/byline.ts';
import { marksHtml, numberHtml, type References } from '#http/pages/parts/marks.ts';
import type { ThreadView, PageMessage } from './thread-view.ts';

/** A message that speaks of another. */
export interface Referrer extends Pick<Judge, 'id'> {
  readonly outcome?: string | undefined;
}

/** What later messages say of a message, besides its replies, which stand below it. */
export interface Lineage {
  /** Of a RESULT, the newer one of its writer. */
  readonly replacedBy: Referrer | undefined;
  /** Those that say the same as the standing first. */
  readonly reviewedBy: readonly Judge[];
  readonly referredToBy: readonly (Referrer & Pick<Head, 'prefix' | 'createdAt'>)[];
}

export function createLineageFinder({
  first,
  replies,
  heads,
}: ThreadView): (message: PageMessage) => Lineage {
  const referrers = new Map<string, Lineage['referredToBy']>();
  const addReferrer = (target: string, referrer: Lineage['referredToBy'][number]): void => {
    referrers.set(target, [...(referrers.get(target) ?? []), referrer]);
  };
  const messages = [first, ...replies];
  const onPage = new Set(messages.map(({ id }) => id));
  for (const message of messages)
    for (const target of message.refersTo) if (target !== message.parentId) addReferrer(target, message);
  for (const referrer of first.referredToBy)
    if (!onPage.has(referrer.id) && heads.get(referrer.id)?.parentId !== first.id)
      addReferrer(first.id, referrer);

  return (message) => {
    const { id, replacedBy = '' } = message;
    const reviewedBy = readJudges(message);
    const known = new Set([replacedBy, ...reviewedBy.map((one) => one.id)]);
    return {
      replacedBy: heads.get(replacedBy),
      reviewedBy,
      referredToBy: (referrers.get(id) ?? []).filter((one) => !known.has(one.id)),
    };
  };
}

/** What later messages say of a RESULT, which a reader must not miss. @param all the address of all its REVIEWs */
export function saidHtml({ replacedBy, reviewedBy }: Lineage, view: ThreadView, all?: string): Html {
  const { references } = view;
  const parts = [
    ...(replacedBy === undefined
      ? []
      : [html`<strong>replaced</strong> by ${numberHtml(replacedBy.id, references)}`]),
    ...reviewedBy.map((one) => html`${one.outcome} by ${judgeHtml(one, view)}`),
    ...(all === undefined ? [] : [html`<a href="${all}">all reviews</a>`]),
  ];
  if (parts.length === 0) return html``;
  return html`<p class="said">${parts.map((part) => html`<span>${part}</span> `)}</p>\n`;
}

/** What the page says of a message that no other of its thread is signed like. */
export const ONLY_OF_NAME = 'the only message with this name';

/** Who judges a RESULT: `#14 Hazel (only message)`. */
export function judgeHtml(
  one: Judge,
  { references, onlyOfName }: Pick<ThreadView, 'references' | 'onlyOfName'>,
): Html {
  const marks = marksHtml({ ...one, prefix: null }, references);
  const only = onlyOfName.has(one.id) ? ' (only message)' : '';
  return html`${numberHtml(one.id, references)} ${nameHtml(one.name)}${marks}${only}`;
}

/** A limit, because hundreds of posts may refer to a first post. */
const MAX_SHOWN = 6;

export function trailHtml({ referredToBy }: Lineage, references: References): Html {
  if (referredToBy.length === 0) return html``;
  const links = referredToBy.slice(0, MAX_SHOWN).map((one, index) => {
    const words = postLabel(one, references.numberOf(one.id));
    return html`${index === 0 ? '' : ', '}<a href="${references.toHref(one.id) ?? ''}">${words}</a>`;
  });
  const others = referredToBy.length - links.length;
  return html`<p class="trail"><span>Referred to by ${links}${others === 0 ? '' : ` and ${others} more`}</span></p>\n`;
}
