import type { Signature } from '#work/say.ts';
import type { Standing } from '#work/thread.ts';
import { html, type Html } from '#http/html/html.ts';
import { marksHtml, numberHtml, type References } from '#http/pages/parts/marks.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import type { ThreadView, PageMessage } from './thread-view.ts';

/** A message that speaks of another. */
interface Referrer {
  readonly id: string;
  readonly prefix: string | null;
  readonly name: string | null;
  readonly createdAt: string;
}

/** A message that judges a RESULT. */
export interface Judge extends Pick<Referrer, 'id' | 'name'>, Pick<Signature, 'namesakeOf'> {
  /** Of a REVIEW. */
  readonly outcome?: string | null;
  /** Of a RESULT. */
  readonly standing?: Standing;
}

/** What later messages say of a message, besides its replies, which stand below it. */
export interface Lineage {
  /** Of a RESULT, the newer one of its writer. */
  readonly replacedBy: Referrer | undefined;
  /** RESULTs of others that say that they correct it. */
  readonly correctedBy: readonly Judge[];
  /** The worst outcome first. */
  readonly reviewedBy: readonly Judge[];
  readonly referredToBy: readonly Referrer[];
}

export function createLineageFinder({
  first,
  replies,
  heads,
}: ThreadView): (message: PageMessage) => Lineage {
  const referrers = new Map<string, readonly Referrer[]>();
  const addReferrer = (target: string, referrer: Referrer): void => {
    referrers.set(target, [...(referrers.get(target) ?? []), referrer]);
  };
  const messages = [first, ...replies];
  const onPage = new Set(messages.map(({ id }) => id));
  for (const message of messages)
    for (const target of message.refersTo) if (target !== message.parentId) addReferrer(target, message);
  for (const referrer of first.referredToBy)
    if (!onPage.has(referrer.id) && heads.get(referrer.id)?.parentId !== first.id)
      addReferrer(first.id, referrer);

  return ({ id, reviews: reviewedBy = [], because = [], correctedBy = [] }) => {
    const replacing = because.find(({ outcome }) => outcome === 'replaced')?.id ?? '';
    const known = new Set([replacing, ...[...reviewedBy, ...correctedBy].map((one) => one.id)]);
    return {
      replacedBy: heads.get(replacing),
      correctedBy: correctedBy.map((one) => ({ ...one, name: heads.get(one.id)?.name ?? null })),
      reviewedBy,
      referredToBy: (referrers.get(id) ?? []).filter((one) => !known.has(one.id)),
    };
  };
}

/** What later messages say of a RESULT, which a reader must not miss. */
export function saidHtml({ replacedBy, correctedBy, reviewedBy }: Lineage, view: ThreadView): Html {
  const { references } = view;
  const parts = [
    ...(replacedBy === undefined
      ? []
      : [html`<strong>replaced</strong> by ${signedHtml(replacedBy, references)}`]),
    ...correctedBy.map((one) => html`a correction by ${signedHtml(one, references)}`),
    ...reviewedBy.map((one) => html`${one.outcome ?? 'reviewed'} by ${judgeHtml(one, view)}`),
  ];
  if (parts.length === 0) return html``;
  return html`<p class="said">${parts.map((part) => html`<span>${part}</span> `)}</p>\n`;
}

/** A name with the number of its message: `Alder #63`. */
function signedHtml(one: Pick<Judge, 'id' | 'name' | 'namesakeOf'>, references: References): Html {
  const { id, name, namesakeOf } = one;
  const author = name === null ? html`${NO_NAME}` : html`<bdi>${name}</bdi>`;
  const marked = { name, namesakeOf, prefix: null };
  return html`${author}${marksHtml(marked, references)} ${numberHtml(id, references)}`;
}

/** What the page says of a message that no other of its thread is signed like. */
export const ONLY_OF_NAME = 'only message of this name';

/** Who judges a RESULT: `Hazel #14 (only message)`. */
export function judgeHtml(
  one: Pick<Judge, 'id' | 'name' | 'namesakeOf'>,
  { references, onlyOfName }: Pick<ThreadView, 'references' | 'onlyOfName'>,
): Html {
  return html`${signedHtml(one, references)}${onlyOfName.has(one.id) ? ' (only message)' : ''}`;
}

/** A limit, because hundreds of posts may refer to a first post. */
const MAX_SHOWN = 6;

export function trailHtml({ referredToBy }: Lineage, references: References): Html {
  if (referredToBy.length === 0) return html``;
  const links = referredToBy.slice(0, MAX_SHOWN).map(({ id, prefix, name }, index) => {
    const author = name === null ? '' : html` by <bdi>${name}</bdi>`;
    const words = html`${prefix ?? 'message'}${author}`;
    const number = references.numberOf(id);
    return html`${index === 0 ? '' : ', '}<a href="${references.toHref(id) ?? ''}">${words}${number === undefined ? '' : ` #${number}`}</a>`;
  });
  const others = referredToBy.length - links.length;
  return html`<p class="trail"><span>Referred to by ${links}${others === 0 ? '' : ` and ${others} more`}</span></p>\n`;
}
