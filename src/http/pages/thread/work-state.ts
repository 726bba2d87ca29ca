import type { Standing } from '#work/thread.ts';
import { formatMinute, formatTime } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { noticeHtml, toSignedFence } from '#http/html/stranger-text.ts';
import {
  besideStanding,
  nameHtml,
  readJudges,
  signatureMarkdown,
  standingHtml,
  standingWords,
} from '#http/pages/parts/byline.ts';
import { marksHtml, numberHtml } from '#http/pages/parts/marks.ts';
import { judgeHtml, ONLY_OF_NAME } from './lineage.ts';
import type { ThreadView } from './thread-view.ts';

type State = NonNullable<ThreadView['state']>;
type ResultInBrief = NonNullable<State['results'][Standing]>[number];
type View = Pick<ThreadView, 'references' | 'onlyOfName' | 'titleOf'>;

/** In the order in which a reader needs them. */
const OPEN = ['confirmed', 'partlyConfirmed', 'unreviewed', 'reviewed', 'contested'] as const;
/** What does not hold, and what its writer has taken back. */
const CLOSED = ['refuted', 'replaced', 'withdrawn'] as const;

const HEADING = 'Results so far';
const NOTHING_YET = 'No RESULT yet.';
const NOTHING_UNDER_WAY = 'Nothing is being worked on.';

interface Listed {
  readonly standing: Standing;
  readonly result: ResultInBrief;
}

/** @returns the RESULTs with some standings, and how many there are besides */
function listResults({ counts, results }: State, standings: readonly Standing[]) {
  const listed = standings.flatMap((standing) =>
    (results[standing] ?? []).map((result): Listed => ({ standing, result })),
  );
  const count = standings.reduce((sum, standing) => sum + (counts[standing] ?? 0), 0);
  return { listed, count, more: count === listed.length ? [] : [`and ${count - listed.length} more`] };
}

/** Where the work of a thread stands: computed from its messages, never written by one. */
export function stateHtml(state: State, view: View): Html {
  const [open, closed] = [listResults(state, OPEN), listResults(state, CLOSED)];
  const listHtml = ({ listed, more }: typeof open): Html =>
    html`<ul>${listed.map((one) => resultHtml(one, view))}</ul>\n${more.map((words) => html`<p class="small quiet">${words}</p>\n`)}`;
  const folded =
    closed.count === 0
      ? ''
      : html`<details><summary>Not confirmed, replaced or withdrawn: ${closed.count}</summary>\n${listHtml(closed)}</details>\n`;
  const nothing = open.count + closed.count === 0 ? html`<p>${NOTHING_YET}</p>\n` : '';
  return html`<section class="works" aria-labelledby="state">
<h2 id="state">${HEADING}</h2>
${noticeHtml()}
${nothing}${open.count === 0 ? '' : listHtml(open)}${folded}${underWayHtml(state, view)}</section>
`;
}

function resultHtml({ standing, result }: Listed, view: View): Html {
  const { references } = view;
  const marks = marksHtml({ ...result, prefix: null }, references);
  const { judges, beside } = saidOf(standing, result);
  const said = [
    ...judges.map((one) => html`, ${one.outcome} by ${judgeHtml(one, view)}`),
    ...[result.replacedBy ?? []].flat().map((id) => html`, replaced by ${numberHtml(id, references)}`),
    ...[result.withdrawn ?? []]
      .flat()
      .map((id) => html`, withdrawn by its writer: ${numberHtml(id, references)}`),
    ...beside.map((words) => html`, ${words}`),
  ];
  return itemHtml(result, html`${nameHtml(result.name)}${marks}${said}`, view, standing);
}

const moreHtml = (count: number): Html =>
  count === 0 ? html`` : html`<p class="small quiet">and ${count} more</p>\n`;

/** Who judges a RESULT, and what else stands beside its standing: the words of others stand with their numbers. */
function saidOf(standing: Standing, { others, ...result }: ResultInBrief) {
  return {
    judges: readJudges({ standing, others, checked: result.checked }),
    beside: besideStanding({ standing, newerEdition: result.newerEdition }),
  };
}

function itemHtml(
  { id, title }: Pick<ResultInBrief, 'id' | 'title'>,
  facts: Html,
  { references: { numberOf, toHref }, titleOf }: View,
  standing?: Standing,
): Html {
  return html`<li><span class="num">#${numberOf(id) ?? ''}</span> <a href="${toHref(id) ?? ''}" dir="auto">${titleOf(id) ?? title}</a>${standingHtml({ standing })}
<div>${facts}</div></li>\n`;
}

function underWayHtml({ underWay, counts, newest }: State, view: View): Html {
  if (underWay.length === 0) return html`<p class="small quiet">${NOTHING_UNDER_WAY}</p>\n`;
  const items = underWay.map((work) => {
    const { name, dueAt } = work;
    const marks = marksHtml({ ...work, prefix: null }, view.references);
    return itemHtml(
      work,
      html`${nameHtml(name)}${marks}, until ${formatTime(dueAt, newest.createdAt)}`,
      view,
    );
  });
  const { underWay: count = 0 } = counts;
  return html`<h3>Under way: ${count}</h3>\n<ul>${items}</ul>\n${moreHtml(count - underWay.length)}`;
}

/** The same as Markdown. */
export function stateMarkdown(state: State, view: View): string[] {
  const numbered = (id: string): string => `#${view.references.numberOf(id) ?? ''} ${id}`;
  const { listed, count, more } = listResults(state, [...OPEN, ...CLOSED]);
  return [
    `## ${HEADING}`,
    ...(count === 0 ? [NOTHING_YET] : []),
    ...listed.map(({ standing, result }) => {
      const { id, name } = result;
      const { judges, beside } = saidOf(standing, result);
      const facts = [
        standingWords({ standing }) || 'to review',
        ...signatureMarkdown(result),
        ...judges.map((check) => {
          const only = view.onlyOfName.has(check.id) ? [ONLY_OF_NAME] : [];
          const signature = [...signatureMarkdown(check), ...only].join(', ');
          return `${check.outcome} by ${numbered(check.id)}${signature === '' ? '' : ` (${signature})`}`;
        }),
        ...[result.replacedBy ?? []].flat().map((one) => `replaced by ${numbered(one)}`),
        ...[result.withdrawn ?? []].flat().map((one) => `withdrawn by its writer: ${numbered(one)}`),
        ...beside,
      ];
      const sayers = Object.fromEntries(
        judges.flatMap((check) =>
          check.name === null ? [] : [[`#${view.references.numberOf(check.id) ?? ''} from`, check.name]],
        ),
      );
      const title = view.titleOf(id) ?? result.title;
      return `${[numbered(id), ...facts].join(', ')}\n\n${toSignedFence(name, title, sayers)}`;
    }),
    ...more,
    state.underWay.length === 0 ? NOTHING_UNDER_WAY : `### Under way: ${state.counts.underWay ?? 0}`,
    ...state.underWay.map((work) => {
      const facts = [numbered(work.id), ...signatureMarkdown(work), `until ${formatMinute(work.dueAt)} UTC`];
      return `${facts.join(', ')}\n\n${toSignedFence(work.name, view.titleOf(work.id) ?? work.title)}`;
    }),
  ];
}
