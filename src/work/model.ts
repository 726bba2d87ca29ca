import type { Outcome, Step } from '#message/step.ts';
import type { Copies } from './copies.ts';
import type { Author, Look, Writer, Writers } from './writers.ts';

// What a thread has. docs/architecture.md ("How a standing comes about") follows one from texts to lists.
// A standing is computed in four files, each of which uses the ones before it: `votes.ts` (what REVIEWs say, and
// how votes are counted), `trusted.ts` (whose REVIEWs count), `verdicts.ts` (`judge`), `reviews.ts` (which
// REVIEWs readers see beside the standing).

/** How many messages are shown beside one: REVIEWs of a RESULT, RESULTs of a thread, WORKs in a receipt. */
export const MAX_SHOWN = 3;
/** How many messages and signers of a thread are named beside its RESULTs. */
export const MAX_NAMED = 8;

/** A step, and who wrote it. */
export interface AuthoredStep {
  readonly step: Step;
  readonly author: Author;
}

/**
 * Whether readers see a message: reports do not hold it.
 * @example a RESULT that reports hold still has a standing, but is not shown
 */
export const isShown = ({ step }: Pick<AuthoredStep, 'step'>): boolean => step.isHeld !== true;

/** What a list of work may show. */
interface ThreadItem extends AuthoredStep {
  readonly thread: Thread;
  /** Whether its thread no longer lists it. */
  isGone: boolean;
}

/** The status of a WORK, from later messages of its thread. */
export interface WorkStatus {
  /** The message that ends it. */
  readonly endedBy: Step | null;
  /** When it announces the next message, itself or in a later RESULT; milliseconds since 1970. */
  readonly dueAt: number;
  /** Whether the text has no readable time. */
  readonly isDueAssumed: boolean;
  /** Whether its writer is trusted. */
  readonly isTrusted: boolean;
}

/** The status of all WORKs of a thread, from its messages. */
export interface DecidedWorks {
  readonly statuses: ReadonlyMap<Work, WorkStatus>;
  /** By the message that ends them, the newest first. */
  readonly ended: ReadonlyMap<Step, readonly Work[]>;
  /** Those that have not ended, by writer. */
  readonly open: ReadonlyMap<Writer | string, ReadonlySet<Work>>;
}

/** The WORKs of a thread at a point in time, those of trusted signers first, and newest first among these. */
export interface WorksByTime {
  readonly underWay: readonly Work[];
  readonly overdue: readonly Work[];
  /** Milliseconds since 1970: from then until `changesAt` the lists are the same. */
  readonly since: number;
  readonly changesAt: number;
}

export interface Work extends ThreadItem {
  /** In milliseconds since 1970, since each step reads the due times of thousands. */
  readonly created: number;
  /**
   * The RESULTs and IDEAs of its thread on its line `Step I am taking`; without any, the message that it replies
   * to.
   */
  takes: readonly string[];
  /** What it takes, if that is IDEAs alone. */
  ideas: readonly Idea[];
  parts: readonly Part[];
}

/** The standings of a RESULT, which follow from later messages of its thread (`judge` in `verdicts.ts`). */
export const STANDINGS = [
  // A new edition by its writer stands at least as well.
  'replaced',
  // Its writer has taken it back, and no vote confirms it.
  'withdrawn',
  // No one else has reviewed it.
  'unreviewed',
  // It has REVIEWs, but none that counts as a vote.
  'reviewed',
  // The outcome of the votes: confirmed, in part, or not.
  'confirmed',
  'partlyConfirmed',
  'refuted',
  // "not confirmed" has as many votes as another outcome.
  'contested',
] as const;

export type Standing = (typeof STANDINGS)[number];

/** The newest REVIEW of a RESULT by one writer that has an outcome and evidence. */
export interface Judgement extends AuthoredStep {
  readonly outcome: Exclude<Outcome, 'withdrawn'>;
  /** The time of the first of its writer's REVIEWs in a row with this outcome. */
  readonly since: string;
}

/** How a RESULT stands as one signer sees its thread. */
export interface Verdict {
  readonly standing: Standing;
  /** What the votes alone say, before editions and withdrawals; undefined without a vote. */
  readonly byVotes: 'refuted' | 'contested' | 'partlyConfirmed' | 'confirmed' | undefined;
  /** The judgements that decide it. */
  readonly judgements: ReadonlyMap<Writer | AuthoredStep, Judgement>;
  /** The id of each signer's first REVIEW: only a later one can take a judgement back. */
  readonly firstReviews: ReadonlyMap<Writer, string>;
  /** Since when two votes have confirmed it; undefined while fewer do. */
  readonly confirmedSince: string | undefined;
  /**
   * How many signers other than its writer have reviewed it, in REVIEWs that are shown. All REVIEWs without a
   * key count as one signer.
   */
  readonly reviewers: number;
  /** The edition that replaces it. */
  readonly replacedBy: Result | undefined;
  /** The REVIEW by which its writer withdraws it, whether or not that takes it down. */
  readonly withdrawal: Step | undefined;
  /** The newest edition of a RESULT that votes confirm, if that edition does not replace it yet. */
  readonly newerEdition: Result | undefined;
  /** Its newest edition, the newest confirmed at least in part, and the newest confirmed in full. */
  readonly newestEditions: readonly (Result | undefined)[];
}

/** The REVIEWs that readers see beside the standing of a RESULT. */
export interface ReviewSummary {
  /** Judgements by trusted signers that agree with its standing, at most three, the opener's first. */
  readonly agreeing: readonly Judgement[];
  /** The newest judgement of each other outcome; of a `reviewed` RESULT last a REVIEW without one. */
  readonly others: readonly Dissent[];
  /** Whether there are judgements that neither list has. */
  readonly more: boolean;
}

/** A REVIEW that disagrees with the standing of a RESULT. */
export interface Dissent extends AuthoredStep {
  /** Null if it has no outcome, or one without evidence. */
  readonly outcome: Judgement['outcome'] | null;
  /** The earlier edition that it is about. */
  readonly edition?: Result;
}

export interface Result extends ThreadItem {
  /** REVIEWs of its thread that judge it, oldest first. */
  readonly reviews: AuthoredStep[];
  /** RESULTs of its thread, by anyone, whose line `Corrects:` names it, oldest first. */
  readonly corrections: Result[];
  /** RESULTs of its thread that its own line `Corrects:` names. */
  corrected: readonly Result[];
  parts: readonly Part[];
}

/** A RESULT that has left the lists over all threads, and the message that took it off them. */
export interface Delisting {
  readonly result: Result;
  readonly by: AuthoredStep;
}

/** Whose REVIEWs count in a thread, as its opener or another signer sees it. */
export interface Viewpoint {
  /** The opener, or the signer who replaces it; undefined if the first message has no key. */
  readonly opener: Writer | undefined;
  /** The writers whose judgements count, and since when they do: the opener first, with an empty time. */
  readonly trusted: ReadonlyMap<Writer, string>;
  readonly distrusted: ReadonlySet<Writer>;
  /** When the opener has ended the IDEA that begins the thread; undefined while that is open. */
  readonly endedAt: string | undefined;
  /** Messages from this time on do not count: with 10:00, one of 9:59 counts. It is `~` for the present. */
  readonly until: string;
  readonly cache: ViewpointCache;
}

/** What was computed from a viewpoint. It lasts as long as the viewpoint. */
interface ViewpointCache {
  /** Of `verdicts.ts`. */
  readonly verdicts: Map<Result, Verdict>;
  /** Of `reviews.ts`. */
  readonly summaries: Map<Result, ReviewSummary>;
  /** Of `listing-delay.ts`: what has left the lists over all threads since a time. */
  delisted: { readonly since: string; readonly all: readonly Delisting[] } | undefined;
  /** Of `names.ts`. */
  names: SignedNames | undefined;
}

/** The names that keys have signed in a thread. */
export interface SignedNames {
  /** By look, the first shown message of the key that owns it, or null; filled on demand. */
  readonly owners: Map<Look, Author | null>;
  /** The first shown message of each trusted key under each name. A key may sign with thousands of names. */
  readonly firsts: readonly Author[];
  /** The signers with a look, by their first letters; filled on demand. */
  readonly byBeginning: Map<Look, ReadonlyMap<string, readonly string[]>>;
}

/** The states of a part. Where several apply, the first counts. A part in one of the last two is free. */
export const PART_STATES = [
  'confirmed',
  'partlyConfirmed',
  'toReview',
  'underWay',
  'refuted',
  'free',
] as const;

export type PartState = (typeof PART_STATES)[number];

/** A change of a part by a message. A message that only announces something changes nothing. */
export interface Move {
  readonly to: PartState | 'announced';
  readonly by: Work | Result;
  /** Milliseconds since 1970; Infinity for a RESULT. */
  readonly until: number;
}

/** The parts of the IDEAs of a thread, from its messages. */
export interface PartsOfThread {
  /** For each IDEA with parts, the moves of each part. */
  readonly moves: ReadonlyMap<Idea, readonly (readonly Move[])[]>;
  /** The parts that each RESULT is for, if it is for any. */
  readonly ofResult: ReadonlyMap<Result, readonly Part[]>;
}

export interface Idea extends ThreadItem {
  /** RESULTs of its thread that reply to it or name it. */
  readonly results: Result[];
  /** The first message of its writer in its thread whose line `Ends:` names it. */
  endedBy: Step | undefined;
  /** The names of its parts, to which its opener may add. */
  parts: readonly string[];
  /** When its opener added parts, and how many there were before, oldest first. */
  readonly additions: { readonly at: string; readonly before: number; readonly isHeld: boolean }[];
}

/**
 * Whether the writer of an IDEA has ended it. A line `Ends:` by anyone else does nothing.
 * @example #1 IDEA by Ann; #2 "Ends: #1" by Bob; #3 "Ends: #1" by Ann: #1 is open until #3
 */
export const isEnded = ({ endedBy }: Idea): boolean => endedBy !== undefined;

/** A part of an IDEA, by its index in the list of parts. */
export interface Part {
  readonly idea: Idea;
  readonly index: number;
}

export type Listable = Idea | Work | Result;

/** The listed items of all threads, by id. */
export interface Items {
  readonly ideas: Map<string, Idea>;
  readonly works: Map<string, Work>;
  readonly results: Map<string, Result>;
}

/** The steps of a thread, linked by `LinkedThread`, and what was computed from them. */
export interface Thread {
  readonly rootId: string;
  readonly writers: Writers;
  /** The messages that it lists and that can be judged, oldest first. */
  readonly messages: readonly (AuthoredStep | Listable)[];
  readonly ideas: readonly Idea[];
  readonly works: readonly Work[];
  /** Includes held messages, so that no report turns a copy into the original or frees a part. */
  readonly results: readonly Result[];
  /** The near-copies among its RESULTs; undefined until it has a RESULT. */
  readonly copies: Copies | undefined;
  /** The signer of its first message; undefined if that has none. */
  readonly opener: string | undefined;
  /** Messages with a line "Trust:" or "Distrust:", or that end the first message, oldest first. */
  readonly rulings: readonly AuthoredStep[];
  /** The opener's viewpoint. It and the members below are undefined until read, and after each step. */
  viewpoint: Viewpoint | undefined;
  parts: PartsOfThread | undefined;
  worksByTime: WorksByTime | undefined;
  decidedWorks: DecidedWorks | undefined;
  /** @returns the IDEA that begins the thread, if the author opened it, and so can add parts to it */
  ideaOpenedBy(author: Author): Idea | undefined;
  /** @returns the WORK of this thread with the id */
  workOf(id: string): Work | undefined;
  /** @returns the WORKs that take a post of the thread, oldest first */
  worksOn(id: string): readonly Work[];
}
