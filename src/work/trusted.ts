import { toSigner, type Step } from '#message/step.ts';
import type { Result, Thread, Viewpoint } from './model.ts';
import { newestJudgements } from './votes.ts';
import type { Author, Writer } from './writers.ts';

// From a thread to a viewpoint: whose REVIEWs count there, and since when.

/** The maximum number of writers whose judgements count in a thread, including the opener. */
const MAX_TRUSTED = 64;

/**
 * @returns the viewpoint of the opener. Without a key, or once no step of the opener is left, it trusts no
 *   one
 * @example #1 IDEA by Ann, signed; #2 RESULT by Bob; #3 Ann confirms #2: `trusted` has Ann, and Bob since #3
 */
export function viewpointOfOpener(thread: Thread): Viewpoint {
  thread.viewpoint ??= createViewpoint(thread, openerOf(thread));
  return thread.viewpoint;
}

/**
 * @param until messages from this time on do not count
 * @returns the viewpoint that the opener had at that time
 * @example #3 "confirmed" of the RESULT of Bob by the opener: until the time of #3 Bob is not trusted
 */
export const earlierViewpoint = (thread: Thread, until: string): Viewpoint =>
  createViewpoint(thread, openerOf(thread), until);

/**
 * @param signer in any case
 * @returns the viewpoint of a signer in the opener's place; undefined if it has written nothing there
 * @example from the viewpoint of Bob his REVIEWs count twice, and those of the opener only if he trusts it
 */
export function viewpointOfSigner(thread: Thread, signer: string): Viewpoint | undefined {
  const viewer = thread.writers.withSigner(signer);
  return viewer && createViewpoint(thread, viewer);
}

/** @param viewer the opener of the thread, or another signer in its place */
function createViewpoint(thread: Thread, viewer: Writer | undefined, until = '~'): Viewpoint {
  const { trusted, distrusted } =
    viewer === undefined
      ? { trusted: new Map<Writer, string>(), distrusted: new Set<Writer>() }
      : trustedBy(viewer, thread, until);
  return {
    viewer,
    trusted,
    distrusted,
    endedAt: endOf(thread),
    until,
    cache: { verdicts: new Map(), summaries: new Map(), delisted: undefined, names: undefined },
  };
}

/**
 * Decides whose judgements count in a thread: those of the opener, and of the signers whom it trusts.
 *
 * - The opener trusts whoever wrote a RESULT, while its newest judgement of that RESULT is "confirmed".
 * - Its newest line "Trust:" or "Distrust:" on a signer overrides this.
 * - If it trusts more than 63 signers, those whom it has trusted longest no longer count.
 *
 *     opener: "confirmed" of the RESULT of Ann, "Trust: <signer of Bob>"    opener, Ann, Bob
 *     opener: "Distrust: <signer of Ann>"                                   opener, Bob
 *     Bob: "confirmed" of the RESULT of Cid                                 opener, Bob
 */
function trustedBy(opener: Writer, thread: Thread, until: string): Pick<Viewpoint, 'trusted' | 'distrusted'> {
  const since = confirmedBy(thread, opener, until);
  const distrusted = new Set<Writer>();
  for (const [signer, ruling] of newestRulings(thread, opener, until)) {
    const writer = thread.writers.withSigner(signer);
    if (writer === undefined || writer === opener) continue;
    const confirmed = since.get(writer);
    if (!ruling.isTrusted) {
      since.delete(writer);
      distrusted.add(writer);
      continue;
    }
    // The earlier of the two times counts, unless it is from before a line "Distrust:".
    if (confirmed === undefined || ruling.isReversal || ruling.since < confirmed)
      since.set(writer, ruling.since);
  }
  const newest = [...since].sort(([, a], [, b]) => (a < b ? -1 : 1)).slice(1 - MAX_TRUSTED);
  return { trusted: new Map([[opener, ''], ...newest]), distrusted };
}

/** @returns the writers of RESULTs that the opener confirms, and since when it has confirmed one */
function confirmedBy({ results }: Thread, opener: Writer, until: string): Map<Writer, string> {
  const confirmed = new Map<Writer, string>();
  for (const result of results) {
    const { writer } = result.author;
    if (writer === null || writer === opener) continue;
    const judgement = newestJudgements(
      result,
      ({ author }) => author.writer === opener && author.createdAt < until,
    ).get(opener);
    if (judgement?.outcome !== 'confirmed') continue;
    const before = confirmed.get(writer);
    if (before === undefined || judgement.since < before) confirmed.set(writer, judgement.since);
  }
  return confirmed;
}

/** What the opener's newest line "Trust:" or "Distrust:" about a signer says. */
interface Ruling {
  /** Whether it is a line "Trust:". */
  readonly isTrusted: boolean;
  /** When the opener first said so. A line that repeats the one before changes nothing. */
  readonly since: string;
  /** Whether it takes back an earlier line. */
  readonly isReversal: boolean;
}

/** @returns the opener's newest ruling about each signer, by signer */
function newestRulings({ rulings }: Thread, opener: Writer, until: string): ReadonlyMap<string, Ruling> {
  const newest = new Map<string, Ruling>();
  for (const { step, author } of rulings) {
    if (author.writer !== opener || step.createdAt >= until) continue;
    for (const { signer, isTrusted } of step.trust ?? []) {
      const before = newest.get(signer);
      if (before?.isTrusted === isTrusted) continue;
      newest.set(signer, { isTrusted, since: step.createdAt, isReversal: before !== undefined });
    }
  }
  return newest;
}

/** @returns when the opener ended the IDEA that begins the thread; undefined while it is open */
function endOf(thread: Thread): string | undefined {
  const { messages, rootId, rulings } = thread;
  const opener = openerOf(thread);
  const first = messages[0]?.step;
  // The prefix of the first message is unknown while reports hold it, or if the thread no longer lists it.
  const isKnown = first?.id === rootId && !(first.prefix === null && first.isHeld);
  if (opener === undefined || (isKnown && first.prefix !== 'IDEA')) return undefined;
  const ending = rulings.find(
    ({ step, author }) => author.writer === opener && step.ends?.includes(rootId) === true,
  );
  return ending?.step.createdAt;
}

/** @returns the writer that opened the thread; undefined without a key */
function openerOf({ opener, writers }: Thread): Writer | undefined {
  return opener === undefined ? undefined : writers.withSigner(opener);
}

/**
 * Whether a message may be offered as work: the opener has not ended the IDEA that begins its thread, and
 * does not distrust its signer.
 *
 *     opener: "Distrust: <signer of Ann>"          the IDEAs and RESULTs of Ann are not offered
 *     opener: "Ends: <id of the first message>"    nothing of the thread is
 */
export function mayBeOffered({ thread, author }: Pick<Result, 'thread' | 'author'>): boolean {
  const { distrusted, endedAt } = viewpointOfOpener(thread);
  return endedAt === undefined && (author.writer === null || !distrusted.has(author.writer));
}

/** What a line "Trust:" or "Distrust:" of the opener does for a signer. */
export interface TrustChange {
  readonly signer: string;
  /** Whether it is trusted now. */
  readonly trusted: boolean;
  /** Up to five names that it has signed with in the thread, newest first. */
  readonly names: string[];
  /** The time of its first message there; null without one. */
  readonly since: string | null;
  /** `idle`: it sent nothing here, is the opener, or 64 are trusted. `undone`: a later message decides. */
  readonly effect: 'counts' | 'idle' | 'undone';
}

/**
 * @param lines of a message
 * @returns null for a writer other than the opener, because only the opener's lines count
 * @example
 *   the opener writes "Trust: <signer of Ann>": `[{ signer, trusted: true, effect: 'counts', … }]`
 *   after a later "Distrust: <signer of Ann>", of the first one: `[{ effect: 'undone', … }]`
 */
export function changesBy(
  { writer, createdAt }: Author,
  thread: Thread,
  lines: Step['trust'] = [],
): TrustChange[] | null {
  if (writer === null || writer !== openerOf(thread)) return null;
  const { trusted } = viewpointOfOpener(thread);
  let trustedAfter: Viewpoint['trusted'] | undefined;
  // The last of several lines about one signer decides.
  const last = new Map(lines.map((line) => [toSigner(line.signer), line]));
  return Array.from(last, ([signer, { isTrusted: isWanted }]) => {
    const named = thread.writers.withSigner(signer);
    const isOther = named !== undefined && named !== writer;
    const isTrusted = named !== undefined && trusted.has(named);
    let effect: TrustChange['effect'] = isOther && isTrusted === isWanted ? 'counts' : 'idle';
    if (isOther && effect === 'idle') {
      trustedAfter ??= earlierViewpoint(thread, `${createdAt}~`).trusted;
      if (trustedAfter.has(named) === isWanted) effect = 'undone';
    }
    const names = thread.messages
      .filter(({ step, author }) => named !== undefined && author.writer === named && step.isHeld !== true)
      .flatMap(({ step }) => step.name ?? []);
    return {
      signer,
      trusted: isTrusted,
      names: [...new Set(names.reverse())].slice(0, 5),
      since: named?.first.createdAt ?? null,
      effect,
    };
  });
}
