import type { Outcome, Step } from '#message/step.ts';
import type { Board } from './board.ts';
import type { CopyOf } from './copies.ts';
import { namesakeOf, shortSignerOf } from './names.ts';
import { viewpointOfOpener } from './trusted.ts';
import { isShown, type Dissent, type Standing, type Viewpoint } from './model.ts';
import { isCopy, judge } from './verdicts.ts';
import { summarizeReviews } from './reviews.ts';
import { isAfterEnd, isTrusted } from './votes.ts';
import type { Author, Signed } from './writers.ts';

/**
 * @returns the messages that a message resembles in name or text
 * @example `likenessesOf({ namesakeOf: { id: '#1', signer: '1gd2j8c7rz15' } })` is `['#1']`
 */
export const likenessesOf = ({
  namesakeOf: other,
  copyOf,
}: Pick<Signature, 'namesakeOf'> & Pick<ShownStanding, 'copyOf'>): string[] =>
  [other?.id ?? [], copyOf?.id ?? []].flat();

/** What callers and readers see beside the name of a message. */
export interface Signature {
  /** In lower case; absent for a message without a key. */
  readonly signer?: string | undefined;
  /** The message that `namesakeOf` in `names.ts` returns. Pages compare its name, `likeName`. */
  readonly namesakeOf?:
    | { readonly id: string; readonly signer: string; readonly likeName?: string | null }
    | undefined;
  /** What pages show of the signer, see `shortSignerOf`; the tools return the whole `signer`. */
  readonly shortSigner?: string | null | undefined;
}

/**
 * @returns what callers and readers see beside the name of an author
 * @example #1 Birch by the opener; #2 B1rch by another key:
 *   of #2 `{ signer, namesakeOf: { id: #1, signer: <that of #1> }, shortSigner }`
 */
export function toSignature(board: Board, author: Author): Signature {
  const { signer } = author;
  const thread = board.thread(author.rootId);
  const other = namesakeOf(thread, author);
  const shortSigner = shortSignerOf(thread, author, signer);
  return {
    ...(signer !== undefined && { signer }),
    ...(other?.writer != null && {
      namesakeOf: { id: other.id, signer: other.writer.signer, likeName: other.name ?? null },
    }),
    ...(shortSigner !== undefined && { shortSigner }),
  };
}

/**
 * @returns the signature of a message; perhaps only the signer if the board no longer has the message
 * @example a message with a name that no other has: `{ signer: '1gd2j8c7rz15' }`, and without a key `{}`
 */
export const signatureOf = (board: Board, message: Signed): Signature =>
  toSignature(board, board.authorOf(message));

/**
 * @returns the signature of a step; an empty object for a message that is not a step
 * @example `signatureOfStep(board, '#2')` is `{ signer: '1gd2j8c7rz15' }`
 */
export function signatureOfStep(board: Board, id: string): Signature {
  const author = board.authorOfStep(id);
  return author === undefined ? {} : toSignature(board, author);
}

/** A REVIEW that agrees with the standing of its RESULT. */
interface AgreeingReview extends Signature {
  readonly id: string;
  readonly name: string | null;
}

/** A REVIEW that does not. */
interface OtherReview extends Omit<AgreeingReview, 'signer'> {
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

/** The standing of a RESULT, who decided it, and what it is nearly a copy of. */
export interface ShownStanding {
  readonly standing?: Standing | undefined;
  /** The edition that replaces it. */
  readonly replacedBy?: string | undefined;
  /** The REVIEW in which its writer withdraws it. */
  readonly withdrawn?: string | undefined;
  readonly newerEdition?: { readonly id: string; readonly standing: Standing } | undefined;
  readonly checked?: AgreeingReview[] | undefined;
  readonly others?: OtherReview[] | undefined;
  /** Whether its thread has more REVIEWs of it. */
  readonly more?: true | undefined;
  readonly copyOf?: CopyOf | undefined;
}

/**
 * @returns what the first message of a thread, or a RESULT, is nearly a copy of
 * @example
 *   findCopyOf(board, id); // { id: 'post_…', equal: 9, of: 10 }; equal: 0 if only the first lines are equal
 */
export function findCopyOf(board: Board, id: string): CopyOf | undefined {
  const result = board.results.get(id);
  const ofResult = result !== undefined && isCopy(result) ? result.thread.copies?.copyOf(id) : undefined;
  return board.copies.copyOf(id) ?? ofResult;
}

/**
 * @returns what a list over threads says about a message: what its thread is nearly a copy of, or else the
 *   message itself
 * @example
 *   labelInList(board, result); // { copyOf: { id: 'post_…', equal: 9, of: 10 } }, that of its thread
 */
export function labelInList(
  board: Board,
  { id, rootId }: Pick<Step, 'id' | 'rootId'>,
): Pick<ShownStanding, 'copyOf'> {
  const copyOf = board.copies.isCopy(rootId) ? board.copies.copyOf(rootId) : findCopyOf(board, id);
  return copyOf === undefined ? {} : { copyOf };
}

/**
 * @returns the ids of the shown threads that are nearly copies of a thread, oldest first
 * @example
 *   copiesOf(board, rootId); // ['post_…']
 */
export const copiesOf = (board: Board, rootId: string): string[] =>
  board.copies.copiesOf(rootId).flatMap(({ id, isHeld }) => (isHeld === true ? [] : id));

/**
 * @returns the standing of a RESULT, and what a message is nearly a copy of, without empty members
 * @example #3 "confirmed" of #2 by the opener: `{ standing: 'confirmed', checked: [{ id: #3, … }] }`
 */
export function shownStandingOf(board: Board, id: string, viewpoint?: Viewpoint): ShownStanding {
  const result = board.results.get(id);
  const copyOf = findCopyOf(board, id);
  if (result === undefined) return copyOf === undefined ? {} : { copyOf };
  const seenFrom = viewpoint ?? viewpointOfOpener(result.thread);
  const { standing, replacedBy, withdrawal, newerEdition } = judge(result, seenFrom);
  const { agreeing, others, more } = summarizeReviews(result, seenFrom);
  return {
    standing,
    ...(replacedBy && isShown(replacedBy) && { replacedBy: replacedBy.step.id }),
    ...(withdrawal && isShown({ step: withdrawal }) && { withdrawn: withdrawal.id }),
    ...(newerEdition &&
      isShown(newerEdition) && {
        newerEdition: { id: newerEdition.step.id, standing: judge(newerEdition, seenFrom).standing },
      }),
    ...(agreeing.length > 0 && {
      checked: agreeing.map(({ step: { id: review, name }, author }) => ({
        id: review,
        name,
        ...toSignature(board, author),
      })),
    }),
    ...(others.length > 0 && { others: others.map((one) => toOther(board, one, seenFrom)) }),
    ...(more && { more }),
    ...(copyOf && { copyOf }),
  };
}

function toOther(board: Board, dissent: Dissent, viewpoint: Viewpoint): OtherReview {
  const { step, author, outcome, edition } = dissent;
  const { writer } = author;
  return {
    outcome,
    id: step.id,
    name: step.name,
    ...toSignature(board, author),
    signer: author.signer ?? null,
    ...(isTrusted(viewpoint, author) && { trusted: true }),
    ...(writer !== null && viewpoint.distrusted.has(writer) && { distrusted: true }),
    ...(isTrusted(viewpoint, author) && isAfterEnd(viewpoint, author) && { sinceEnd: true }),
    ...(edition !== undefined && { of: edition.step.id }),
  };
}
