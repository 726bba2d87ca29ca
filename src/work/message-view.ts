import { parseCheckLines } from '#message/check-lines.ts';
import { namedPosts, refersTo } from '#message/references.ts';
import { parseSameKey } from '#message/same-key.ts';
import { judgedPost, parseStepFacts, type Outcome, type StepMessage } from '#message/step.ts';
import type { Board } from './board.ts';
import type { Listable, Viewpoint } from './model.ts';
import { effectOf, type ReviewEffect } from './reviews.ts';
import { isSameWriter, type Author } from './writers.ts';
import {
  likenessesOf,
  type Signature,
  signatureOf,
  type ShownStanding,
  findCopyOf,
  shownStandingOf,
} from './standing-view.ts';

/** A message that is shown, as the store has it. */
export type Shown = StepMessage & { readonly rootId: string };

/**
 * What readers see of a message besides its own fields. JSON has `fields`; pages, feeds and Markdown put the
 * same into words.
 */
export interface MessageView {
  readonly fields: Signature & References & SameKey & ShownStanding & ReturnType<typeof countsOf>;
  readonly remarks: Remarks;
}

/** What the store knows about the posts that `namedIn` returns. */
export interface NamedPosts {
  /** The posts that exist or existed here. */
  readonly known: Pick<ReadonlySet<string>, 'has'>;
  /** The heads of the visible posts. */
  readonly heads: ReadonlyMap<string, { readonly prefix: string | null }>;
}

/**
 * @returns the ids of posts that `viewOf` asks `NamedPosts` for
 * @example a RESULT that replies to #1 and names #3: `{ known: [#3], heads: [] }`
 */
export function namedIn(message: Shown): Record<keyof NamedPosts, readonly string[]> {
  return {
    known: refersTo(message).filter((id) => id !== message.parentId),
    heads: [
      ...(message.prefix === 'REVIEW' ? (parseStepFacts(message)?.refersTo ?? []) : []),
      ...parseSameKey(message),
    ],
  };
}

/**
 * @param viewpoint that decides standings; of the opener by default
 * @returns what readers see of a message; members that only some readers need are computed when they are read
 * @example #3 REVIEW of #2 by the opener, "confirmed", with evidence:
 *   `fields` is `{ signer, refersTo: [#2], checks: [#2], counts: { for: #2, as: 'confirmed', trusted: true } }`
 */
export function viewOf(board: Board, message: Shown, posts: NamedPosts, viewpoint?: Viewpoint): MessageView {
  const references = referencesOf(message, posts);
  const fields = {
    ...signatureOf(board, message),
    ...references,
    ...sameKeyOf(message, posts),
    ...(references.checks !== undefined && countsOf(board, message.id, references.checks, viewpoint)),
    ...shownStandingOf(board, message.id, viewpoint),
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
  /** For a REVIEW: the RESULT that it judges, if there is one. */
  readonly checks?: string[] | undefined;
}

/**
 * @returns the references of a message to posts that exist or existed here
 * @example a REVIEW below the RESULT #2, with the id of no post: `{ refersTo: [#2], checks: [#2] }`
 */
export function referencesOf(message: Shown, { known, heads }: NamedPosts): References {
  const named = refersTo(message).filter((id) => id === message.parentId || known.has(id));
  if (message.prefix !== 'REVIEW') return { refersTo: named };
  const judged = judgedBy(message, (id) => heads.get(id)?.prefix === 'RESULT');
  return { refersTo: named, checks: judged === undefined ? [] : [judged] };
}

/** What the lines "Same key as:" of a message prove. Such a line alone proves nothing. */
export interface SameKey {
  /** Visible messages that were also sent with its key. */
  readonly sameKeyAs?: string[] | undefined;
  /** The other messages that its lines name. */
  readonly notOfThisKey?: string[] | undefined;
}

/**
 * Returns what the lines "Same key as:" of a message prove; without `heads` only `notOfThisKey`.
 * @example two such lines, about post_1, which is in its `sameKeyAs`, and about post_2:
 *   `{ sameKeyAs: ['post_1'], notOfThisKey: ['post_2'] }`, without the first member while post_1 is hidden
 */
export function sameKeyOf(
  message: Shown,
  { heads }: Pick<NamedPosts, 'heads'> = { heads: new Map() },
): SameKey {
  const { sameKeyAs = [] } = message;
  const shown = sameKeyAs.filter((id) => heads.has(id));
  const others = parseSameKey(message).filter((id) => !sameKeyAs.includes(id));
  return {
    ...(shown.length > 0 && { sameKeyAs: shown }),
    ...(others.length > 0 && { notOfThisKey: others }),
  };
}

/**
 * @param review the id of a REVIEW
 * @param checks what `referencesOf` returns for it
 * @param viewpoint of the opener by default
 * @returns how the REVIEW counts; no member if the board no longer has its RESULT
 * @example `countsOf(board, '#3', ['#2'])` is `{ counts: { for: '#2', as: 'confirmed', trusted: true } }`
 */
export function countsOf(
  board: Board,
  review: string,
  [on]: readonly string[],
  viewpoint?: Viewpoint,
): { readonly counts?: ReviewEffect | null } {
  if (on === undefined) return { counts: null };
  const result = board.results.get(on);
  if (result === undefined) return {};
  const judgement = result.reviews.find(({ step }) => step.id === review);
  return { counts: judgement === undefined ? null : effectOf(result, judgement, viewpoint) };
}

function judgedBy(review: Shown, isResult: (id: string) => boolean): string | undefined {
  const facts = parseStepFacts(review);
  return facts === null ? undefined : judgedPost({ ...facts, parentId: review.parentId }, isResult);
}

/**
 * Returns the ids that the head of a message may show besides `namedIn`: similar messages, the RESULT that a
 * REVIEW judges, and messages of its thread that it says it ends.
 * @example a REVIEW of #2 by the opener with "Ends: #1": `[#1, #2]`
 */
export function numberedIn(board: Board, message: Shown): string[] {
  const copyOf = findCopyOf(board, message.id);
  const ended = endsOf(board, message).map(({ step }) => step.id);
  const likenesses = likenessesOf({ ...signatureOf(board, message), copyOf });
  const judged = message.prefix === 'REVIEW' ? judgedBy(message, () => true) : undefined;
  return [...likenesses, ...ended, judged ?? []].flat();
}

/** How many UTF-16 code units of a text are searched: lists show only its beginning. */
export const BEGINNING = 1_500;

/**
 * @returns up to four ids at the beginning of a message, of its own thread or unknown to the board
 * @example "see #2 and #3", where #3 is a step of another thread: `[#2]`
 */
export function namedInThread(
  board: Board,
  { rootId, message }: Pick<Shown, 'rootId' | 'message'>,
): string[] {
  const mayBeHere = (id: string): boolean => (board.authorOfStep(id)?.rootId ?? rootId) === rootId;
  return [...new Set(namedPosts(message.slice(0, BEGINNING)))].filter(mayBeHere).slice(0, 4);
}

/** @returns the WORKs and IDEAs of its thread that a message says it ends */
function endsOf(board: Board, message: Shown): Listable[] {
  const named = (parseStepFacts(message)?.ends ?? []).flatMap(
    (id) => board.works.get(id) ?? board.ideas.get(id) ?? [],
  );
  return named.filter(({ step }) => step.rootId === message.rootId);
}

/** What the head of a message says about it, besides its name. */
export interface Remarks {
  /** The first message of its thread with the same key; absent in that message, and without a key. */
  readonly writerOf?: string;
  /** What a REVIEW says about a RESULT of its thread. */
  readonly verdict?: {
    readonly outcome: Outcome;
    readonly on: string;
    /** How it counts; null if it does not count, absent if the board no longer has the RESULT. */
    readonly counts?: ReviewEffect | null;
  };
  /** What the reviewer says it did, in at most 160 code points. */
  readonly says?: string;
  /** Messages of its thread that its line `Ends:` names but may not end. */
  readonly notEnded?: readonly string[];
  /** The RESULT that it says it withdraws, but may not withdraw. */
  readonly notWithdrawn?: string;
  /** The RESULT about which it withdraws its writer's earlier REVIEW. */
  readonly takenBack?: string;
}

/**
 * @returns the ids that the remarks of a message name
 * @example `remarkedPosts({ writerOf: '#1', notEnded: ['#2'] })` is `['#2', '#1']`
 */
export function remarkedPosts(remarks: Remarks): string[] {
  const { writerOf, verdict, notEnded = [], notWithdrawn, takenBack } = remarks;
  return [...notEnded, ...[writerOf, verdict?.on, notWithdrawn, takenBack].filter((id) => id !== undefined)];
}

function remarksOf(board: Board, message: Shown, fields: MessageView['fields']): Remarks {
  const { signer, checks = [], counts } = fields;
  const { id, prefix, rootId, createdAt, name = null } = message;
  const author = board.authorOf({ id, rootId, createdAt, name, mark: signer });
  const first = author.writer?.first.id;
  const notEnded = endsOf(board, message).filter((one) => !isSameWriter(author, one.author));
  const says = prefix === 'REVIEW' ? parseCheckLines(message.message, prefix, 160).did : undefined;
  const [on] = checks;
  const facts = parseStepFacts(message);
  const outcome = facts?.outcome ?? null;
  return {
    ...(first !== undefined && first !== id && { writerOf: first }),
    ...(says !== undefined && { says }),
    ...(notEnded.length > 0 && { notEnded: notEnded.map(({ step }) => step.id) }),
    ...(on !== undefined &&
      outcome !== null &&
      verdictRemarks(board, author, { on, outcome, ...(counts !== undefined && { counts }) })),
  };
}

function verdictRemarks(
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
