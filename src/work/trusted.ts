import { toSigner } from '#message/signer.ts';
import type { Step } from '#message/step.ts';
import type { Result, Thread, View } from './thread.ts';
import { newestJudgements } from './votes.ts';
import type { Author, Writer } from './writers.ts';

/** The most writers that are trusted in a thread. */
const MAX_TRUSTED = 64;

/**
 * @returns the view of the opener; without a key, or once no step of the opener is left, no one is trusted
 * @example #1 IDEA by Ann, signed; #2 RESULT by Bob; #3 "confirmed" of #2 by Ann: `trusted` has Ann, and Bob since #3
 */
export function viewOfOpener(thread: Thread): View {
  thread.view ??= createView(thread, openerOf(thread));
  return thread.view;
}

/**
 * @param until messages from then on do not count
 * @returns what the view of the opener was
 * @example #3 "confirmed" of the RESULT of Bob by the opener: until the time of #3 Bob is not trusted
 */
export const earlierView = (thread: Thread, until: string): View =>
  createView(thread, openerOf(thread), until);

/**
 * @param signer in any case
 * @returns the view of a signer in place of the opener; undefined if it has not written there
 * @example in the view of Bob his REVIEWs count twice, and those of the opener only if he trusts it
 */
export function viewOfSigner(thread: Thread, signer: string): View | undefined {
  const viewer = thread.writers.withSigner(signer);
  return viewer && createView(thread, viewer);
}

/**
 * Whether a message may be offered as work: not once the opener has ended the IDEA that begins its thread, nor of
 * a signer whom the opener distrusts.
 *
 *     opener: "Distrust: <signer of Ann>"          the IDEAs and RESULTs of Ann are not offered
 *     opener: "Ends: <id of the first message>"    nothing of the thread is
 */
export function mayBeOffered({ thread, author }: Pick<Result, 'thread' | 'author'>): boolean {
  const { distrusted, endedAt } = viewOfOpener(thread);
  return endedAt === undefined && (author.writer === null || !distrusted.has(author.writer));
}

/** What a line "Trust:" or "Distrust:" of the opener has done with a signer. */
export interface TrustChange {
  readonly signer: string;
  /** Whether it is trusted now. */
  readonly trusted: boolean;
  /** The names that it has signed with in the thread, at most five, the newest first. */
  readonly names: string[];
  /** The time of its first message there; null if it has sent none. */
  readonly since: string | null;
  /**
   * What the line does: `idle` if the signer has sent nothing here, is the opener, or 64 are trusted;
   * `undone` if it counted until the opener posted something else.
   */
  readonly effect: 'counts' | 'idle' | 'undone';
}

const MAX_NAMES = 5;

/**
 * @param lines those of a message
 * @returns null of another writer than the opener, whose lines do nothing
 * @example
 *   the opener writes "Trust: <signer of Ann>": `[{ signer, trusted: true, effect: 'counts', … }]`
 *   after a later "Distrust: <signer of Ann>", of the first message: `[{ trusted: false, effect: 'undone', … }]`
 */
export function changesBy(
  { writer, createdAt }: Author,
  thread: Thread,
  lines: Step['trust'] = [],
): TrustChange[] | null {
  if (writer === null || writer !== openerOf(thread)) return null;
  const { trusted } = viewOfOpener(thread);
  // As it was when the message had come.
  let then: View['trusted'] | undefined;
  // Of several lines on one signer the last decides.
  const last = new Map(lines.map((line) => [toSigner(line.signer), line]));
  return Array.from(last, ([signer, { isTrusted: isWanted }]) => {
    const named = thread.writers.withSigner(signer);
    const isTrusted = named !== undefined && trusted.has(named);
    let effect: TrustChange['effect'] = named !== undefined && isTrusted === isWanted ? 'counts' : 'idle';
    if (named !== undefined && effect === 'idle') {
      then ??= earlierView(thread, `${createdAt}~`).trusted;
      if (then.has(named) === isWanted) effect = 'undone';
    }
    const names = thread.messages
      .filter(({ step, author }) => named !== undefined && author.writer === named && step.isHeld !== true)
      .flatMap(({ step }) => step.name ?? []);
    return {
      signer,
      trusted: isTrusted,
      names: [...new Set(names.reverse())].slice(0, MAX_NAMES),
      since: named?.first.createdAt ?? null,
      effect,
    };
  });
}

/** @returns the writer that opened the thread; undefined without a key */
function openerOf({ opener, writers }: Thread): Writer | undefined {
  return opener === undefined ? undefined : writers.withSigner(opener);
}

/**
 * Decides whose judgement counts in a thread, as its opener or another signer in its place sees it: that of the
 * opener, and of the writer of each RESULT of which the newest judgement of the opener is "confirmed". A line of the
 * opener on a signer decides in place of that, whatever it says of its RESULTs; of two lines the newer one.
 * Only the opener lets others in. At most 64: the opener, and those who were let in last.
 *
 *     opener: "confirmed" of the RESULT of Ann, "Trust: <signer of Bob>"    opener, Ann, Bob
 *     opener: "Distrust: <signer of Ann>"                                   opener, Bob
 *     Bob: "confirmed" of the RESULT of Cid                                 opener, Bob
 */
function createView(thread: Thread, opener: Writer | undefined, until = '~'): View {
  const letIn = opener === undefined ? new Map<Writer, string>() : confirmedBy(thread, opener, until);
  const distrusted = new Set<Writer>();
  for (const [signer, line] of opener === undefined ? [] : linesOf(thread, opener, until)) {
    const writer = thread.writers.withSigner(signer);
    if (writer === undefined || writer === opener) continue;
    const confirmed = letIn.get(writer);
    if (!line.isTrusted) {
      letIn.delete(writer);
      distrusted.add(writer);
    } else if (confirmed === undefined || line.isAgain || line.since < confirmed)
      letIn.set(writer, line.since);
  }
  const newest = [...letIn].sort(([, a], [, b]) => (a < b ? -1 : 1)).slice(1 - MAX_TRUSTED);
  return {
    opener,
    trusted: new Map<Writer, string>([...(opener === undefined ? [] : [[opener, ''] as const]), ...newest]),
    distrusted,
    endedAt: endOf(thread),
    until,
    verdicts: new Map(),
    summaries: new Map(),
    delisted: undefined,
    names: undefined,
  };
}

/** @returns the writers of RESULTs that the newest judgement of the opener confirms, and since when */
function confirmedBy({ results }: Thread, opener: Writer, until: string): Map<Writer, string> {
  const letIn = new Map<Writer, string>();
  for (const result of results) {
    const { writer } = result.author;
    if (writer === null || writer === opener) continue;
    const judgement = newestJudgements(
      result,
      ({ author }) => author.writer === opener && author.createdAt < until,
    ).get(opener);
    if (judgement?.outcome !== 'confirmed') continue;
    const before = letIn.get(writer);
    if (before === undefined || judgement.since < before) letIn.set(writer, judgement.since);
  }
  return letIn;
}

/** The newest line of the opener on a signer. */
interface Line {
  readonly isTrusted: boolean;
  /** The time of the first line of those that say so without another one in between. */
  readonly since: string;
  /** Whether a line that says the opposite came before. */
  readonly isAgain: boolean;
}

function linesOf({ rulings }: Thread, opener: Writer, until: string): ReadonlyMap<string, Line> {
  const lines = new Map<string, Line>();
  for (const { step, author } of rulings) {
    if (author.writer !== opener || step.createdAt >= until) continue;
    for (const { signer, isTrusted } of step.trust ?? []) {
      const before = lines.get(signer);
      if (before?.isTrusted === isTrusted) continue;
      lines.set(signer, { isTrusted, since: step.createdAt, isAgain: before !== undefined });
    }
  }
  return lines;
}

/** @returns when the opener has ended the IDEA that begins the thread; undefined while that is open */
function endOf(thread: Thread): string | undefined {
  const { messages, rootId, rulings } = thread;
  const opener = openerOf(thread);
  const first = messages[0]?.step;
  // A held IDEA has no prefix here, and what a thread no longer lists was an IDEA as far as it knows.
  const isNoIdea =
    first?.id === rootId && first.prefix !== 'IDEA' && !(first.prefix === null && first.isHeld);
  if (opener === undefined || isNoIdea) return undefined;
  const ending = rulings.find(
    ({ step, author }) => author.writer === opener && step.ends?.includes(rootId) === true,
  );
  return ending?.step.createdAt;
}
