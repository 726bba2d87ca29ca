import type { Outcome, Step } from '#message/step.ts';
import type { Copies } from './copies.ts';
import type { Author, Look, Writer, Writers } from './writers.ts';

// What a thread has. docs/architecture.md ("How a standing comes about") follows one from texts to lists.
// A standing is computed in three files, each of which uses the ones before it: `votes.ts` (what REVIEWs say,
// and how votes are counted), `trusted.ts` (whose REVIEWs count) and `verdicts.ts` (`judge`). `reviews.ts`
// chooses the REVIEWs that readers see beside it.

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
  /** When the next message is due, as it or a later RESULT says; milliseconds since 1970. */
  readonly dueAt: number;
  /** Whether the text gives no time that can be read. */
  readonly isDueAssumed: boolean;
  /** Whether its writer is trusted. */
  readonly isTrusted: boolean;
}

/** The status of all WORKs of a thread. */
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
  /** Milliseconds since 1970; a number, because each step compares the times of thousands of WORKs. */
  readonly created: number;
  /** The RESULTs and IDEAs that its line `Step I am taking` names here, or else the message it replies to. */
  takes: readonly string[];
  /** The IDEAs that it takes, if it takes nothing else. */
  ideas: readonly Idea[];
  parts: readonly Part[];
}

/** The standings of a RESULT, which follow from later messages of its thread (`judge` in `verdicts.ts`). */
export const STANDINGS = [
  // An edition by its writer is confirmed to the same degree or a higher one.
  'replaced',
  // Its writer has taken it back, and votes do not confirm it, even in part.
  'withdrawn',
  // No one else has reviewed it.
  'unreviewed',
  // It has REVIEWs, but none that counts as a vote.
  'reviewed',
  // The outcome of the votes: confirmed, in part, or not.
  'confirmed',
  'partlyConfirmed',
  'refuted',
  // "not confirmed" is in a tie.
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
  /** The outcome of the votes, before editions and withdrawals; undefined without a vote. */
  readonly byVotes: 'refuted' | 'contested' | 'partlyConfirmed' | 'confirmed' | undefined;
  /** The judgements that decide it. */
  readonly judgements: ReadonlyMap<Writer | AuthoredStep, Judgement>;
  /** The id of each signer's first REVIEW: only a later one can take a judgement back. */
  readonly firstReviews: ReadonlyMap<Writer, string>;
  /** The time since which two votes have confirmed it; undefined while fewer do. */
  readonly confirmedSince: string | undefined;
  /** How many others have shown REVIEWs of it. All REVIEWs without a key count as one signer. */
  readonly reviewers: number;
  /** The edition that replaces it. */
  readonly replacedBy: Result | undefined;
  /** The REVIEW in which its writer withdraws it, even if votes keep it up. */
  readonly withdrawal: Step | undefined;
  /** Its newest edition, if votes confirm it and that edition does not replace it yet. */
  readonly newerEdition: Result | undefined;
  /** Its newest edition, the newest confirmed at least in part, and the newest confirmed in full. */
  readonly newestEditions: readonly (Result | undefined)[];
}

/** The REVIEWs that readers see beside the standing of a RESULT. */
export interface ReviewSummary {
  /** Judgements by trusted signers that agree with its standing, at most three, the opener's first. */
  readonly agreeing: readonly Judgement[];
  /** The newest judgement with each other outcome; for a `reviewed` RESULT also a REVIEW without one. */
  readonly others: readonly Dissent[];
  /** Whether there are judgements in neither list. */
  readonly more: boolean;
}

/** A REVIEW that disagrees with the standing of a RESULT. */
export interface Dissent extends AuthoredStep {
  /** Null if it has no outcome, or one without evidence. */
  readonly outcome: Judgement['outcome'] | null;
  /** The earlier edition that it judges. */
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
  /** Whose view it is: the opener, or a signer who replaces it; undefined if the first message has no key. */
  readonly viewer: Writer | undefined;
  /** The writers whose judgements count, and since when: the opener first, with an empty time. */
  readonly trusted: ReadonlyMap<Writer, string>;
  readonly distrusted: ReadonlySet<Writer>;
  /** When the opener has ended the IDEA that begins the thread; undefined while that is open. */
  readonly endedAt: string | undefined;
  /** Only messages before this time count. `~` is later than every time. */
  readonly until: string;
  readonly cache: ViewpointCache;
}

/** What `verdicts.ts`, `reviews.ts`, `listing-delay.ts` and `names.ts` have computed from a viewpoint. */
interface ViewpointCache {
  readonly verdicts: Map<Result, Verdict>;
  readonly summaries: Map<Result, ReviewSummary>;
  /** The RESULTs that have left the lists over all threads since a time. */
  delisted: { readonly since: string; readonly all: readonly Delisting[] } | undefined;
  names: SignedNames | undefined;
}

/** The names that keys have signed in a thread. */
export interface SignedNames {
  /** By look, the first shown message of the key that owns it, or null; filled on demand. */
  readonly owners: Map<Look, Author | null>;
  /** The first shown message with a name of each trusted key. */
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

/** What a message does to a part. A message that only announces something leaves its state unchanged. */
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
  /** The first message here by its writer whose line `Ends:` names it. */
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

/** The steps of a thread, which `LinkedThread` links, and what was computed from them. */
export interface Thread {
  readonly rootId: string;
  readonly writers: Writers;
  /** The messages that it lists and that can be judged, oldest first. */
  readonly messages: readonly (AuthoredStep | Listable)[];
  readonly ideas: readonly Idea[];
  readonly works: readonly Work[];
  /** Includes held messages, so that no report can turn a copy into the original or free a part. */
  readonly results: readonly Result[];
  /** The near-copies among its RESULTs; undefined until it has a RESULT. */
  readonly copies: Copies | undefined;
  /** The signer of its first message; undefined if that has none. */
  readonly opener: string | undefined;
  /** Messages with a line "Trust:" or "Distrust:", or that end the first message, oldest first. */
  readonly rulings: readonly AuthoredStep[];
  /** The opener's viewpoint: undefined until read, and after a step that may change it or a standing. */
  viewpoint: Viewpoint | undefined;
  /** This and the members below: undefined until read, and after each step. */
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
