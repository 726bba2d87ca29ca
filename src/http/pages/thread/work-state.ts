import type { Standing } from '#work/thread.ts';
import { formatMinute, formatTime } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { noticeHtml, toSignedFence } from '#http/html/stranger-text.ts';
import { nameHtml } from '#http/pages/parts/byline.ts';
import { marksHtml, marksMarkdown, numberHtml, type Marked } from '#http/pages/parts/marks.ts';
import {
  besideStanding,
  readJudges,
  standingHtml,
  standingWords,
  type Judge,
} from '#http/pages/parts/standings.ts';
import { judgeHtml } from './lineage.ts';
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

interface Row {
  readonly message: Marked & { readonly id: string; readonly title: string };
  readonly standing?: Standing;
  readonly facts: readonly Fact[];
}

/** What stands below the title, in words before the message that they speak of. */
interface Fact {
  readonly words: string;
  readonly judge?: Judge;
  readonly id?: string;
}

function factsOf(standing: Standing, result: ResultInBrief): Fact[] {
  const { others, checked, replacedBy, withdrawn, newerEdition } = result;
  return [
    ...readJudges({ standing, others, checked }).map((judge) => ({ words: `${judge.outcome} by`, judge })),
    ...(replacedBy === undefined ? [] : [{ words: 'replaced by', id: replacedBy }]),
    ...(withdrawn === undefined ? [] : [{ words: 'withdrawn by its writer:', id: withdrawn }]),
    // The words of others stand with their numbers.
    ...besideStanding({ standing, newerEdition }).map((words) => ({ words })),
  ];
}

/** @returns the RESULTs with some standings, and how many there are besides */
function listResults({ counts, results }: State, standings: readonly Standing[]) {
  const rows = standings.flatMap((standing) =>
    (results[standing] ?? []).map(
      (result): Row => ({ message: result, standing, facts: factsOf(standing, result) }),
    ),
  );
  const count = standings.reduce((sum, standing) => sum + (counts[standing] ?? 0), 0);
  return { rows, count, more: describeMore(count - rows.length) };
}

const listWorks = ({ underWay }: State, toTime: (at: string) => string): Row[] =>
  underWay.map((work) => ({ message: work, facts: [{ words: `until ${toTime(work.dueAt)}` }] }));

const describeMore = (count: number): string[] => (count === 0 ? [] : [`and ${count} more`]);

/** Where the work of a thread stands: computed from its messages, never written by one. */
export function stateHtml(state: State, view: View): Html {
  const [open, closed] = [listResults(state, OPEN), listResults(state, CLOSED)];
  const listHtml = ({ rows, more }: Pick<typeof open, 'rows' | 'more'>): Html =>
    html`<ul>${rows.map((row) => rowHtml(row, view))}</ul>\n${more.map((words) => html`<p class="small quiet">${words}</p>\n`)}`;
  const folded =
    closed.count === 0
      ? ''
      : html`<details><summary>Not confirmed, replaced or withdrawn: ${closed.count}</summary>\n${listHtml(closed)}</details>\n`;
  const works = listWorks(state, (at) => formatTime(at, state.newest.createdAt));
  const { underWay = 0 } = state.counts;
  const moreWorks = describeMore(underWay - works.length);
  return html`<section class="works" aria-labelledby="state">
<h2 id="state">${HEADING}</h2>
${noticeHtml()}
${open.count + closed.count === 0 ? html`<p>${NOTHING_YET}</p>\n` : ''}${open.count === 0 ? '' : listHtml(open)}${folded}${
  works.length === 0
    ? html`<p class="small quiet">${NOTHING_UNDER_WAY}</p>\n`
    : html`<h3>Under way: ${underWay}</h3>\n${listHtml({ rows: works, more: moreWorks })}`
}</section>
`;
}

function rowHtml({ message, standing, facts }: Row, view: View): Html {
  const { id, name, title } = message;
  const { references, titleOf } = view;
  const below = facts.map(({ words, judge, id: other }) => {
    const target = judge === undefined ? other && numberHtml(other, references) : judgeHtml(judge, view);
    return html`, ${words}${target && html` ${target}`}`;
  });
  return html`<li><span class="num">#${references.numberOf(id)}</span> <a href="${references.toHref(id)}" dir="auto">${titleOf(id) ?? title}</a>${standingHtml({ standing })}
<div>${nameHtml(name)}${marksHtml(message, references)}${below}</div></li>\n`;
}

export function stateMarkdown(state: State, view: View): string[] {
  const { rows, count, more } = listResults(state, [...OPEN, ...CLOSED]);
  const works = listWorks(state, (at) => `${formatMinute(at)} UTC`);
  return [
    `## ${HEADING}`,
    ...(count === 0 ? [NOTHING_YET] : []),
    ...rows.map((row) => rowMarkdown(row, view)),
    ...more,
    works.length === 0 ? NOTHING_UNDER_WAY : `### Under way: ${state.counts.underWay ?? 0}`,
    ...works.map((row) => rowMarkdown(row, view)),
  ];
}

function rowMarkdown({ message, standing, facts }: Row, view: View): string {
  const { id, name, title } = message;
  const numberOf = (one: string): string => `#${view.references.numberOf(one) ?? ''}`;
  const sayers: Record<string, string> = {};
  for (const { judge } of facts) if (judge?.name != null) sayers[`${numberOf(judge.id)} from`] = judge.name;
  const texts = facts.map(({ words, judge, id: other = judge?.id }) => {
    const marks = judge && marksMarkdown({ ...judge, isOnly: view.onlyOfName.has(judge.id) }).join(', ');
    return `${words}${other === undefined ? '' : ` ${numberOf(other)} ${other}`}${marks ? ` (${marks})` : ''}`;
  });
  const line = [`${numberOf(id)} ${id}`, standingWords({ standing }), ...marksMarkdown(message), ...texts];
  return `${line.filter(Boolean).join(', ')}\n\n${toSignedFence(name, view.titleOf(id) ?? title, sayers)}`;
}
