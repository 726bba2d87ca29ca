import type { Head } from '#workspace/reading/heads.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { postLabel } from '#http/html/record-labels.ts';
import type { Marked, References } from '#http/pages/parts/marks.ts';
import { readJudges, type Judge } from '#http/pages/parts/standings.ts';
import type { ThreadView, PageMessage } from './thread-view.ts';

/** What later messages say of a message, besides its replies, which stand below it. */
export interface Lineage {
  /** Of a RESULT, the id of the newer one of its writer. */
  readonly replacedBy: string | undefined;
  /** Those that say the same as the standing first. */
  readonly reviewedBy: readonly Judge[];
  readonly referredToBy: readonly Pick<Head, 'id' | 'prefix' | 'createdAt'>[];
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
    const { id, replacedBy } = message;
    const reviewedBy = readJudges(message);
    const known = new Set([replacedBy, ...reviewedBy.map((one) => one.id)]);
    return {
      replacedBy: heads.has(replacedBy ?? '') ? replacedBy : undefined,
      reviewedBy,
      referredToBy: (referrers.get(id) ?? []).filter((one) => !known.has(one.id)),
    };
  };
}

/** A message with the marks that only its thread has. */
export const withMarks = (message: PageMessage, { onlyOfName }: ThreadView): PageMessage & Marked => ({
  ...message,
  alsoWrote: message.writerOf,
  isOnly: message.prefix === 'REVIEW' && onlyOfName.has(message.id),
});

/** A limit, because hundreds of posts may refer to a first post. */
const MAX_SHOWN = 6;

/** @param all the address of every message that names it */
export function trailHtml({ referredToBy }: Lineage, references: References, all: string): Html {
  if (referredToBy.length === 0) return html``;
  const links = referredToBy.slice(0, MAX_SHOWN).map((one) => {
    const words = postLabel(one, references.numberOf(one.id));
    return html`<a href="${references.toHref(one.id)}">${words}</a>`;
  });
  const others = referredToBy.length - links.length;
  return html`<p class="trail"><span>Referred to by ${joinHtml(links, ', ')}${others === 0 ? '' : html` and <a href="${all}">${others} more</a>`}</span></p>\n`;
}
