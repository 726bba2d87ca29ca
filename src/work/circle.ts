import type { Step } from '#message/step.ts';
import type { Circle, Names, Original, Result, Said, Standing, Thread, View } from './thread.ts';
import { hasName, isSameWriter, type Author, type Look, type Writer } from './writers.ts';

/** The views of other marks that a thread keeps: one page asks for its view several times. */
const MAX_VIEWS = 4;

/** The most writers in a circle. */
const MAX_WRITERS = 64;

const createView = (circle: Circle): View => ({
  circle,
  verdicts: new Map(),
  judgements: new Map(),
  names: undefined,
  others: new Map(),
});

/** @returns the view of whoever opened the thread; its circle is empty if the opener has no step with a mark */
export function viewOfOpener(thread: Thread): View {
  thread.view ??= createView(findCircle(thread, undefined));
  return thread.view;
}

/**
 * @param mark in any case
 * @returns the view of the circle of a mark together with that of the opener; undefined if the thread
 *   has no such mark
 */
export function viewOfMark(thread: Thread, mark: string): View | undefined {
  const viewer = thread.writers.withMark(mark);
  if (viewer === undefined) return undefined;
  const { others } = viewOfOpener(thread);
  const view = others.get(viewer) ?? createView(findCircle(thread, viewer));
  if (others.size >= MAX_VIEWS) others.clear();
  others.set(viewer, view);
  return view;
}

/** A mark of a thread, and the name of its first message. */
export interface Member {
  readonly mark: string;
  readonly name: string | null;
}

const toMember = ({ mark, first }: Writer): Member => ({ mark, name: first.name ?? null });

/** @returns whose word counts in a thread, the opener first */
export function membersOf(thread: Thread, { circle } = viewOfOpener(thread)): Member[] {
  return Array.from(circle, toMember);
}

/** @returns the marks that a line "Circle: without" of the opener keeps out of a circle */
export function putOutOf(thread: Thread, { circle } = viewOfOpener(thread)): Member[] {
  return [...linesOf(thread, openerOf(thread), '~')]
    .flatMap(([mark, isIn]) => (isIn ? [] : (thread.writers.withMark(mark) ?? [])))
    .filter((writer) => !circle.has(writer))
    .map(toMember);
}

/** What a line "Circle:" of the opener has done with a mark. */
export interface CircleChange {
  readonly mark: string;
  /** Whether it is in the circle now. */
  readonly isIn: boolean;
  /** Whether the line does nothing yet: no key of the mark was sent here, or it is the opener's. */
  readonly isIdle: boolean;
}

/** @param lines those of a message @returns null of another writer than the opener, whose lines do nothing */
export function changesBy(
  { writer }: Author,
  thread: Thread,
  lines: Step['circle'] = [],
): CircleChange[] | null {
  if (writer === null || writer !== openerOf(thread)) return null;
  return lines.map(({ mark, isIn: isWanted }) => {
    const named = thread.writers.withMark(mark);
    const isIn = named !== undefined && viewOfOpener(thread).circle.has(named);
    return { mark, isIn, isIdle: named === undefined || isIn !== isWanted };
  });
}

/** @returns whoever opened the thread with a key */
function openerOf({ opener, writers }: Thread): Writer | undefined {
  return opener === undefined ? undefined : writers.withMark(opener);
}

/** @returns the circle of the opener as the messages before a time made it, without whom it has put out since */
export function circleAt(thread: Thread, before: string): Circle {
  const { circle } = viewOfOpener(thread);
  return new Set([...findCircle(thread, undefined, before)].filter((writer) => circle.has(writer)));
}

/**
 * Begins with the opener, those whom a line "Circle: with" of the opener names, and the viewer. Each round adds
 * the writers of RESULTs that a member confirms with evidence, the earliest confirmation first. So whom the
 * opener confirms comes before those whom only others confirm, and many keys of one party crowd nobody out.
 */
function findCircle(thread: Thread, viewer: Writer | undefined, until = '~'): Circle {
  const opener = openerOf(thread);
  const isIn = linesOf(thread, opener, until);
  const members = new Set<Writer>();
  const join = (writer: Writer | undefined): void => {
    if (writer !== undefined && members.size < MAX_WRITERS) members.add(writer);
  };
  join(opener);
  join(viewer);
  for (const [mark, isWith] of isIn) if (isWith) join(thread.writers.withMark(mark));
  let candidates = confirmationsIn(thread, until).filter(
    ({ of }) => of === viewer || of === opener || isIn.get(of.mark) !== false,
  );
  const blocking = new Map<Result, Result>();
  for (let before = 0; before < members.size && candidates.length > 0; ) {
    before = members.size;
    const soFar = new Set(members);
    const refuted = new Map<Result, boolean>();
    for (const { by, of, result } of candidates)
      if (soFar.has(by) && !isCopy(result, soFar, refuted, blocking)) join(of);
    candidates = candidates.filter(({ of }) => !members.has(of));
  }
  return members;
}

/** @returns by mark whether the newest line of the opener on it lets it in */
function linesOf(
  { circleLines }: Thread,
  opener: Writer | undefined,
  until: string,
): ReadonlyMap<string, boolean> {
  const isIn = new Map<string, boolean>();
  if (opener !== undefined)
    for (const { step, author } of circleLines)
      if (author.writer === opener && step.createdAt < until)
        for (const line of step.circle ?? []) isIn.set(line.mark, line.isIn);
  return isIn;
}

interface Confirmation {
  readonly by: Writer;
  /** The writer of the RESULT. */
  readonly of: Writer;
  readonly result: Result;
  readonly step: Said['step'];
}

/**
 * The confirmations with evidence of signed RESULTs of others, oldest first. A later "not confirmed" of the
 * same writer takes one back; no other outcome does.
 */
function confirmationsIn({ reviews }: Thread, until: string): Confirmation[] {
  const found = new Map<Result, Map<Writer, Confirmation>>();
  for (const { step, author, result } of reviews) {
    const [by, of] = [author.writer, result.author.writer];
    if (by === null || of === null || by === of) continue;
    if (step.hasEvidence !== true || step.createdAt >= until) continue;
    let ofResult = found.get(result);
    if (ofResult === undefined) found.set(result, (ofResult = new Map<Writer, Confirmation>()));
    if (step.outcome === 'not confirmed') ofResult.delete(by);
    else if (step.outcome === 'confirmed') ofResult.set(by, { by, of, result, step });
  }
  return [...found.values()]
    .flatMap((ofResult) => [...ofResult.values()])
    .sort((a, b) => (a.step.createdAt < b.step.createdAt ? -1 : 1));
}

/**
 * Whether a RESULT has most lines of an earlier one of another writer that the circle has not refuted.
 * @param refuted what is known of originals, of which each may have a thousand copies
 * @param blocking by copy the original that made it one in the round before, mostly still the same
 */
function isCopy(
  copy: Result,
  circle: Circle,
  refuted: Map<Result, boolean>,
  blocking: Map<Result, Result>,
): boolean {
  const blocks = (original: Result): boolean => {
    if (!refuted.has(original)) refuted.set(original, isRefuted(original, circle));
    return refuted.get(original) === false;
  };
  const known = blocking.get(copy);
  if (known !== undefined && blocks(known)) return true;
  const isOwn = ({ result }: Original): boolean => isSameWriter(result.author, copy.author);
  // An original that has the lines of an earlier RESULT of the same writer is a copy of that.
  const found = copy.originals.find(
    (one) => !isOwn(one) && !one.result.originals.some(isOwn) && blocks(one.result),
  );
  if (found !== undefined) blocking.set(copy, found.result);
  return found !== undefined;
}

/** The REVIEWs of a RESULT by a circle, as `newestOf`. */
export const reviewsBy = (circle: Circle, result: Result): Said[] =>
  newestOf(result, (reviewer) => isMember(circle, reviewer));

/**
 * The REVIEWs of a RESULT by others than its own writer: of each writer the newest with an outcome and
 * evidence. None of a writer counts if the newest takes back what it said.
 */
export function newestOf({ author, judgements }: Result, counts: (reviewer: Author) => boolean): Said[] {
  const newest = new Map<Writer | Said, Said>();
  for (const judgement of judgements) {
    const { step, author: reviewer } = judgement;
    if (!counts(reviewer) || isSameWriter(reviewer, author)) continue;
    if (step.outcome === null || (step.outcome !== 'withdrawn' && step.hasEvidence !== true)) continue;
    const by = reviewer.writer ?? judgement;
    // In the order of time.
    newest.delete(by);
    newest.set(by, judgement);
  }
  return [...newest.values()].filter(({ step }) => step.outcome !== 'withdrawn');
}

/** @param reviews as `reviewsBy` @returns how they let their RESULT stand; `unreviewed` without any */
export function standingBy(reviews: readonly Said[]): Standing {
  const outcomes = new Set(reviews.map(({ step }) => step.outcome));
  const isPartly = outcomes.has('partly confirmed');
  if (outcomes.has('not confirmed')) return isPartly || outcomes.has('confirmed') ? 'contested' : 'refuted';
  if (isPartly) return 'partlyConfirmed';
  return outcomes.has('confirmed') ? 'confirmed' : 'unreviewed';
}

/** Whether a circle says of a RESULT that it does not hold, and nobody in it disagrees. */
const isRefuted = (result: Result, circle: Circle): boolean =>
  standingBy(reviewsBy(circle, result)) === 'refuted';

function namesOf(thread: Thread): Names {
  const view = viewOfOpener(thread);
  return (view.names ??= readNames(thread, view.circle));
}

function readNames(thread: Thread, circle: Circle): Names {
  const byLook = new Map<Look, Author>();
  const byWriter = new Map<Writer, Author>();
  const isEarlier = (one: Author, other: Author | undefined): boolean =>
    other === undefined || one.createdAt < other.createdAt;
  // The key of the first message may have come with its receipt.
  for (const author of [...Array.from(circle, ({ first }) => first), ...thread.writers.signers()]) {
    const { look, writer } = author;
    if (look === null || writer === null || !circle.has(writer)) continue;
    if (isEarlier(author, byLook.get(look))) byLook.set(look, author);
    if (isEarlier(author, byWriter.get(writer))) byWriter.set(writer, author);
  }
  return { byLook, firsts: [...byWriter.values()] };
}

export const isMember = (circle: Circle, { writer }: Author): boolean =>
  writer !== null && circle.has(writer);

/**
 * @returns the message whose key has the look of name of an author: the first with a key of the circle, whoever
 *   signed it before, else the first whose key was sent
 */
export function holderOf(thread: Thread, { look }: Author): Author | undefined {
  if (look === null) return undefined;
  const [first] = look.signers.values();
  return namesOf(thread).byLook.get(look) ?? first;
}

/**
 * @param thread of the author; undefined if nothing is known of it
 * @returns the message of another key that has the name of an author: it holds the look, or its key is in the
 *   circle and the first name of that, signed before, is among the words of this one
 */
export function ownerOfName(thread: Thread | undefined, author: Author): Author | undefined {
  if (thread === undefined || author.name === null) return undefined;
  const holder = holderOf(thread, author);
  if (holder !== undefined && holder.writer !== author.writer) return holder;
  if (isMember(viewOfOpener(thread).circle, author)) return undefined;
  return namesOf(thread).firsts.find(
    (signer) => signer.createdAt < author.createdAt && hasName(author, signer),
  );
}
