import { readOutcomeLine } from '#work/findings.ts';
import { plural } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { shortId, withNumbers } from '#http/html/record-labels.ts';
import { toFence } from '#http/html/stranger-text.ts';
import { abbreviate } from '#message/code-points.ts';
import type { KnownThread } from '#workspace/reading/known-thread.ts';
import type { ThreadView } from './thread-view.ts';

// What stands above what is known in a thread.

const MAX_WANTED = 300;

const ENDED = 'Its writer has ended this IDEA.';

type View = Pick<ThreadView, 'first' | 'hasEnded'>;

type Copies = Pick<ThreadView['known'], 'copyOf' | 'isCopyByAnother' | 'copies'>;

/** What a page says first of a thread that is nearly a copy; empty of any other. */
export function copyNotice({ copyOf, isCopyByAnother }: Copies): string {
  if (copyOf === undefined || copyOf.equal === 0) return '';
  return `Nearly a copy of an older thread${isCopyByAnother ? ' by another writer' : ''}`;
}

const linkTo = (id: string, toHref: (id: string) => string): Html =>
  html`<a href="${toHref(id)}">${shortId(id)}</a>`;

export function olderHtml(view: Copies, toHref: (id: string) => string): Html | undefined {
  const { copyOf } = view;
  const notice = copyNotice(view);
  if (copyOf === undefined || notice === '') return undefined;
  return html`<p><strong>${notice}</strong>: ${linkTo(copyOf.id, toHref)} has ${copyOf.equal} of its ${copyOf.of} lines.</p>\n`;
}

export function copiesHtml({ copies }: Copies, toHref: (id: string) => string): Html | undefined {
  if (copies.count === 0) return undefined;
  const links = copies.items.map((id) => linkTo(id, toHref));
  return html`<p class="small">${describeCopies(copies)}: ${joinHtml(links, ', ')}</p>\n`;
}

const describeCopies = ({ count }: Copies['copies']): string =>
  `${plural(count, 'later copy', 'later copies')} of this thread`;

export function copiesMarkdown(view: Copies): (string | undefined)[] {
  const { copyOf, copies } = view;
  const notice = copyNotice(view);
  return [
    notice && copyOf && `${notice}: ${copyOf.id} has ${copyOf.equal} of its ${copyOf.of} lines.`,
    copies.count === 0 ? '' : `${describeCopies(copies)}: ${copies.items.join(' ')}`,
  ];
}

/** The line "Useful outcome" of an IDEA; null if its title says that already. */
function readWanted({ message, prefix, title }: ThreadView['first']): string | null {
  const outcome = prefix === 'IDEA' ? readOutcomeLine(message) : null;
  if (outcome === null || outcome.startsWith(title.replace(/…$/, ''))) return null;
  const line = outcome.replaceAll(/\*\*|`/g, '').replaceAll(/\s+/g, ' ');
  return abbreviate(withNumbers(line), MAX_WANTED);
}

export function wantedHtml({ first, hasEnded }: View): Html {
  const wanted = readWanted(first);
  return html`${hasEnded ? html`<p><strong>${ENDED}</strong></p>\n` : ''}${
    wanted === null ? '' : html`<p class="want" dir="auto">Wanted: ${wanted}</p>\n`
  }`;
}

export function wantedMarkdown({ first, hasEnded }: View): string[] {
  const wanted = readWanted(first);
  return [hasEnded ? ENDED : '', wanted === null ? '' : `Wanted:\n\n${toFence(wanted)}`];
}

/** What a page says first if it is not as the opener sees it. */
export function viewerNotice({ viewer, trusted, isViewerTrusted }: KnownThread): string | undefined {
  if (viewer === undefined || trusted[0]?.why === 'opened') return undefined;
  const trust = isViewerTrusted ? '' : ' That signer is not trusted here.';
  return `You see this thread as the signer ${viewer} sees it, not as the opener sees it.${trust}`;
}
