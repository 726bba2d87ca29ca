import { readCheckLines } from '#message/check-lines.ts';
import { lookOf } from '#message/look.ts';
import { namedPosts, refersTo } from '#message/references.ts';
import { readSameKey } from '#message/same-key.ts';
import { judgedPost, readStepFacts, type Outcome, type Step, type StepMessage } from '#message/step.ts';
import type { Board } from './board.ts';
import type { CopyOf } from './copies.ts';
import { namesakeOf, shortSignerOf } from './names.ts';
import { viewOfOpener } from './trusted.ts';
import type { Listable, Dissent, Standing, View } from './thread.ts';
import { countOf, isCopy, isShown, judge, summarizeReviews, type Count } from './verdicts.ts';
import { isMember, isSinceEnd } from './votes.ts';
import { isSameWriter, type Author, type Signed } from './writers.ts';

/** Of what a REVIEW says, in code points. */
const MAX_EVIDENCE = 160;

/** A message that is shown, as the store has it. */
export type Shown = StepMessage & { readonly rootId: string };

/**
 * What readers see of a message beside its own fields. JSON has `fields`; pages, feeds and Markdown say the same
 * in their words.
 */
export interface MessageView {
  readonly fields: Signature & References & SameKey & ShownStanding & { readonly counts?: Count | null };
  readonly remarks: Remarks;
}

/** What the store knows of the posts that `namedIn` returns. */
export interface Known {
  /** Those that are or were there. */
  readonly known: Pick<ReadonlySet<string>, 'has'>;
  /** Of visible ones. */
  readonly heads: ReadonlyMap<string, { readonly prefix: string | null }>;
}

/** @returns the ids of posts that `viewOf` asks `Known` for */
export function namedIn(message: Shown): Record<keyof Known, readonly string[]> {
  return {
    known: refersTo(message).filter((id) => id !== message.parentId),
    heads: [
      ...(message.prefix === 'REVIEW' ? (readStepFacts(message)?.refersTo ?? []) : []),
      ...readSameKey(message),
    ],
  };
}

/**
 * @param view whose standings it shows; those of the opener without it
 * @returns what readers see of a message; what only some of them see is computed when it is read
 */
export function viewOf(board: Board, message: Shown, known: Known, view?: View): MessageView {
  const references = referencesOf(message, known);
  const fields = {
    ...signatureOf(board, message),
    ...references,
    ...sameKeyOf(message, known),
    ...(references.checks !== undefined && readCount(board, message.id, references.checks, view)),
    ...readStanding(board, message.id, view),
  };
  return {
    fields,
    get remarks() {
      return remarksOf(board, message, fields);
    },
  };
}

interface References {
  /** The post that it replies to, and those that its text names. */
  readonly refersTo: string[];
  /** Of a REVIEW the RESULT that it judges, if there is one. */
  readonly checks?: string[] | undefined;
}

/** @returns the references of a message to posts that are or were there */
export function referencesOf(message: Shown, { known, heads }: Known): References {
  const named = refersTo(message).filter((id) => id === message.parentId || known.has(id));
  if (message.prefix !== 'REVIEW') return { refersTo: named };
  const judged = judgedBy(message, (id) => heads.get(id)?.prefix === 'RESULT');
  return { refersTo: named, checks: judged === undefined ? [] : [judged] };
}

/** What the lines "Same key as:" of a message come to. Such a line alone proves nothing. */
export interface SameKey {
  /** Visible messages that its key wrote too. */
  readonly sameKeyAs?: string[] | undefined;
  /** What its lines name besides. */
  readonly notOfThisKey?: string[] | undefined;
}

/**
 * Reads what the lines "Same key as:" of a message come to; without `heads` only `notOfThisKey`.
 * @example of two such lines, about post_1, which its `sameKeyAs` has, and about post_2:
 *   `{ sameKeyAs: ['post_1'], notOfThisKey: ['post_2'] }`, and while post_1 is hidden only the latter
 */
export function sameKeyOf(message: Shown, { heads }: Pick<Known, 'heads'> = { heads: new Map() }): SameKey {
  const { sameKeyAs = [] } = message;
  const shown = sameKeyAs.filter((id) => heads.has(id));
  const others = readSameKey(message).filter((id) => !sameKeyAs.includes(id));
  return {
    ...(shown.length > 0 && { sameKeyAs: shown }),
    ...(others.length > 0 && { notOfThisKey: others }),
  };
}

/**
 * @param review its id
 * @param checks of it, as `referencesOf` reads them
 * @param view that of the opener without it
 * @returns how a REVIEW counts; nothing if its RESULT is older than the newest steps
 */
export function readCount(
  board: Board,
  review: string,
  [on]: readonly string[],
  view?: View,
): { readonly counts?: Count | null } {
  if (on === undefined) return { counts: null };
  const result = board.results.get(on);
  if (result === undefined) return {};
  const judgement = result.reviews.find(({ step }) => step.id === review);
  return { counts: judgement === undefined ? null : countOf(result, judgement, view) };
}

function judgedBy(review: Shown, isResult: (id: string) => boolean): string | undefined {
  const facts = readStepFacts(review);
  return facts === null ? undefined : judgedPost({ ...facts, parentId: review.parentId }, isResult);
}

/** @returns the messages whose names or texts a message is like */
export const likenessesOf = ({
  namesakeOf: other,
  copyOf,
}: Pick<Signature, 'namesakeOf'> & Pick<ShownStanding, 'copyOf'>): string[] =>
  [other?.id ?? [], copyOf?.id ?? []].flat();

/**
 * What the head of a message may name beside `namedIn`: what it is like, of a REVIEW the RESULT that it judges,
 * and messages of its thread that it says it ends. A RESULT of another thread costs a read of that thread.
 */
export function numberedIn(board: Board, message: Shown): string[] {
  const copyOf = readCopyOf(board, message.id);
  const ended = endsOf(board, message).map(({ step }) => step.id);
  const likenesses = likenessesOf({ ...signatureOf(board, message), copyOf });
  if (message.prefix !== 'REVIEW') return [...likenesses, ...ended];
  // A RESULT that is older than the newest steps is unknown there.
  const judged = judgedBy(message, (id) => board.results.has(id)) ?? judgedBy(message, () => true);
  return [...likenesses, ...ended, ...(judged === undefined ? [] : [judged])];
}

/** UTF-16 units of a text, of which lists show a part. */
export const BEGINNING = 1_500;
const MAX_NAMED = 4;

/** @returns what the beginning of a message names of its own thread or no board knows, at most four */
export function namedInThread(
  board: Board,
  { rootId, message }: Pick<Shown, 'rootId' | 'message'>,
): string[] {
  const mayBeHere = (id: string): boolean => (board.authorOfStep(id)?.rootId ?? rootId) === rootId;
  return [...new Set(namedPosts(message.slice(0, BEGINNING)))].filter(mayBeHere).slice(0, MAX_NAMED);
}

/** @returns the WORKs and IDEAs of its thread that a message says it ends */
function endsOf(board: Board, message: Shown): Listable[] {
  const named = (readStepFacts(message)?.ends ?? []).flatMap(
    (id) => board.works.get(id) ?? board.ideas.get(id) ?? [],
  );
  return named.filter(({ step }) => step.rootId === message.rootId);
}

/** What callers and readers see beside the name of a message. */
export interface Signature {
  /** In lower case; absent for a message without a key. */
  readonly signer?: string | undefined;
  /** The message that `namesakeOf` of `names.ts` returns. */
  readonly namesakeOf?: { readonly id: string; readonly signer: string } | undefined;
  /**
   * For pages, the first signs of the signer, so many that no other signer with the name has them. Null
   * without a signer; absent if no other signer has the name. The tools return `signer`, whole.
   */
  readonly shortSigner?: string | null | undefined;
}

export function toSignature(board: Board, author: Author): Signature {
  const { signer } = author;
  const thread = board.thread(author.rootId);
  const other = namesakeOf(thread, author);
  const shortSigner = shortSignerOf(thread, author, signer);
  return {
    ...(signer !== undefined && { signer }),
    ...(other?.writer != null && { namesakeOf: { id: other.id, signer: other.writer.signer } }),
    ...(shortSigner !== undefined && { shortSigner }),
  };
}

/** @returns the signature of a message; of one older than the newest steps it may be the signer alone */
export const signatureOf = (board: Board, message: Signed): Signature =>
  toSignature(board, board.authorOf(message));

/** @returns the signature of a step; nothing for a message that is no step */
export function signatureOfStep(board: Board, id: string): Signature {
  const author = board.authorOfStep(id);
  return author === undefined ? {} : toSignature(board, author);
}

/** A REVIEW that says the same as the standing of its RESULT. */
interface Checked extends Signature {
  readonly id: string;
  readonly name: string | null;
}

/** A REVIEW that says something else. */
interface Other extends Omit<Checked, 'signer'> {
  readonly outcome: Outcome | null;
  /** Null without a key. */
  readonly signer: string | null;
  readonly trusted?: true | undefined;
  readonly distrusted?: true | undefined;
  /** Whether it came after the opener had ended the IDEA. */
  readonly sinceEnd?: true | undefined;
  /** The earlier edition that it judges. */
  readonly of?: string | undefined;
}

/** How a RESULT stands and by whom, and what a message is nearly a copy of. */
export interface ShownStanding {
  readonly standing?: Standing | undefined;
  /** The edition that replaces it. */
  readonly replacedBy?: string | undefined;
  /** The REVIEW by which its writer withdraws it. */
  readonly withdrawn?: string | undefined;
  readonly newerEdition?: { readonly id: string; readonly standing: Standing } | undefined;
  readonly checked?: Checked[] | undefined;
  readonly others?: Other[] | undefined;
  /** Whether other words about it are in its thread. */
  readonly more?: true | undefined;
  readonly copyOf?: CopyOf | undefined;
}

/**
 * @returns what the first message of a thread, or a RESULT, is nearly a copy of
 * @example
 *   readCopyOf(board, id); // { id: 'post_…', equal: 9, of: 10 }; equal: 0 if only the first lines are equal
 */
export function readCopyOf(board: Board, id: string): CopyOf | undefined {
  const result = board.results.get(id);
  const ofResult = result !== undefined && isCopy(result) ? result.thread.copies?.of(id) : undefined;
  return board.copies.of(id) ?? ofResult;
}

/**
 * @returns what a list over threads says of a message: that its thread is nearly a copy, or as `readCopyOf`
 * @example
 *   labelInList(board, result); // { copyOf: { id: 'post_…', equal: 9, of: 10 } }, that of its thread
 */
export function labelInList(
  board: Board,
  { id, rootId }: Pick<Step, 'id' | 'rootId'>,
): Pick<ShownStanding, 'copyOf'> {
  const copyOf = board.copies.isCopy(rootId) ? board.copies.of(rootId) : readCopyOf(board, id);
  return copyOf === undefined ? {} : { copyOf };
}

/**
 * @returns the ids of the threads that are nearly copies of one, oldest first, without those that reports hold
 * @example
 *   copiesOf(board, rootId); // ['post_…']
 */
export const copiesOf = (board: Board, rootId: string): string[] =>
  board.copies.copiesOf(rootId).flatMap(({ id, isHeld }) => (isHeld === true ? [] : id));

/** @returns the standing of a RESULT, and what a message is nearly a copy of, without empty members */
export function readStanding(board: Board, id: string, view?: View): ShownStanding {
  const result = board.results.get(id);
  const copyOf = readCopyOf(board, id);
  if (result === undefined) return copyOf === undefined ? {} : { copyOf };
  const seen = view ?? viewOfOpener(result.thread);
  const { standing, replacedBy, withdrawal, newerEdition } = judge(result, seen);
  const { checked, others, more } = summarizeReviews(result, seen);
  return {
    standing,
    ...(replacedBy && isShown(replacedBy) && { replacedBy: replacedBy.step.id }),
    ...(withdrawal && isShown({ step: withdrawal }) && { withdrawn: withdrawal.id }),
    ...(newerEdition &&
      isShown(newerEdition) && {
        newerEdition: { id: newerEdition.step.id, standing: judge(newerEdition, seen).standing },
      }),
    ...(checked.length > 0 && {
      checked: checked.map(({ step: { id: review, name }, author }) => ({
        id: review,
        name,
        ...toSignature(board, author),
      })),
    }),
    ...(others.length > 0 && { others: others.map((one) => toOther(board, one, seen)) }),
    ...(more && { more }),
    ...(copyOf && { copyOf }),
  };
}

function toOther(board: Board, { step, author, outcome, of }: Dissent, view: View): Other {
  const { writer } = author;
  return {
    outcome,
    id: step.id,
    name: step.name,
    ...toSignature(board, author),
    signer: author.signer ?? null,
    ...(isMember(view.trusted, author) && { trusted: true }),
    ...(writer !== null && view.distrusted.has(writer) && { distrusted: true }),
    ...(isMember(view.trusted, author) && isSinceEnd(view, author) && { sinceEnd: true }),
    ...(of !== undefined && { of: of.step.id }),
  };
}

/** What the service can say of a message in its head, beside its name. */
export interface Remarks {
  /**
   * The first message of its thread with its key. Absent in that message, and without a key.
   */
  readonly writerOf?: string;
  /** What a REVIEW says of a RESULT of its thread. */
  readonly verdict?: {
    readonly outcome: Outcome;
    readonly on: string;
    /** How it counts for the RESULT; null if it counts nothing, absent if the RESULT is too old. */
    readonly counts?: Count | null;
  };
  /** What a REVIEW says that it did. */
  readonly says?: string;
  /** Messages of its thread that it names on its line `Ends:`, but may not end. */
  readonly notEnded?: readonly string[];
  /** The RESULT that it says it withdraws, but may not withdraw. */
  readonly notWithdrawn?: string;
  /** The RESULT of which it withdraws the earlier REVIEW of its writer. */
  readonly takenBack?: string;
}

/** @returns the ids that the remarks of a message name */
export function remarkedPosts({
  writerOf,
  verdict,
  notEnded = [],
  notWithdrawn,
  takenBack,
}: Remarks): string[] {
  return [...notEnded, ...[writerOf, verdict?.on, notWithdrawn, takenBack].filter((id) => id !== undefined)];
}

function remarksOf(board: Board, message: Shown, fields: MessageView['fields']): Remarks {
  const { signer, checks = [], counts } = fields;
  const { id, prefix, rootId, createdAt, name = null } = message;
  const author = board.authorOf({ id, rootId, createdAt, name, mark: signer });
  const first = author.writer?.first.id;
  const notEnded = endsOf(board, message).filter((one) => !isSameWriter(author, one.author));
  const says = prefix === 'REVIEW' ? readCheckLines(message.message, prefix, MAX_EVIDENCE).did : undefined;
  const [on] = checks;
  const facts = readStepFacts(message);
  const outcome = facts?.outcome ?? null;
  return {
    ...(first !== undefined && first !== id && { writerOf: first }),
    ...(says !== undefined && { says }),
    ...(notEnded.length > 0 && { notEnded: notEnded.map(({ step }) => step.id) }),
    ...(on !== undefined &&
      outcome !== null &&
      readVerdict(board, author, { on, outcome, ...(counts !== undefined && { counts }) })),
  };
}

function readVerdict(
  board: Board,
  author: Author,
  verdict: NonNullable<Remarks['verdict']>,
): Pick<Remarks, 'verdict' | 'notWithdrawn' | 'takenBack'> {
  const { on, outcome, counts } = verdict;
  const result = board.results.get(on);
  if (result === undefined || outcome !== 'withdrawn' || isSameWriter(author, result.author))
    return { verdict };
  return counts === null ? { notWithdrawn: on } : { takenBack: on };
}

/** @returns the ids of the signed messages whose name looks like the name of no other of these messages */
export function onlyOfTheirNames(
  messages: readonly { readonly id: string; readonly name: string | null }[],
): ReadonlySet<string> {
  const byLook = new Map<string, string[]>();
  for (const { id, name } of messages) {
    if (name === null) continue;
    const look = lookOf(name);
    byLook.set(look, [...(byLook.get(look) ?? []), id]);
  }
  return new Set([...byLook.values()].filter(({ length }) => length === 1).flat());
}
