import type { Outcome, Step } from '#message/step.ts';
import type { Copies } from './copies.ts';
import type { Author, Look, Writer, Writers } from './writers.ts';

/**
 * How the standing of a RESULT comes about, from the messages of its thread alone.
 *
 *     #1 IDEA "Parts: a; b" by Ann; #2 RESULT "Part: a" by Bob
 *     #3 REVIEW of #2 "confirmed" by Ann; #4 REVIEW of #2 "not confirmed" by Cid
 *
 * 1. `LinkedThread.add` links each message with those that it names: #2 gets the `reviews` #3 and #4.
 * 2. `viewpointOfOpener` (trusted.ts) says whose REVIEWs count: those of Ann, and of Bob, since Ann confirms
 *    #2.
 * 3. `countedJudgements` and `votesOf` (votes.ts) make votes of these: two by Ann that confirm #2, none by
 *    Cid.
 * 4. `judge` (verdicts.ts) makes the standing of the votes, editions and withdrawals: #2 stands confirmed.
 * 5. `partsOf` (parts.ts) makes the state of a part of the standings: a is confirmed, b is free.
 * 6. `isOpen` (open.ts) and `listedAt` (listed.ts) say which lists of the `Board` (board.ts) have a message.
 */

/** A step, and who wrote it. */
export interface AuthoredStep {
  readonly step: Step;
  readonly author: Author;
}

/** What a list of work may show. */
interface ThreadItem extends AuthoredStep {
  readonly thread: Thread;
  /** Whether its thread no longer lists it. */
  isGone: boolean;
}

/** What later messages of its thread make of a WORK. */
export interface WorkStatus {
  /** The message that ends it. */
  readonly endedBy: Step | null;
  /** When it announces the next message, in its own text or a RESULT that extends it. Milliseconds since 1970. */
  readonly dueAt: number;
  /** Whether the text has no readable time. */
  readonly isDueAssumed: boolean;
  /** Whether its writer is trusted. */
  readonly isTrusted: boolean;
}

/** What the messages of a thread make of its WORKs. */
export interface DecidedWorks {
  readonly statuses: ReadonlyMap<Work, WorkStatus>;
  /** By the message that ends them, the newest first. */
  readonly ended: ReadonlyMap<Step, readonly Work[]>;
  /** Those that have not ended, by writer. */
  readonly open: ReadonlyMap<Writer | string, ReadonlySet<Work>>;
}

/** The WORKs of a thread by a time, those of trusted signers first, each newest first. */
export interface WorksByTime {
  readonly underWay: readonly Work[];
  readonly overdue: readonly Work[];
  /** Milliseconds since 1970: from then until `changesAt` the lists are the same. */
  readonly since: number;
  readonly changesAt: number;
}

export interface Work extends ThreadItem {
  /** Milliseconds since 1970: due times of thousands are asked for with each step. */
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

/** How a RESULT stands, by later messages of its thread. */
export const STANDINGS = [
  'replaced',
  'withdrawn',
  'unreviewed',
  'reviewed',
  'confirmed',
  'partlyConfirmed',
  'refuted',
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
  /** Of each signer the id of its first REVIEW: only a later one can take it back. */
  readonly firstReviews: ReadonlyMap<Writer, string>;
  /** Since when two votes have confirmed it; undefined while fewer do. */
  readonly confirmedSince: string | undefined;
  /**
   * How many signers besides its writer have reviewed it, in REVIEWs that are shown. All without a key are
   * one.
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
  /** The judgements of trusted signers that say the same as its standing, at most three, the opener's first. */
  readonly checked: readonly Judgement[];
  /** The newest judgement of each other outcome; last a REVIEW of a `reviewed` one that has none. */
  readonly others: readonly Dissent[];
  /** Whether there are judgements that neither list has. */
  readonly more: boolean;
}

/** A REVIEW that disagrees with the standing of a RESULT. */
export interface Dissent extends AuthoredStep {
  /** Null if it has no outcome, or one without evidence. */
  readonly outcome: Judgement['outcome'] | null;
  /** The earlier edition that it is about. */
  readonly of?: Result;
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

/** A RESULT that has left the lists over all threads, and the message by which it has. */
export interface Delisting {
  readonly result: Result;
  readonly by: AuthoredStep;
}

/** Whose REVIEWs count in a thread as its opener, or another signer, sees it, and what follows so far. */
export interface Viewpoint {
  /** The opener, or the other signer in its place; undefined if the first message has no key. */
  readonly opener: Writer | undefined;
  /** The writers whose judgements count, and since when they do: the opener first, with an empty time. */
  readonly trusted: ReadonlyMap<Writer, string>;
  readonly distrusted: ReadonlySet<Writer>;
  /** When the opener has ended the IDEA that begins the thread; undefined while that is open. */
  readonly endedAt: string | undefined;
  /** Messages from then on do not count: with 10:00 one of 9:59 does. It is `~` for the present. */
  readonly until: string;
  readonly verdicts: Map<Result, Verdict>;
  readonly summaries: Map<Result, ReviewSummary>;
  /** What has left the lists over all threads since a time; undefined until someone asks. */
  delisted: { readonly since: string; readonly all: readonly Delisting[] } | undefined;
  /** Undefined until a name is shown. */
  names: Names | undefined;
}

/** The names that keys have signed in a thread. */
export interface Names {
  /** Of each look that was asked for the first shown message of the key that owns it; null if none does. */
  readonly owners: Map<Look, Author | null>;
  /** Of each trusted key the first shown message that it signed with a name. One may sign with thousands. */
  readonly firsts: readonly Author[];
  /** The signers with a look by their first letters, once they are asked for. */
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

/** What a message makes of a part. One that only announces something moves nothing. */
export interface Move {
  readonly to: PartState | 'announced';
  readonly by: Work | Result;
  /** Milliseconds since 1970; Infinity for a RESULT. */
  readonly until: number;
}

/** What the messages of a thread make of the parts of its IDEAs. */
export interface PartsOfThread {
  /** Of each IDEA with parts the moves of each of them. */
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
  /** When its opener has added parts, and how many there were before, oldest first. */
  readonly additions: { readonly at: string; readonly before: number; readonly isHeld: boolean }[];
}

/** A part of an IDEA, by its index in the list of parts. */
export interface Part {
  readonly idea: Idea;
  readonly index: number;
}

export type Listable = Idea | Work | Result;

/** What is listed of all threads, by id. */
export interface Items {
  readonly ideas: Map<string, Idea>;
  readonly works: Map<string, Work>;
  readonly results: Map<string, Result>;
}

/** The steps of a thread, linked by `LinkedThread`, and what was decided of them since the last step. */
export interface Thread {
  readonly rootId: string;
  readonly writers: Writers;
  /** Those that it lists and judges, oldest first. */
  readonly messages: readonly (AuthoredStep | Listable)[];
  readonly ideas: readonly Idea[];
  readonly works: readonly Work[];
  /** Also those that reports hold, so that no report makes a copy the original, or a part free. */
  readonly results: readonly Result[];
  /** Of its RESULTs, once it has one. */
  readonly copies: Copies | undefined;
  /** The signer of its first message; undefined if that has none. */
  readonly opener: string | undefined;
  /** Messages with a line "Trust:" or "Distrust:", or that end the first message, oldest first. */
  readonly rulings: readonly AuthoredStep[];
  /** That of the opener. All of these are undefined until they are read, and again after each step. */
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
