import { countsAsStep, WINDOW, windowOf, type Step } from '#message/step.ts';
import { isComparedFirst, Copies } from './copies.ts';
import { mayBeOffered, viewOfOpener } from './trusted.ts';
import {
  countFirst,
  insertTop,
  MAX_STEPS_OF_THREAD,
  Thread,
  type Idea,
  type Items,
  type Listable,
  type Result,
  type Standing,
  type Work,
} from './thread.ts';
import { changesOfParts, isAnnounced, isAnswered, isOpen, isOverdue, isTaken, isUnderWay } from './parts.ts';
import { listedAt } from './listed.ts';
import { endingOf, isCopy, isShown, judge } from './verdicts.ts';
import { changesOf, chooseWorks, isOfMember, mayBeOwn, sharesPart, statusOf } from './works.ts';
import { Writers, type Author, type Signed } from './writers.ts';

/**
 * The lists of work. `ideas` are open, those that somebody is at last. RESULTs are listed by their standing:
 * `toReview` are those that are unreviewed or reviewed, `disputed` those that are contested or refuted. `ideas`
 * and `toReview` have what `mayBeOffered`.
 */
export const WORK_LISTS = [
  'ideas',
  'working',
  'overdue',
  'toReview',
  'partlyConfirmed',
  'disputed',
  'confirmed',
] as const;

export type WorkList = (typeof WORK_LISTS)[number];

/** Of each list its steps. */
export type Lists = Readonly<Record<WorkList, readonly Step[]>>;

/** The list of a RESULT, by its standing. Replaced and withdrawn ones are in none. */
const LIST_OF = {
  unreviewed: 'toReview',
  reviewed: 'toReview',
  confirmed: 'confirmed',
  partlyConfirmed: 'partlyConfirmed',
  refuted: 'disputed',
  contested: 'disputed',
} as const satisfies Partial<Record<Standing, WorkList>>;

type ListedStanding = keyof typeof LIST_OF;

export const LISTED_STANDINGS = Object.keys(LIST_OF) as readonly ListedStanding[];

/** @returns the RESULTs with a standing, newest first */
export function listStanding(
  { board, lists }: { readonly board: Board; readonly lists: Lists },
  standing: ListedStanding,
): Step[] {
  const list = lists[LIST_OF[standing]];
  const stands = ({ id }: Step): boolean => {
    const result = board.results.get(id);
    return result !== undefined && judge(result).standing === standing;
  };
  const newest = list.filter(stands).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return copiesLast(board, newest, (step) => step);
}

/**
 * @returns the list in its order, with copies and what is in their threads behind others
 * @example
 *   copiesLast(board, [copy, older, reply], (step) => step); // [older, copy, reply], if the reply is to the copy
 */
export const copiesLast = <One>(
  board: Board,
  list: readonly One[],
  stepOf: (one: One) => Pick<Step, 'id' | 'rootId'>,
): One[] => {
  const [first, last]: [One[], One[]] = [[], []];
  for (const one of list) (board.comesLast(stepOf(one)) ? last : first).push(one);
  return [...first, ...last];
};

/** Oldest first. */
type StepList = Step[];

/** The rank of what somebody is at. */
const LATE = Number.MAX_SAFE_INTEGER;
/** The rank of copies, and of what is in the thread of one. */
const LAST = Infinity;

const forEachList = <Value>(create: (list: WorkList) => Value): Record<WorkList, Value> =>
  Object.fromEntries(WORK_LISTS.map((list) => [list, create(list)])) as Record<WorkList, Value>;

/** A WORK or IDEA, and the message that ended it. */
interface Ended {
  readonly item: Work | Idea;
  readonly by: Step;
}

/** Steps that were dropped and still take room in an array. */
const MAX_DROPPED = 1000;
/** Steps that are replaced at once. */
const MAX_REPLACED = 200;
/** First messages among these: each may decide anew what thousands are copies of. */
const MAX_REPLACED_FIRSTS = 20;
/** Steps that are listed or looked up again at once: those of two threads that list as many as they may. */
const MAX_LISTED_AGAIN = 2 * MAX_STEPS_OF_THREAD;

/**
 * The steps of all threads, and the lists of work over them. Its window has the newest steps: `WINDOW.steps` with
 * a prefix or a line `Ends:`, and `WINDOW.all` in all.
 */
export class Board implements Items {
  readonly ideas = new Map<string, Idea>();
  readonly works = new Map<string, Work>();
  readonly results = new Map<string, Result>();
  /** When the clock alone changes a list next, in milliseconds since 1970; Infinity if it does not. */
  changesAt = Infinity;
  /** Who shows that one key has sent two first messages may have the lines of the older one. */
  readonly #copies = new Copies((later, earlier) => this.#hasOneKey(later, earlier));
  /** The first messages of the window that may be compared, oldest first. */
  #firsts: Step[] = [];
  /** Those that `#copies` has, oldest first. */
  #compared = new Set<Step>();
  /** How many of the newest nobody has compared yet. */
  #uncompared = 0;
  readonly #threads = new Map<string, Thread>();
  /** By the id of a step. */
  readonly #authors = new Map<string, Author>();
  #steps: Step[] = [];
  /** The index of the first step of the window. */
  #start = 0;
  /** The steps of the window that `WINDOW.steps` counts. */
  #counting = 0;
  /** Threads with new steps since the last `update`. */
  readonly #changed = new Set<Thread>();
  /** Items of changed threads, and items that the clock moves, that no `update` has placed yet. */
  readonly #unplaced = new Set<Listable>();
  /** By rank: lower ones come first. */
  readonly #lists = forEachList(() => new Map<number, StepList>());
  /** The list that holds each item. */
  readonly #holders = new Map<Listable, StepList>();
  /** What the clock may move: open WORKs, open IDEAs with parts, and confirmed RESULTs. */
  readonly #timed = new Set<Listable>();
  #now = -Infinity;
  readonly #window: typeof WINDOW;
  readonly #ofThread: number;

  constructor(window = WINDOW, ofThread = MAX_STEPS_OF_THREAD) {
    this.#window = window;
    this.#ofThread = ofThread;
  }

  /** The steps of the window, oldest first. */
  get steps(): readonly Step[] {
    return this.#steps.slice(this.#start);
  }

  /**
   * The copies among the newest first messages, as many as a thread lists: when one leaves, all that are like it
   * are decided anew.
   */
  get copies(): Copies {
    this.#compareFirsts(() => false);
    return this.#copies;
  }

  /** @param step later than all that were added before */
  add(step: Step): void {
    const thread = this.#threadOf(step);
    this.#authors.set(step.id, thread.add(step));
    this.#changed.add(thread);
    if (isComparedFirst(step)) this.#uncompared = Math.min(this.#firsts.push(step), this.#uncompared + 1);
    else if (step.sameKeyAs !== undefined) this.#rank(this.#copies.decide(step.rootId));
    if (thread.messages.length > this.#ofThread) this.#drop(thread);
    this.#steps.push(step);
    this.#counting += Number(countsAsStep(step));
    while (this.#isTooLarge()) this.#moveWindow();
  }

  /**
   * Takes other steps in place of its own, after some were hidden, held, shown or erased. Their threads begin
   * again.
   * @param steps oldest first
   * @returns false, and changes nothing, if there is so much to do that a new board must be made in slices
   */
  replace(steps: readonly Step[]): boolean {
    const window = windowOf(steps, countsAsStep, this.#window);
    const { gone, come } = compareSteps(this.steps, window);
    const threads = new Map([...gone, ...come].map(({ rootId }) => [rootId, [] as Step[]]));
    for (const step of window) threads.get(step.rootId)?.push(step);
    let listed = 0;
    for (const { length } of threads.values()) listed += Math.min(length, this.#ofThread);
    const replaced = [...gone, ...come];
    const tooMany =
      replaced.length > MAX_REPLACED || replaced.filter(isComparedFirst).length > MAX_REPLACED_FIRSTS;
    if (tooMany || listed > MAX_LISTED_AGAIN) return false;
    for (const step of gone) {
      const author = this.#authors.get(step.id);
      if (author !== undefined) this.#threads.get(step.rootId)?.writers.remove(author);
      this.#authors.delete(step.id);
    }
    for (const step of come) this.#authors.set(step.id, this.#threadOf(step).writers.add(step));
    this.#compareOthers(window.filter(isComparedFirst));
    for (const [rootId, its] of threads) this.#replaceThread(rootId, its);
    // A message that a line "Same key as:" names may have come or gone.
    for (const [rootId, { keyLines }] of this.#threads)
      if (keyLines.length > 0 || threads.has(rootId)) this.#rank(this.#copies.decide(rootId));
    this.#steps = window;
    this.#start = 0;
    this.#counting = window.filter(countsAsStep).length;
    return true;
  }

  #replaceThread(rootId: string, steps: readonly Step[]): void {
    const thread = this.#threads.get(rootId);
    if (thread === undefined) return;
    const authorOf = (step: Step): Author => this.authorOf(step);
    for (const one of thread.replace(steps, authorOf, this.#ofThread)) this.#takeOut(one);
    this.#changed.add(thread);
    if (steps.length === 0) this.#threads.delete(rootId);
  }

  /** Compares those that came since the last time. @returns whether it has compared all */
  #compareFirsts(isOver: () => boolean): boolean {
    if (this.#uncompared === 0) return true;
    const newest = this.#firsts.slice(-this.#ofThread);
    for (const step of this.#compared) {
      if (step.createdAt >= (newest[0]?.createdAt ?? '')) break;
      this.#leaveOut(step);
      if (isOver()) return false;
    }
    for (const step of newest.slice(-this.#uncompared)) {
      this.#compared.add(step);
      this.#rank(this.#copies.add(step));
      this.#uncompared = Math.min(this.#uncompared, newest.length) - 1;
      if (isOver()) break;
    }
    return this.#uncompared === 0;
  }

  #leaveOut(step: Step): void {
    if (this.#compared.delete(step)) this.#rank(this.#copies.remove(step.id));
  }

  /** @param firsts all that may be compared, oldest first, in place of others */
  #compareOthers(firsts: Step[]): void {
    this.#compareFirsts(() => false);
    this.#firsts = firsts;
    const newest = new Set(firsts.slice(-this.#ofThread));
    for (const step of this.#compared) if (!newest.has(step)) this.#leaveOut(step);
    for (const step of newest) if (!this.#compared.has(step)) this.#rank(this.#copies.add(step));
    this.#compared = newest;
  }

  #threadOf({ rootId }: Step): Thread {
    const known = this.#threads.get(rootId);
    if (known !== undefined) return known;
    const thread = new Thread(rootId, this);
    this.#threads.set(rootId, thread);
    return thread;
  }

  thread(rootId: string): Thread | undefined {
    return this.#threads.get(rootId);
  }

  /** @param id of the first message of the thread, or of a step */
  threadOf(id: string): Thread | undefined {
    return this.#threads.get(id) ?? this.#threads.get(this.#authors.get(id)?.rootId ?? '');
  }

  /** @returns the author of any message, step or not */
  authorOf(message: Signed): Author {
    return (
      this.#authors.get(message.id) ??
      this.#threads.get(message.rootId)?.writers.of(message) ??
      new Writers(message.rootId).of(message)
    );
  }

  /** @returns the author of a step; undefined for a message that is no step */
  authorOfStep(id: string): Author | undefined {
    return this.#authors.get(id);
  }

  /**
   * Updates the lists to a time.
   * @param now milliseconds since 1970
   * @param isOver whether to pause; called after each small piece of work
   * @returns whether the lists are up to date
   */
  update(now: number, isOver: () => boolean): boolean {
    this.#setClock(now);
    if (!this.#compareFirsts(isOver)) return false;
    for (const { ideas, works, results } of this.#changed)
      for (const one of [...ideas, ...works, ...results]) this.#unplaced.add(one);
    this.#changed.clear();
    for (const one of this.#unplaced) {
      this.#unplaced.delete(one);
      this.#place(one);
      if (isOver()) return this.#unplaced.size === 0;
    }
    return true;
  }

  /**
   * @returns the lists as of the last `update`, newest first; RESULTs with fewer reviewers before others, WORKs
   *   of trusted writers before others, then what somebody is at, and last copies and what is in their threads
   */
  read(): Lists {
    return forEachList((list) => {
      const byRank = [...this.#lists[list]].sort(([a], [b]) => (a < b ? -1 : 1));
      return byRank.flatMap(([, steps]) => steps.toReversed());
    });
  }

  /**
   * The WORKs and IDEAs that ended last, newest first. None is named while reports hold it, or what ended it.
   * @param since the time of the earliest message that ended one
   */
  newestEnded(since: string, max: number): Ended[] {
    const newest: Ended[] = [];
    // The newest first, of which nearly all others are older.
    for (const item of [...this.ideas.values(), ...this.works.values()].reverse()) {
      const by = 'takes' in item ? statusOf(item).endedBy : endingOf(item);
      if (by == null || by.createdAt < since || by.isHeld === true || !isShown(item)) continue;
      insertTop(newest, { item, by }, max, (one, other) => one.by.createdAt > other.by.createdAt);
    }
    return newest;
  }

  /** Whether `windowOf` would leave out the oldest step. */
  #isTooLarge(): boolean {
    const { steps, all } = this.#window;
    const oldest = this.#steps[this.#start];
    const isFull = this.#counting >= steps && oldest !== undefined && !countsAsStep(oldest);
    return isFull || this.#counting > steps || this.#steps.length - this.#start > all;
  }

  #moveWindow(): void {
    const step = this.#steps[this.#start];
    this.#start += 1;
    if (step === undefined) return;
    this.#counting -= Number(countsAsStep(step));
    const [thread, author] = [this.#threads.get(step.rootId), this.#authors.get(step.id)];
    this.#authors.delete(step.id);
    if (this.#firsts[0] === step) {
      this.#firsts.shift();
      this.#uncompared = Math.min(this.#uncompared, this.#firsts.length);
      this.#leaveOut(step);
    }
    if (thread !== undefined && author !== undefined) {
      if (thread.leave(step, author)) this.#changed.add(thread);
      if (thread.messages[0]?.step === step) this.#drop(thread);
    }
    if (this.#start > MAX_DROPPED) this.#steps.splice(0, this.#start);
    if (this.#start > MAX_DROPPED) this.#start = 0;
  }

  /** Drops the oldest message of a thread, and a thread without messages. */
  #drop(thread: Thread): void {
    const message = thread.drop();
    this.#changed.add(thread);
    if (message !== undefined && 'thread' in message) this.#takeOut(message);
    if (message === undefined || thread.messages.length > 0) return;
    this.#threads.delete(message.step.rootId);
  }

  /** Takes what is no longer listed out of the lists. */
  #takeOut(one: Listable): void {
    this.#moveTo(one, undefined);
    this.#timed.delete(one);
  }

  /** Examines what the clock may move, if it has moved something. */
  #setClock(now: number): void {
    const before = this.#now;
    this.#now = now;
    if (now >= before && now < this.changesAt) return;
    this.changesAt = Infinity;
    for (const one of this.#timed) {
      const times = timesOf(one);
      if (times.some((time) => time > before !== time > now)) this.#placeAgain(one);
      this.#expect(times);
    }
  }

  /** Has what the clock moves placed again, of a WORK also what it takes. */
  #placeAgain(one: Listable): void {
    this.#unplaced.add(one);
    for (const id of 'takes' in one ? one.takes : []) {
      const taken = this.ideas.get(id) ?? this.results.get(id);
      if (taken !== undefined) this.#unplaced.add(taken);
    }
  }

  #place(one: Listable): void {
    if (one.isGone || !isShown(one)) return;
    if ('endings' in one) this.#moveTo(one, this.#findIdeaList(one));
    else this.#moveTo(one, 'takes' in one ? this.#findWorkList(one) : this.#findResultList(one));
  }

  #moveTo(one: Listable, list: StepList | undefined): void {
    const before = this.#holders.get(one);
    if (list === before) return;
    if (before !== undefined) remove(before, one.step);
    if (list === undefined) {
      this.#holders.delete(one);
      return;
    }
    insert(list, one.step);
    this.#holders.set(one, list);
  }

  #findIdeaList(idea: Idea): StepList | undefined {
    if (!isOpen(idea) || !mayBeOffered(idea)) {
      this.#timed.delete(idea);
      return undefined;
    }
    if (idea.parts.length > 0) {
      this.#timed.add(idea);
      this.#expect(timesOf(idea));
    }
    return this.#listOf('ideas', idea, isTaken(idea, this.#now) || isAnswered(idea) ? LATE : 0);
  }

  #findWorkList(work: Work): StepList | undefined {
    if (statusOf(work).endedBy !== null) {
      this.#timed.delete(work);
      return undefined;
    }
    this.#timed.add(work);
    this.#expect(changesOf(work));
    const rank = isOfMember(work) ? 0 : 1;
    if (isUnderWay(work, this.#now)) return this.#listOf('working', work, rank);
    return isOverdue(work, this.#now) ? this.#listOf('overdue', work, rank) : undefined;
  }

  #findResultList(result: Result): StepList | undefined {
    this.#timed.delete(result);
    const { standing, reviewers, withdrawal } = judge(result);
    const list: WorkList | undefined = standing in LIST_OF ? LIST_OF[standing as ListedStanding] : undefined;
    if (list === undefined || withdrawal !== undefined) return undefined;
    if (list === 'confirmed') {
      const at = listedAt(result);
      if (at === undefined) return undefined;
      this.#timed.add(result);
      this.#expect([at]);
      return at <= this.#now ? this.#listOf(list, result, 0) : undefined;
    }
    if (list !== 'toReview') return this.#listOf(list, result, 0);
    if (!mayBeOffered(result)) return undefined;
    return this.#listOf(list, result, isAnnounced(result, this.#now) ? LATE : reviewers);
  }

  #listOf(list: WorkList, one: Listable, rankOfOthers: number): StepList {
    const byRank = this.#lists[list];
    const rank = this.comesLast(one.step) ? LAST : rankOfOthers;
    const steps = byRank.get(rank) ?? [];
    byRank.set(rank, steps);
    return steps;
  }

  /** Whether a step is a copy, or in the thread of one, and so comes last and is offered to nobody. */
  comesLast({ id, rootId }: Pick<Step, 'id' | 'rootId'>): boolean {
    const result = this.results.get(id);
    return this.copies.isCopy(rootId) || (result !== undefined && isCopy(result));
  }

  /** Whether the opener of a later thread has shown there that the opener of an earlier one has the same key. */
  #hasOneKey(later: Step, earlier: Step): boolean {
    const shown = this.#threads.get(later.rootId)?.keyLines.flatMap(({ step }) => step.sameKeyAs ?? []) ?? [];
    return shown.some((id) => {
      const author = this.#authors.get(id);
      return author?.signer !== undefined && author.rootId === earlier.id && author.signer === earlier.mark;
    });
  }

  /** @param rootIds of threads that have become copies, or are none any more */
  #rank(rootIds: readonly string[]): void {
    for (const id of rootIds) {
      const thread = this.#threads.get(id);
      if (thread !== undefined) this.#changed.add(thread);
    }
  }

  #expect(times: readonly number[]): void {
    for (const time of times) if (time > this.#now && time < this.changesAt) this.changesAt = time;
  }
}

/** @returns the steps that only one of two lists in the order of time has */
function compareSteps(before: readonly Step[], now: readonly Step[]): Record<'gone' | 'come', Step[]> {
  const [gone, come]: [Step[], Step[]] = [[], []];
  let [at, atNow] = [0, 0];
  for (;;) {
    const [one, other] = [before[at], now[atNow]];
    if (one === undefined && other === undefined) return { gone, come };
    const isGone = one !== other && one !== undefined && one.createdAt <= (other?.createdAt ?? '~');
    const hasCome = one !== other && other !== undefined && other.createdAt <= (one?.createdAt ?? '~');
    if (isGone) gone.push(one);
    if (hasCome) come.push(other);
    at += Number(!hasCome || isGone);
    atNow += Number(!isGone || hasCome);
  }
}

/** @returns the times at which the clock alone moves an item, in milliseconds since 1970 */
function timesOf(one: Listable): number[] {
  if ('reviews' in one) return [listedAt(one) ?? []].flat();
  return 'takes' in one ? changesOf(one) : changesOfParts(one);
}

/** @returns the index of the first step of its time, or, with `isBehind`, the index after the last one */
function placeIn(list: StepList, { createdAt }: Step, isBehind: boolean): number {
  return countFirst(list, (one) => one.createdAt < createdAt || (isBehind && one.createdAt === createdAt));
}

function insert(list: StepList, step: Step): void {
  list.splice(placeIn(list, step, true), 0, step);
}

function remove(list: StepList, step: Step): void {
  list.splice(list.indexOf(step, placeIn(list, step, false)), 1);
}

/** WORKs of one receipt. */
const MAX_OTHERS = 3;

/**
 * Finds the WORKs of others in its thread that may do the same as a WORK, RESULT or REVIEW: all that are under
 * way; of a REVIEW those that take the RESULT that it judges. Between two that name parts, a part must be the
 * same.
 * @param now milliseconds since 1970
 * @returns at most three, those of trusted signers first
 */
export function othersUnderWay(
  board: Board,
  post: Signed & Pick<Step, 'prefix'>,
  judged: string,
  now: number,
): Work[] {
  const thread = board.thread(post.rootId);
  if (thread === undefined) return [];
  const author = board.authorOf(post);
  const parts = (board.works.get(post.id) ?? board.results.get(post.id))?.parts ?? [];
  const isOther = (one: Work): boolean =>
    one.step.id !== post.id &&
    isUnderWay(one, now) &&
    !mayBeOwn(one.author, author) &&
    (parts.length === 0 || one.parts.length === 0 || sharesPart(parts, one.parts));
  const works = post.prefix === 'REVIEW' ? thread.worksOn(judged) : thread.works;
  return chooseWorks(works.filter(isOther).reverse(), MAX_OTHERS, viewOfOpener(thread).trusted);
}

/**
 * @param isWanted `isUnderWay` or `isOverdue`, at a time in milliseconds since 1970
 * @returns the WORKs that take a post, those of trusted signers first, each newest first
 */
export function worksOn(
  board: Board,
  id: string,
  max: number,
  isWanted: (work: Work, now: number) => boolean,
  now: number,
): Work[] {
  const thread = board.threadOf(id);
  const works = thread?.worksOn(id).toReversed() ?? [];
  return chooseWorks(works, max, thread && viewOfOpener(thread).trusted, (work) => isWanted(work, now));
}
