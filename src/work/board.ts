import { countsAsStep, WINDOW, windowOf, type Step } from '#message/step.ts';
import { isComparedFirst, Copies } from './copies.ts';
import { isRemembered, LinkedThread, MAX_STEPS_OF_THREAD } from './linked-thread.ts';
import { insertTop } from './lists.ts';
import { isShown, type Idea, type Items, type Result, type Thread, type Work } from './model.ts';
import { isCopy, judge } from './verdicts.ts';
import { LIST_OF, WorkLists, type ListedStanding, type Lists } from './work-lists.ts';
import { decidedWorksOf } from './works.ts';
import { Writers, type Author, type Signed } from './writers.ts';

/**
 * @returns the RESULTs with a standing, newest first
 * @example `listStanding(work, 'refuted')` is the refuted RESULTs of the list `disputed`, copies last
 */
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
 * @returns the list in the same order, but copies and the messages of their threads come last
 * @example
 *   copiesLast(board, [copy, older, replyToCopy], (step) => step); // [older, copy, replyToCopy]
 */
export const copiesLast = <One>(
  board: Board,
  list: readonly One[],
  stepOf: (one: One) => Pick<Step, 'id' | 'rootId'>,
): One[] => {
  const [first, last]: [One[], One[]] = [[], []];
  for (const one of list) (board.isRankedLast(stepOf(one)) ? last : first).push(one);
  return [...first, ...last];
};

/** How many dropped steps may stay in the array before it is shortened. */
const MAX_DROPPED = 1000;
/** The maximum number of steps that are added without a pause, or replaced without a new board. */
export const MAX_AT_ONCE = 200;
/** The maximum number of first messages among the replaced steps: each may have thousands of copies. */
const MAX_REPLACED_FIRSTS = 20;

/**
 * The steps of all threads, and the lists of work over them. It keeps a window of the newest steps:
 * `WINDOW.steps` with a prefix or a line `Ends:`, and `WINDOW.all` in total.
 */
export class Board implements Items {
  readonly ideas = new Map<string, Idea>();
  readonly works = new Map<string, Work>();
  readonly results = new Map<string, Result>();
  readonly lists = new WorkLists(this);
  /** An opener who proves with "Same key as:" that it opened both threads may repeat its own lines. */
  readonly #copies = new Copies((later, earlier) => this.#hasOneKey(later, earlier));
  /** The first messages of the window that may be compared, oldest first. */
  #firsts: Step[] = [];
  /** The first messages that `#copies` has, oldest first. */
  #compared = new Set<Step>();
  /** The number of the newest first messages that are not compared yet. */
  #uncompared = 0;
  readonly #threads = new Map<string, LinkedThread>();
  /** By the id of a step. */
  readonly #authors = new Map<string, Author>();
  #steps: Step[] = [];
  /** The index of the first step of the window. */
  #start = 0;
  /** How many steps of the window count toward `WINDOW.steps`. */
  #counting = 0;
  /** Threads with new steps since the last `update`. */
  readonly #changed = new Set<LinkedThread>();
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

  /** The copies among the newest first messages: at most as many as a thread lists, which bounds the cost. */
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
    if (thread.messages.length > this.#ofThread) this.#dropOldestOf(thread);
    this.#steps.push(step);
    this.#counting += Number(countsAsStep(step));
    while (this.#isTooLarge()) this.#moveWindow();
  }

  /**
   * Replaces the steps of the board after some were hidden, held, shown or erased. Their threads are built
   * again separately, and the board gets all of them at once in the last piece of work.
   *
   *     #1 IDEA, #2 RESULT; reports hold #2    pieces that link #1 and the held #2; then a board with both
   *
   * @param steps oldest first
   * @returns pauses after each piece of work, between which nothing else may change the board. In the end
   *   `rebuild` if so much has changed that the caller must create a new board: then nothing was changed. If
   *   a piece throws, the board must not be used any more, since its writers may already have messages that
   *   its threads lack
   */
  *replace(steps: readonly Step[]): Generator<void, 'replaced' | 'rebuild'> {
    const window = windowOf(steps, countsAsStep, this.#window);
    yield;
    const { removed, added } = compareSteps(this.steps, window);
    yield;
    const replaced = [...removed, ...added];
    const stepsOf = new Map(replaced.map(({ rootId }) => [rootId, [] as Step[]]));
    for (const step of window) stepsOf.get(step.rootId)?.push(step);
    let listed = 0;
    for (const { length } of stepsOf.values()) listed += Math.min(length, this.#ofThread);
    const firsts = replaced.filter(isComparedFirst);
    // Enough for two threads of the maximum size.
    const tooMany = replaced.length > MAX_AT_ONCE || listed > 2 * MAX_STEPS_OF_THREAD;
    if (tooMany || firsts.length > MAX_REPLACED_FIRSTS) return 'rebuild';
    yield;
    const others = firsts.length > 0 ? window.filter(isComparedFirst) : undefined;
    do yield;
    while (!this.#compareFirsts(() => true));
    const threads = Array.from(stepsOf.keys(), (rootId) => {
      const items = { ideas: new Map(), works: new Map(), results: new Map() };
      return new LinkedThread(rootId, items, this.#threads.get(rootId)?.writers);
    });
    // Their writers have both the old and the new messages until the last piece.
    const authors = new Map<string, Author>();
    for (const { rootId, writers } of threads)
      for (const step of added) if (step.rootId === rootId) authors.set(step.id, writers.add(step));
    const authorOf = (step: Step): Author => authors.get(step.id) ?? this.authorOf(step);
    for (const thread of threads)
      for (const _ of this.#fill(thread, stepsOf.get(thread.rootId) ?? [], authorOf)) yield;
    for (const step of removed) this.#removeAuthor(step);
    for (const [id, author] of authors) this.#authors.set(id, author);
    for (const thread of threads) this.#exchange(thread);
    if (others !== undefined) this.#compareOthers(others);
    const ids = new Set(replaced.map(({ id }) => id));
    // A message that a line "Same key as:" names may have come or gone.
    for (const [rootId, { keyLines }] of this.#threads)
      if (stepsOf.has(rootId) || keyLines.some(({ step }) => step.sameKeyAs?.some((id) => ids.has(id))))
        this.#rank(this.#copies.decide(rootId));
    this.#steps = window;
    this.#start = 0;
    this.#counting += added.filter(countsAsStep).length - removed.filter(countsAsStep).length;
    return 'replaced';
  }

  /** Links the steps of a thread, and yields after each. */
  *#fill(
    thread: LinkedThread,
    steps: readonly Step[],
    authorOf: (step: Step) => Author,
  ): Generator<void, void> {
    // Only these authors are looked up, because there may be 50,000 steps.
    for (const step of steps.filter(isRemembered)) thread.remember(step, authorOf(step));
    for (const step of steps.slice(-this.#ofThread)) {
      thread.link(step, authorOf(step));
      yield;
    }
  }

  #removeAuthor({ id, rootId }: Step): void {
    const author = this.#authors.get(id);
    if (author !== undefined) this.#threads.get(rootId)?.writers.remove(author);
    this.#authors.delete(id);
  }

  /** Replaces the thread that begins with the same message. */
  #exchange(thread: LinkedThread): void {
    const { rootId } = thread;
    const before = this.#threads.get(rootId);
    const items = before?.removeItems() ?? [];
    if (before !== undefined) this.#changed.delete(before);
    if (thread.messages.length === 0) this.#threads.delete(rootId);
    else {
      thread.join(this);
      this.#threads.set(rootId, thread);
      this.#changed.add(thread);
    }
    for (const item of items) this.lists.remove(item);
  }

  /** Compares the first messages that came since the last call. @returns whether it has compared all */
  #compareFirsts(isOver: () => boolean): boolean {
    if (this.#uncompared === 0) return true;
    const newest = this.#firsts.slice(-this.#ofThread);
    for (const step of this.#compared) {
      if (step.createdAt >= (newest[0]?.createdAt ?? '')) break;
      this.#stopComparing(step);
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

  #stopComparing(step: Step): void {
    if (this.#compared.delete(step)) this.#rank(this.#copies.remove(step.id));
  }

  /** @param firsts replaces the first messages that may be compared, oldest first */
  #compareOthers(firsts: Step[]): void {
    this.#firsts = firsts;
    const newest = new Set(firsts.slice(-this.#ofThread));
    for (const step of this.#compared) if (!newest.has(step)) this.#stopComparing(step);
    for (const step of newest) if (!this.#compared.has(step)) this.#rank(this.#copies.add(step));
    this.#compared = newest;
  }

  #threadOf({ rootId }: Step): LinkedThread {
    let thread = this.#threads.get(rootId);
    if (thread === undefined) this.#threads.set(rootId, (thread = new LinkedThread(rootId, this)));
    return thread;
  }

  thread(rootId: string): Thread | undefined {
    return this.#threads.get(rootId);
  }

  /** @returns the author of any message, step or not */
  authorOf(message: Signed): Author {
    return (
      this.#authors.get(message.id) ??
      this.#threads.get(message.rootId)?.writers.authorOf(message) ??
      new Writers(message.rootId).authorOf(message)
    );
  }

  /** @returns the author of a step; undefined for a message that is not a step */
  authorOfStep(id: string): Author | undefined {
    return this.#authors.get(id);
  }

  /**
   * Updates the lists to a time.
   * @param now milliseconds since 1970
   * @param isOver called after each small piece of work; returns whether to pause
   * @returns whether the lists are up to date
   */
  update(now: number, isOver: () => boolean): boolean {
    if (!this.#compareFirsts(isOver)) return false;
    for (const thread of this.#changed) for (const one of thread.takeChanged()) this.lists.add(one);
    this.#changed.clear();
    return this.lists.update(now, isOver);
  }

  /**
   * The shown WORKs and IDEAs that shown messages ended last, newest first.
   * @param since the earliest time at which one may have ended
   */
  newestEnded(since: string, max: number) {
    const newest: { readonly item: Work | Idea; readonly by: Step }[] = [];
    const offer = (by: Step, items: readonly (Work | Idea)[]): void => {
      const isLate = by.createdAt >= since && by.createdAt >= (newest[max - 1]?.by.createdAt ?? '');
      if (!isLate || by.isHeld === true) return;
      for (const item of items.filter(isShown))
        insertTop(newest, { item, by }, max, (a, b) => a.by.createdAt > b.by.createdAt);
    };
    for (const thread of this.#threads.values())
      for (const [by, works] of thread.works.length > 0 ? [...decidedWorksOf(thread).ended].reverse() : [])
        offer(by, works);
    for (const idea of [...this.ideas.values()].reverse())
      if (idea.endedBy !== undefined) offer(idea.endedBy, [idea]);
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
      this.#stopComparing(step);
    }
    if (thread !== undefined && author !== undefined) {
      if (thread.leaveWindow(step, author)) this.#changed.add(thread);
      if (thread.messages[0]?.step === step) this.#dropOldestOf(thread);
    }
    if (this.#start > MAX_DROPPED) this.#steps.splice(0, this.#start);
    if (this.#start > MAX_DROPPED) this.#start = 0;
  }

  /** Drops the oldest message of a thread, and the thread itself if it has no other. */
  #dropOldestOf(thread: LinkedThread): void {
    const message = thread.dropOldest();
    this.#changed.add(thread);
    if (message !== undefined && 'thread' in message) this.lists.remove(message);
    if (message === undefined || thread.messages.length > 0) return;
    this.#threads.delete(message.step.rootId);
  }

  /** Whether a step is a copy, or in the thread of one. Lists show such steps last, and never offer them. */
  isRankedLast({ id, rootId }: Pick<Step, 'id' | 'rootId'>): boolean {
    const result = this.results.get(id);
    return this.copies.isCopy(rootId) || (result !== undefined && isCopy(result));
  }

  /** Whether the opener of a later thread has proven there that it also opened an earlier one. */
  #hasOneKey(later: Step, earlier: Step): boolean {
    const shown = this.#threads.get(later.rootId)?.keyLines.flatMap(({ step }) => step.sameKeyAs ?? []) ?? [];
    return shown.some((id) => {
      const author = this.#authors.get(id);
      return author?.signer !== undefined && author.rootId === earlier.id && author.signer === earlier.mark;
    });
  }

  /** @param rootIds of threads that have become copies, or are no longer copies */
  #rank(rootIds: readonly string[]): void {
    for (const id of rootIds) {
      const thread = this.#threads.get(id);
      thread?.invalidate();
      if (thread !== undefined) this.#changed.add(thread);
    }
  }
}

/** @returns the steps that are in only one of two lists, both in the order of time */
function compareSteps(before: readonly Step[], now: readonly Step[]) {
  const [removed, added]: [Step[], Step[]] = [[], []];
  let [index, indexNow] = [0, 0];
  for (;;) {
    const [one, other] = [before[index], now[indexNow]];
    if (one === undefined && other === undefined) return { removed, added };
    const isRemoved = one !== other && one !== undefined && one.createdAt <= (other?.createdAt ?? '~');
    const isAdded = one !== other && other !== undefined && other.createdAt <= (one?.createdAt ?? '~');
    if (isRemoved) removed.push(one);
    if (isAdded) added.push(other);
    if (isRemoved || one === other) index += 1;
    if (isAdded || one === other) indexNow += 1;
  }
}
