import { formatTime } from '#http/html/formats.ts';
import { toFindingView, type FindingView } from '#http/pages/parts/findings.ts';
import type { Marked } from '#http/pages/parts/marks.ts';
import { toSearch } from '#http/pages/parts/page.ts';
import { standingWords, stateWords } from '#http/html/standings.ts';
import type { Finding } from '#workspace/reading/findings.ts';
import type { Cut, DescribedWork, KnownThread } from '#workspace/reading/known-thread.ts';
import { timestampAt } from '#workspace/text/time.ts';

// What is known in a thread, in words that HTML and Markdown share.

/** A part, a RESULT or a WORK. */
export interface Row {
  readonly part?: string;
  /** A standing, or the state of a part. It has a colour. */
  readonly state: string;
  readonly words: string;
  readonly finding?: FindingView;
  readonly work?: DescribedWork & { readonly until: string };
  readonly notes: readonly Note[];
  /** The URL of all REVIEWs of a RESULT, if the row leaves some out. */
  readonly all?: string | undefined;
}

/** A remark, and the messages that it refers to. */
interface Note {
  readonly words: string;
  readonly ids: readonly string[];
  /** Who wrote it. */
  readonly by?: Marked;
}

export interface Group {
  readonly heading: string;
  /** The IDEA with these parts, unless it begins the thread. */
  readonly idea?: string;
  readonly rows: readonly Row[];
  /** The number of rows that are left out. */
  readonly more: number;
}

export type KnownView = NonNullable<ReturnType<typeof toKnownView>>;

/**
 * @param isOver whether the IDEA that begins the thread has ended
 * @param day that the page states, like `2026-03-02`; times leave it out
 * @returns undefined for a thread without work
 */
export function toKnownView(known: KnownThread, isOver: boolean, day: string) {
  const { results, toReview, underWay, setAside, findings } = known;
  const inAll = known.ideas.length + results.count + toReview.count + underWay.count + setAside.count;
  if (inAll === 0) return undefined;
  const works = underWay.items.map((work) => ({ ...work, until: formatTime(work.dueAt, day) }));
  const listedIds = new Set<string>();
  const toRow = (finding: Finding): Row => {
    const on = works.filter(({ takes }) => takes.includes(finding.id));
    for (const { id } of [finding, ...on]) listedIds.add(id);
    const noted = on.map((by) => ({ words: `being worked on until ${by.until} by`, ids: [by.id], by }));
    const row = toFindingRow(finding);
    return { ...row, notes: [...row.notes, ...noted] };
  };
  const toPartRow = ({ name, state, until, ...part }: KnownThread['ideas'][number]['parts'][number]): Row => {
    const finding = findings.get(part.result?.step.id ?? '');
    const work = works.find(({ id }) => id === part.work?.step.id);
    if (work !== undefined) listedIds.add(work.id);
    const words = state === 'free' && isOver ? 'not done' : stateWords(state);
    const ofPart = until === undefined ? undefined : formatTime(timestampAt(until), day);
    const row =
      finding === undefined
        ? { state, words, ...(work && ofPart && { work: { ...work, until: ofPart } }), notes: [] }
        : toRow(finding);
    const notes = [
      ...row.notes,
      ...toNote('not confirmed:', ...part.refuted.map(({ step }) => step.id)),
      ...toNote('announced:', ...part.announced.map(({ step }) => step.id)),
    ];
    return { ...row, part: name, notes };
  };
  const ofIdeas = known.ideas.map(({ idea: { step }, parts }): Group => {
    const group = { heading: '', rows: parts.map(toPartRow), more: 0 };
    return step.id === step.rootId ? group : { ...group, heading: 'Parts of', idea: step.id };
  });
  const groupOf = (heading: string, { items, count }: Cut<Finding>): Group => ({
    heading,
    rows: items.filter(({ id }) => !listedIds.has(id)).map(toRow),
    more: count - items.length,
  });
  const beside = groupOf(ofIdeas.length === 0 ? '' : 'Beside the parts', results);
  const waiting = groupOf('To review', toReview);
  const working: Group = {
    heading: 'Being worked on',
    rows: works
      .filter(({ id }) => !listedIds.has(id))
      .map((work): Row => ({ state: 'underWay', words: stateWords('underWay'), work, notes: [] })),
    more: underWay.count - works.length,
  };
  const aside: Group = {
    heading: 'Set aside',
    rows: setAside.items.map((finding) => ({
      ...toFindingRow(finding),
      ...(finding.why === 'nearCopy' && { words: 'nearly a copy' }),
    })),
    more: setAside.count - setAside.items.length,
  };
  return {
    ...known,
    /** The first group has no heading. */
    groups: [...ofIdeas, beside, working, waiting].filter(({ rows, more }) => rows.length + more > 0),
    setAside: aside,
  };
}

/** Creates the row of a RESULT, for a list and for its card. */
export function toFindingRow(finding: Finding): Row {
  const { id, standing, replacedBy, withdrawn, newerEdition, copyOf, ...shown } = finding;
  return {
    state: standing,
    words: standingWords({ standing }),
    finding: toFindingView({ id, standing, ...shown, ...(copyOf && { copyOf }) }),
    notes: [
      ...toNote('replaced by', replacedBy),
      ...toNote('withdrawn by its writer:', withdrawn),
      ...(newerEdition === undefined
        ? []
        : toNote(`newer version, ${standingWords(newerEdition)}:`, newerEdition.id)),
    ],
    all: finding.more && `/feed${toSearch({ q: id, prefix: 'REVIEW' })}`,
  };
}

const toNote = (words: string, ...ids: readonly (string | undefined)[]): Note[] => {
  const named = ids.filter((id) => id !== undefined);
  return named.length === 0 ? [] : [{ words, ids: named }];
};
