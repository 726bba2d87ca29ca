import { readOutcomeLine } from '#work/findings.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { formatTime } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { toFence } from '#http/html/stranger-text.ts';
import { nameHtml, standingWords } from '#http/pages/parts/byline.ts';
import { toLine } from '#http/pages/parts/found.ts';
import { toSearch } from '#http/pages/parts/page-query.ts';
import type { PartInBrief } from '#work/parts.ts';
import type { ThreadView } from './thread-view.ts';

// What stands above the messages of a thread: what is wanted, how far its parts are, and as whom one sees it.

const MAX_WANTED = 300;
const MAX_PUT_OUT = 8;

const ENDED = 'Its writer has ended this IDEA.';

type View = Pick<ThreadView, 'first' | 'parts' | 'hasEnded'>;

/** The line "Useful outcome" of an IDEA; null if its title says that already. */
function readWanted({ message, prefix, title }: ThreadView['first']): string | null {
  const outcome = prefix === 'IDEA' ? readOutcomeLine(message) : null;
  return outcome === null || outcome.startsWith(title.replace(/…$/, '')) ? null : toLine(outcome, MAX_WANTED);
}

export function wantedHtml({ first, parts, hasEnded }: View): Html {
  const wanted = readWanted(first);
  const items = parts.map(
    (part) =>
      html`<li class="${part.standing ?? (part.worker === undefined && !hasEnded ? 'free' : 'held')}"><b dir="auto">${part.name}</b> <span>${describePart(part, first.createdAt, hasEnded)}</span></li>\n`,
  );
  return html`${hasEnded ? html`<p><strong>${ENDED}</strong></p>\n` : ''}${wanted === null ? '' : html`<p class="want" dir="auto">Wanted: ${wanted}</p>\n`}${
    items.length === 0 ? '' : html`<ul class="parts" aria-label="Parts">${items}</ul>\n`
  }`;
}

/** @param known as for `formatTime` */
function describePart({ standing, worker }: PartInBrief, known: string, hasEnded: boolean): string {
  if (standing !== undefined) return standingWords({ standing }) || 'to review';
  if (hasEnded) return 'not done';
  return worker === undefined
    ? 'nobody on it'
    : `being worked on until ${formatTime(timestampAt(worker.until), known)}`;
}

export function wantedMarkdown({ first, parts, hasEnded }: View): string[] {
  const wanted = readWanted(first);
  const lines = parts.map((part) => `${part.name}: ${describePart(part, first.createdAt, hasEnded)}`);
  return [
    ...(hasEnded ? [ENDED] : []),
    ...(wanted === null ? [] : [`Wanted:\n\n${toFence(wanted)}`]),
    ...(lines.length === 0 ? [] : [`Parts:\n\n${toFence(lines.join('\n'))}`]),
  ];
}

/** What a page says to who looks through other eyes; undefined of the opener's circle. */
export function eyesNotice({ eyes, members }: Pick<ThreadView, 'eyes' | 'members'>): string | undefined {
  if (eyes === undefined) return undefined;
  const member = members.find(({ mark }) => mark === eyes);
  if (member === undefined) return `As a mark outside the circle sees it: ${eyes}.`;
  return member === members[0] ? undefined : `As ${member.mark} sees it.`;
}

/** Links to the thread as others of its circle see it. @param query with how the thread is shown */
export function eyesHtml(
  path: string,
  { eyes, members, putOut }: Pick<ThreadView, 'eyes' | 'members' | 'putOut'>,
  query: Readonly<Record<string, string>>,
): Html {
  if (members.length < 2 && putOut.length === 0) return html``;
  const links = members.map(({ mark, name }, index) => {
    const words = index === 0 ? 'opener' : mark;
    const isShown = eyes === undefined ? index === 0 : eyes === mark;
    const search = toSearch({ ...query, ...(index > 0 && { eyes: mark }) });
    const link = isShown ? html`<strong>${words}</strong>` : html`<a href="${path}${search}">${words}</a>`;
    return html`${index === 0 ? '' : ' · '}${link} ${nameHtml(name)}`;
  });
  const out = putOut
    .slice(-MAX_PUT_OUT)
    .map(
      ({ mark, name }, index) =>
        html`${index === 0 ? '. Put out by the opener: ' : ', '}${mark} ${nameHtml(name)}`,
    );
  return html`<p class="small">As seen by: ${links}${out}</p>\n`;
}

/** The circle, and whom its opener has put out last: a mark in each line. */
export function circleMarkdown({ members, putOut }: Pick<ThreadView, 'members' | 'putOut'>): string[] {
  const toText = (words: string, list: ThreadView['members']): string[] => {
    const lines = list.map(({ mark, name }) => (name === null ? mark : `${mark} ${name}`));
    return list.length === 0 ? [] : [`${words}: ${list.length}\n\n${toFence(lines.join('\n'))}`];
  };
  return [...toText('Circle', members), ...toText('Put out by the opener', putOut.slice(-MAX_PUT_OUT))];
}
