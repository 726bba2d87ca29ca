import { readOutcomeLine } from '#work/findings.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { formatTime, plural } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { shortId } from '#http/html/record-labels.ts';
import { toFence } from '#http/html/stranger-text.ts';
import { nameHtml } from '#http/pages/parts/byline.ts';
import { standingWords } from '#http/pages/parts/standings.ts';
import { toLine } from '#http/pages/parts/found.ts';
import { toSearch } from '#http/pages/parts/page.ts';
import type { PartInBrief } from '#work/parts.ts';
import { keptOf, type ThreadView } from './thread-view.ts';

// What stands above the messages of a thread: what is wanted, how far its parts are, and who is trusted.

const MAX_WANTED = 300;
const MAX_SHOWN = 8;

const ENDED = 'Its writer has ended this IDEA.';

type View = Pick<ThreadView, 'first' | 'parts' | 'hasEnded' | 'references'>;
type Viewers = Pick<ThreadView, 'viewer' | 'members' | 'distrusted'>;

type Copies = Pick<ThreadView, 'copyOf' | 'isCopyByAnother' | 'copies'>;

/** What a page says first of a thread that is nearly a copy; empty of any other. */
export function copyNotice({ copyOf, isCopyByAnother }: Copies): string {
  if (copyOf === undefined) return '';
  return `Nearly a copy of an older thread${isCopyByAnother ? ' by another writer' : ''}`;
}

export function copiesHtml(view: Copies, toHref: (id: string) => string): Html {
  const { copyOf, copies } = view;
  const linkTo = (id: string): Html => html`<a href="${toHref(id)}">${shortId(id)}</a>`;
  const older =
    copyOf &&
    html`<p><strong>${copyNotice(view)}</strong>: ${linkTo(copyOf.id)} has ${copyOf.equal} of its ${copyOf.of} lines.</p>\n`;
  const later = joinHtml(copies.slice(0, MAX_SHOWN).map(linkTo), ', ');
  return html`${older}${copies.length === 0 ? '' : html`<p class="small">${describeCopies(copies)}: ${later}</p>\n`}`;
}

const describeCopies = ({ length }: Copies['copies']): string => plural(length, 'later copy', 'later copies');

export function copiesMarkdown(view: Copies): (string | undefined)[] {
  const { copyOf, copies } = view;
  return [
    copyOf && `${copyNotice(view)}: ${copyOf.id} has ${copyOf.equal} of its ${copyOf.of} lines.`,
    copies.length === 0 ? '' : `${describeCopies(copies)}: ${copies.slice(0, MAX_SHOWN).join(' ')}`,
  ];
}

/** The line "Useful outcome" of an IDEA; null if its title says that already. */
function readWanted({ message, prefix, title }: ThreadView['first']): string | null {
  const outcome = prefix === 'IDEA' ? readOutcomeLine(message) : null;
  return outcome === null || outcome.startsWith(title.replace(/…$/, '')) ? null : toLine(outcome, MAX_WANTED);
}

export function wantedHtml(view: View): Html {
  const { first, parts, hasEnded } = view;
  const wanted = readWanted(first);
  const items = parts.map(
    (part) =>
      html`<li class="${part.state}"><b dir="auto">${part.name}</b> <span>${describePart(part, view)}</span></li>\n`,
  );
  return html`${hasEnded ? html`<p><strong>${ENDED}</strong></p>\n` : ''}${wanted === null ? '' : html`<p class="want" dir="auto">Wanted: ${wanted}</p>\n`}${
    items.length === 0 ? '' : html`<ul class="parts" aria-label="Parts">${items}</ul>\n`
  }`;
}

function describePart(part: PartInBrief, { first, hasEnded, references }: View): string {
  const { state, until, refuted, announced } = part;
  const listed = (words: string, messages: PartInBrief['refuted']): string =>
    messages.length === 0
      ? ''
      : `, ${words}: ${messages.map(({ step }) => `#${references.numberOf(step.id) ?? ''}`).join(' ')}`;
  const beside = `${listed('not confirmed', refuted)}${listed('announced', announced)}`;
  if (state === 'toReview') return `to review${beside}`;
  if (state === 'confirmed' || state === 'partlyConfirmed') return standingWords({ standing: state });
  if (hasEnded) return `not done${beside}`;
  if (until === undefined) return `still to do${beside}`;
  return `being worked on until ${formatTime(timestampAt(until), first.createdAt)}${beside}`;
}

export function wantedMarkdown(view: View): string[] {
  const wanted = readWanted(view.first);
  const lines = view.parts.map((part) => `${part.name}: ${describePart(part, view)}`);
  return [
    view.hasEnded ? ENDED : '',
    wanted === null ? '' : `Wanted:\n\n${toFence(wanted)}`,
    lines.length === 0 ? '' : `Parts:\n\n${toFence(lines.join('\n'))}`,
  ];
}

/** What a page says first if it is not as the opener sees it. */
export function viewerNotice({ viewer, members }: Viewers): string | undefined {
  if (viewer === undefined || viewer === members[0]?.signer) return undefined;
  const isTrusted = members.some(({ signer }) => signer === viewer);
  return `Not as the opener sees it, but as ${viewer} does${isTrusted ? '' : ', who is not trusted here'}.`;
}

/** Links to the thread as others who are trusted here see it. @param path of the thread */
export function viewersHtml(path: string, view: ThreadView): Html {
  const { viewer, members, distrusted } = view;
  if (members.length < 2 && distrusted.length === 0) return html``;
  const links = members.map(({ signer, name }, index) => {
    const words = index === 0 ? 'opener' : signer;
    const isShown = viewer === undefined ? index === 0 : viewer === signer;
    const search = toSearch({ ...keptOf(view), viewer: index === 0 ? undefined : signer });
    const link = isShown ? html`<strong>${words}</strong>` : html`<a href="${path}${search}">${words}</a>`;
    return html`${link} ${nameHtml(name)}`;
  });
  const out = distrusted.slice(-MAX_SHOWN).map(({ signer, name }) => html`${signer} ${nameHtml(name)}`);
  return html`<p class="small">Trusted here: ${joinHtml(links, ' · ')}${
    out.length === 0 ? '' : html`. Distrusted by the opener: ${joinHtml(out, ', ')}`
  }</p>\n`;
}

/** Who is trusted, and whom the opener distrusts, the last ones: a signer in each line. */
export function trustMarkdown({ members, distrusted }: Viewers): string[] {
  const toText = (words: string, list: ThreadView['members']): string[] => {
    const lines = list.map(({ signer, name }) => (name === null ? signer : `${signer} ${name}`));
    return list.length === 0 ? [] : [`${words}: ${list.length}\n\n${toFence(lines.join('\n'))}`];
  };
  return [...toText('Trusted here', members), ...toText('Distrusted here', distrusted.slice(-MAX_SHOWN))];
}
