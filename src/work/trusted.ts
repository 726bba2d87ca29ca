import type { Step } from '#message/step.ts';
import type { Result, Said, Standing, Thread, Trusted, View } from './thread.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';

/** The views of other signers that a thread keeps: one page asks for its view several times. */
const MAX_VIEWS = 4;

/** The most writers that are trusted in a thread. */
const MAX_WRITERS = 64;

const createView = (trusted: Trusted): View => ({
  trusted,
  verdicts: new Map(),
  judgements: new Map(),
  names: undefined,
  others: new Map(),
});

/** @returns the view of the opener; it trusts nobody without a signed opener or a step that is left of it */
export function viewOfOpener(thread: Thread): View {
  thread.view ??= createView(findTrusted(thread, undefined));
  return thread.view;
}

/**
 * @param signer in any case
 * @returns the view of a signer, trusted together with the opener; undefined if it is none of the thread
 */
export function viewOfSigner(thread: Thread, signer: string): View | undefined {
  const viewer = thread.writers.withSigner(signer);
  if (viewer === undefined) return undefined;
  const { others } = viewOfOpener(thread);
  const view = others.get(viewer) ?? createView(findTrusted(thread, viewer));
  if (others.size >= MAX_VIEWS) others.clear();
  others.set(viewer, view);
  return view;
}

/** A signer of a thread, and the name of its first message. */
export interface Member {
  readonly signer: string;
  readonly name: string | null;
}

const toMember = ({ signer, first }: Writer): Member => ({ signer, name: first.name ?? null });

/** @returns whose word counts in a thread, the opener first */
export function membersOf(thread: Thread, { trusted } = viewOfOpener(thread)): Member[] {
  return Array.from(trusted, toMember);
}

/** @returns the signers whom a line "Distrust:" of the opener keeps out */
export function distrustedOf(thread: Thread, { trusted } = viewOfOpener(thread)): Member[] {
  return [...linesOf(thread, openerOf(thread), '~')]
    .flatMap(([signer, isTrusted]) => (isTrusted ? [] : (thread.writers.withSigner(signer) ?? [])))
    .filter((writer) => !trusted.has(writer))
    .map(toMember);
}

/** What a line "Trust:" or "Distrust:" of the opener has done with a signer. */
export interface TrustChange {
  readonly signer: string;
  /** Whether it is trusted now. */
  readonly trusted: boolean;
  /** Whether the line does nothing yet: the signer has sent nothing here, or it is the opener's. */
  readonly isIdle: boolean;
}

/** @param lines those of a message @returns null of another writer than the opener, whose lines do nothing */
export function changesBy(
  { writer }: Author,
  thread: Thread,
  lines: Step['trust'] = [],
): TrustChange[] | null {
  if (writer === null || writer !== openerOf(thread)) return null;
  return lines.map(({ signer, isTrusted: isWanted }) => {
    const named = thread.writers.withSigner(signer);
    const trusted = named !== undefined && viewOfOpener(thread).trusted.has(named);
    return { signer, trusted, isIdle: named === undefined || trusted !== isWanted };
  });
}

/** @returns whoever opened the thread with a key */
function openerOf({ opener, writers }: Thread): Writer | undefined {
  return opener === undefined ? undefined : writers.withSigner(opener);
}

/** @returns who was trusted by the messages before a time, without whom the opener distrusts since */
export function trustedAt(thread: Thread, before: string): Trusted {
  const { trusted } = viewOfOpener(thread);
  return new Set([...findTrusted(thread, undefined, before)].filter((writer) => trusted.has(writer)));
}

/**
 * Begins with the opener, those whom a line "Trust:" of the opener names, and the viewer. Each round adds
 * the writers of RESULTs that a member confirms with evidence, the earliest confirmation first. So whom the
 * opener confirms comes before those whom only others confirm, and many keys of one party crowd nobody out.
 */
function findTrusted(thread: Thread, viewer: Writer | undefined, until = '~'): Trusted {
  const opener = openerOf(thread);
  const wanted = linesOf(thread, opener, until);
  const members = new Set<Writer>();
  const join = (writer: Writer | undefined): void => {
    if (writer !== undefined && members.size < MAX_WRITERS) members.add(writer);
  };
  join(opener);
  join(viewer);
  for (const [signer, isTrusted] of wanted) if (isTrusted) join(thread.writers.withSigner(signer));
  let candidates = confirmationsIn(thread, until).filter(
    ({ of }) => of === viewer || of === opener || wanted.get(of.signer) !== false,
  );
  for (let before = 0; before < members.size && candidates.length > 0; ) {
    before = members.size;
    const soFar = new Set(members);
    for (const { by, of } of candidates) if (soFar.has(by)) join(of);
    candidates = candidates.filter(({ of }) => !members.has(of));
  }
  return members;
}

/** @returns by signer whether the newest line of the opener on it trusts it */
function linesOf(
  { trustLines }: Thread,
  opener: Writer | undefined,
  until: string,
): ReadonlyMap<string, boolean> {
  const wanted = new Map<string, boolean>();
  if (opener !== undefined)
    for (const { step, author } of trustLines)
      if (author.writer === opener && step.createdAt < until)
        for (const { signer, isTrusted } of step.trust ?? []) wanted.set(signer, isTrusted);
  return wanted;
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

/** The REVIEWs of a RESULT by trusted writers, as `newestOf`. */
export const reviewsBy = (trusted: Trusted, result: Result): Said[] =>
  newestOf(result, (reviewer) => isMember(trusted, reviewer));

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

export const isMember = (trusted: Trusted, { writer }: Author): boolean =>
  writer !== null && trusted.has(writer);
