import type { Standing } from '#work/thread.ts';
import { formatMinute, formatTime, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { toFence, toSignedFence } from '#http/html/stranger-text.ts';
import { besideStanding, signatureMarkdown } from '#http/pages/parts/byline.ts';
import { marksHtml, numberHtml } from '#http/pages/parts/marks.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import { judgeHtml, ONLY_OF_NAME } from './lineage.ts';
import type { ThreadView } from './thread-view.ts';

type State = NonNullable<ThreadView['state']>;
type ResultInBrief = NonNullable<State['results'][Standing]>[number];
type View = Pick<ThreadView, 'references' | 'onlyOfName' | 'standings' | 'titleOf'>;

/** In the order in which a reader needs them: the standings of RESULTs, and what each is called above its list. */
const SECTIONS: readonly { readonly heading: string; readonly standings: readonly Standing[] }[] = [
  { heading: 'Confirmed', standings: ['confirmed'] },
  { heading: 'Confirmed in part', standings: ['partly'] },
  { heading: 'To review', standings: ['unreviewed'] },
  { heading: 'Contested', standings: ['contested'] },
  { heading: 'Not confirmed', standings: ['notConfirmed'] },
];

const CLOSED: (typeof SECTIONS)[number] = {
  heading: 'Replaced, withdrawn',
  standings: ['replaced', 'withdrawn'],
};

/** Of a thread whose opener has no claimed mark. */
export const NO_CIRCLE =
  'Nothing in this thread is confirmed: whoever opened it sent no key, so nobody decides whose REVIEWs count.';
const NOTHING_YET = 'No RESULT yet.';
const SOURCE = 'Computed from REVIEWs; the service checked nothing.';

interface Section {
  readonly standing: Standing | undefined;
  readonly title: string;
  readonly results: readonly ResultInBrief[];
  /** How many there are besides. */
  readonly others: number;
}

function readSection(
  { counts, results }: State,
  { heading, standings }: (typeof SECTIONS)[number],
): Section[] {
  const count = standings.reduce((sum, standing) => sum + (counts[standing] ?? 0), 0);
  const listed = standings.flatMap((standing) => results[standing] ?? []);
  const title = `${heading}: ${count}`;
  return count === 0
    ? []
    : [{ standing: standings[0], title, results: listed, others: count - listed.length }];
}

/** Where the work of a thread stands: computed from its messages, never written by one. */
export function stateHtml(state: State, view: View): Html {
  const open = SECTIONS.flatMap((section) => readSection(state, section)).map((section) => {
    const heading = html`<span class="st ${section.standing ?? ''}">${section.title}</span>`;
    return html`<h3>${heading}</h3>\n${resultsHtml(section, view)}`;
  });
  const closed = readSection(state, CLOSED).map(
    (section) =>
      html`<details><summary>${section.title}</summary>\n${resultsHtml(section, view)}</details>\n`,
  );
  const nothing = open.length + closed.length === 0 ? html`<p>${NOTHING_YET}</p>\n` : '';
  return html`<section class="works" aria-labelledby="state">
<h2 id="state">State of the work</h2>
${nothing}${open}${closed}${underWayHtml(state, view)}${partsHtml(state)}<p class="small quiet">${SOURCE}</p>
</section>
`;
}

function resultsHtml({ results, others }: Section, view: View): Html {
  const { references } = view;
  const items = results.map((result) => {
    const { name, namesakeOf } = result;
    const { resembles, checks, replacedBy, beside } = saidOf(result, view);
    const marks = marksHtml({ name, namesakeOf, resembles, prefix: null }, references);
    const said = [
      ...checks.map((check) => html`, ${check.outcome} by ${judgeHtml(check, view)}`),
      ...replacedBy.map((id) => html`, replaced by ${numberHtml(id, references)}`),
      ...beside.map((words) => html`, ${words}`),
    ];
    return itemHtml(result, html`${nameHtml(name)}${marks}${said}`, view);
  });
  return html`<ul>${items}</ul>\n${moreHtml(others)}`;
}

const moreHtml = (count: number): Html =>
  count === 0 ? html`` : html`<p class="small quiet">and ${count} more</p>\n`;

/** What a RESULT is a copy of, who judges it, what replaced it, and what stands beside its standing. */
function saidOf({ id, checks = [] }: ResultInBrief, { standings }: View) {
  const said = standings.get(id) ?? {};
  const { standing, because = [], resembles } = said;
  const replacing = because.filter(({ outcome }) => outcome === 'replaced').slice(0, 1);
  return {
    resembles,
    // Its writer withdraws it by saying that it does not hold, too. Of others `beside` has the outcomes.
    checks:
      standing === 'withdrawn'
        ? checks.map((check) => ({ ...check, outcome: 'withdrawn' }))
        : checks.filter((check) => check.in === 'circle'),
    replacedBy: replacing.map((one) => one.id),
    beside: besideStanding(said),
  };
}

function itemHtml(
  { id, title }: Pick<ResultInBrief, 'id' | 'title'>,
  facts: Html,
  { references: { numberOf, toHref }, titleOf }: View,
): Html {
  return html`<li><span class="num">#${numberOf(id) ?? ''}</span> <a href="${toHref(id) ?? ''}" dir="auto">${titleOf(id) ?? title}</a>
<div>${facts}</div></li>\n`;
}

const nameHtml = (name: string | null): Html => (name === null ? html`${NO_NAME}` : html`<bdi>${name}</bdi>`);

function underWayHtml({ underWay, moreUnderWay = 0, newest }: State, view: View): Html {
  if (underWay.length === 0) return html`<p class="small quiet">Nothing is under way.</p>\n`;
  const items = underWay.map((work) => {
    const { name, namesakeOf, dueAt } = work;
    const marks = marksHtml({ name, namesakeOf, prefix: null }, view.references);
    return itemHtml(
      work,
      html`${nameHtml(name)}${marks}, until ${formatTime(dueAt, newest.createdAt)}`,
      view,
    );
  });
  const count = underWay.length + moreUnderWay;
  return html`<h3>Under way: ${count}</h3>\n<ul>${items}</ul>\n${moreHtml(moreUnderWay)}`;
}

function partsHtml({ parts }: State): Html {
  const all = parts.flatMap((idea) => idea.parts);
  if (all.length === 0) return html``;
  const free = all.filter((part) => part.free).map(({ name }) => name);
  const names = free.map((name, index) => html`${index === 0 ? '' : '; '}<bdi>${name}</bdi>`);
  return html`<p class="small quiet">${countParts(all.length, free.length)}${free.length === 0 ? '' : html`: ${names}`}</p>\n`;
}

const countParts = (all: number, free: number): string =>
  `${plural(all, 'part')}, ${free === 0 ? 'none' : free} free`;

/** The same as Markdown. */
export function stateMarkdown(state: State, view: View): string[] {
  const numbered = (id: string): string => `#${view.references.numberOf(id) ?? ''} ${id}`;
  const sections = [...SECTIONS, CLOSED].flatMap((section) => readSection(state, section));
  const free = state.parts.flatMap(({ parts }) => parts).filter((part) => part.free);
  const partCount = state.parts.reduce((sum, { parts }) => sum + parts.length, 0);
  return [
    '## State of the work',
    ...(sections.length === 0 ? [NOTHING_YET] : []),
    ...sections.flatMap(({ title, results, others }) => [
      `### ${title}`,
      ...results.map((result) => {
        const { id, name } = result;
        const { resembles, checks, replacedBy, beside } = saidOf(result, view);
        const facts = [
          ...signatureMarkdown({ ...result, resembles }),
          ...checks.map((check) => {
            const only = view.onlyOfName.has(check.id) ? [ONLY_OF_NAME] : [];
            const signature = [...signatureMarkdown(check), ...only].join(', ');
            return `${check.outcome} by ${numbered(check.id)}${signature === '' ? '' : ` (${signature})`}`;
          }),
          ...replacedBy.map((one) => `replaced by ${numbered(one)}`),
          ...beside,
        ];
        const sayers = Object.fromEntries(
          checks.flatMap((check) =>
            check.name === null ? [] : [[`#${view.references.numberOf(check.id) ?? ''} from`, check.name]],
          ),
        );
        const title = view.titleOf(id) ?? result.title;
        return `${[numbered(id), ...facts].join(', ')}\n\n${toSignedFence(name, title, sayers)}`;
      }),
      ...(others === 0 ? [] : [`and ${others} more`]),
    ]),
    ...(state.underWay.length === 0
      ? ['Nothing is under way.']
      : [`### Under way: ${state.underWay.length + (state.moreUnderWay ?? 0)}`]),
    ...state.underWay.map((work) => {
      const facts = [numbered(work.id), ...signatureMarkdown(work), `until ${formatMinute(work.dueAt)} UTC`];
      return `${facts.join(', ')}\n\n${toSignedFence(work.name, view.titleOf(work.id) ?? work.title)}`;
    }),
    ...(partCount === 0 ? [] : [countParts(partCount, free.length)]),
    ...(free.length === 0 ? [] : [toFence(free.map(({ name }) => name).join('\n'))]),
    SOURCE,
  ];
}
