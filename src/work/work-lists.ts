import type { Step } from '#message/step.ts';
import { listedAt } from './listing-delay.ts';
import { countFirst } from './lists.ts';
import { isAnnounced, isAnswered, isOpen, isOverdue, isTaken, isUnderWay } from './open.ts';
import { changesOfParts } from './parts.ts';
import type { Idea, Items, Listable, Result, Standing, Work } from './model.ts';
import { isShown } from './model.ts';
import { mayBeOffered } from './trusted.ts';
import { judge } from './verdicts.ts';
import { changesOf, statusOf } from './works.ts';

/**
 * The lists of work. `ideas` has open IDEAs; those that others are working on come last. RESULTs are listed
 * by standing: `toReview` has unreviewed and reviewed ones, `disputed` contested and refuted ones. `ideas`
 * and `toReview` have only what `mayBeOffered`.
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

interface RankedItems extends Items {
  /** Whether a step is a copy, or in the thread of one. */
  isRankedLast(step: Step): boolean;
}

/** The steps of each list. */
export type Lists = Readonly<Record<WorkList, readonly Step[]>>;

/** The list of a RESULT by its standing. Replaced and withdrawn RESULTs are in none. */
export const LIST_OF = {
  unreviewed: 'toReview',
  reviewed: 'toReview',
  confirmed: 'confirmed',
  partlyConfirmed: 'partlyConfirmed',
  refuted: 'disputed',
  contested: 'disputed',
} as const satisfies Partial<Record<Standing, WorkList>>;

export type ListedStanding = keyof typeof LIST_OF;

export const LISTED_STANDINGS = Object.keys(LIST_OF) as readonly ListedStanding[];

/** Oldest first. */
type StepList = Step[];

/** A list, and the rank in it. An item without a list may enter one as time passes. */
type Ranking = readonly [list: WorkList | undefined, rank: number];

/** The rank of what others are working on. */
const LATE = Number.MAX_SAFE_INTEGER;
/** The rank of copies and of the messages in their threads. */
const LAST = Infinity;

const forEachList = <Value>(create: (list: WorkList) => Value): Record<WorkList, Value> =>
  Object.fromEntries(WORK_LISTS.map((list) => [list, create(list)])) as Record<WorkList, Value>;

/**
 * The lists of work over all threads. Each item is in the list of its standing or status, and is placed again
 * when its thread or the clock may have changed that.
 *
 *     a RESULT comes                       toReview
 *     two votes confirm it at 10:00        none, and `changesAt` is 11:00
 *     `update` at 11:00                    confirmed
 */
export class WorkLists {
  /** The next time at which the clock alone changes a list, in milliseconds since 1970, or Infinity. */
  changesAt = Infinity;
  /** Items that have not been placed since they or their threads changed. */
  readonly #unplaced = new Set<Listable>();
  /** By rank: lower ones come first. */
  readonly #lists = forEachList(() => new Map<number, StepList>());
  /** The list that each step is in. */
  readonly #currentList = new Map<Step, StepList>();
  /** Items that the clock may move: open WORKs, open IDEAs with parts, and confirmed RESULTs. */
  readonly #timed = new Set<Listable>();
  #now = -Infinity;
  readonly #items: RankedItems;

  constructor(items: RankedItems) {
    this.#items = items;
  }

  /** Marks an item, and what a WORK takes, for the next `update` to place. */
  add(one: Listable): void {
    this.#unplaced.add(one);
    for (const id of 'takes' in one ? one.takes : []) {
      const taken = this.#items.ideas.get(id) ?? this.#items.results.get(id);
      if (taken !== undefined) this.#unplaced.add(taken);
    }
  }

  /** Removes an item that its thread no longer lists, or lists as another object with the same step. */
  remove(one: Listable): void {
    const { ideas, works, results } = this.#items;
    const { id } = one.step;
    const now = ideas.get(id) ?? works.get(id) ?? results.get(id);
    this.#timed.delete(one);
    if (now?.step !== one.step) this.#moveTo(one, undefined);
  }

  /**
   * Places the items that have changed since the last call, and those that the clock moves.
   * @param isOver called after each item; returns whether to pause
   * @returns whether the lists are up to date
   */
  update(now: number, isOver: () => boolean): boolean {
    this.#setClock(now);
    for (const one of this.#unplaced) {
      this.#unplaced.delete(one);
      this.#place(one);
      if (isOver()) return this.#unplaced.size === 0;
    }
    return true;
  }

  /**
   * @returns the lists as of the last `update`. RESULTs with few reviewers and WORKs by trusted writers come
   *   first, copies and the messages of their threads last, and before these what others are working on.
   *   Among equals the newest comes first
   */
  current(): Lists {
    return forEachList((list) => {
      const byRank = [...this.#lists[list]].sort(([a], [b]) => (a < b ? -1 : 1));
      // `flatMap` would copy step by step, and a list may have 20,000.
      return ([] as Step[]).concat(...byRank.map(([, steps]) => steps.toReversed()));
    });
  }

  /** Marks the items that the clock has moved. */
  #setClock(now: number): void {
    const before = this.#now;
    this.#now = now;
    if (now >= before && now < this.changesAt) return;
    this.changesAt = Infinity;
    for (const one of this.#timed) {
      const times = timesOf(one);
      if (times.some((time) => time > before !== time > now)) this.add(one);
      this.#expect(times);
    }
  }

  #place(one: Listable): void {
    if (one.isGone || !isShown(one)) return;
    const ranking = this.#rankingOf(one);
    const times = ranking === undefined ? [] : timesOf(one);
    if (times.length === 0) this.#timed.delete(one);
    else this.#timed.add(one);
    this.#expect(times);
    const [list, rank = 0] = ranking ?? [];
    this.#moveTo(one, list && this.#listOf(list, one, rank));
  }

  #moveTo({ step }: Listable, list: StepList | undefined): void {
    const before = this.#currentList.get(step);
    if (list === before) return;
    before?.splice(before.indexOf(step), 1);
    this.#currentList.delete(step);
    if (list === undefined) return;
    const index = countFirst(list, ({ createdAt }) => createdAt <= step.createdAt);
    list.splice(index, 0, step);
    this.#currentList.set(step, list);
  }

  #rankingOf(one: Listable): Ranking | undefined {
    if ('additions' in one) return this.#rankingOfIdea(one);
    return 'takes' in one ? this.#rankingOfWork(one) : this.#rankingOfResult(one);
  }

  #rankingOfIdea(idea: Idea): Ranking | undefined {
    if (!isOpen(idea) || !mayBeOffered(idea)) return undefined;
    return ['ideas', isTaken(idea, this.#now) || isAnswered(idea) ? LATE : 0];
  }

  #rankingOfWork(work: Work): Ranking | undefined {
    const { endedBy, isTrusted } = statusOf(work);
    if (endedBy !== null) return undefined;
    const list = isUnderWay(work, this.#now) ? 'working' : isOverdue(work, this.#now) ? 'overdue' : undefined;
    return [list, isTrusted ? 0 : 1];
  }

  #rankingOfResult(result: Result): Ranking | undefined {
    const { standing, reviewers, withdrawal } = judge(result);
    const list: WorkList | undefined = standing in LIST_OF ? LIST_OF[standing as ListedStanding] : undefined;
    if (list === undefined || withdrawal !== undefined) return undefined;
    if (list === 'confirmed') return [(listedAt(result) ?? Infinity) <= this.#now ? list : undefined, 0];
    if (list !== 'toReview') return [list, 0];
    if (!mayBeOffered(result)) return undefined;
    return [list, isAnnounced(result, this.#now) ? LATE : reviewers];
  }

  #listOf(list: WorkList, one: Listable, rankOfOthers: number): StepList {
    const byRank = this.#lists[list];
    const rank = this.#items.isRankedLast(one.step) ? LAST : rankOfOthers;
    const steps = byRank.get(rank) ?? [];
    byRank.set(rank, steps);
    return steps;
  }

  #expect(times: readonly number[]): void {
    for (const time of times) if (time > this.#now && time < this.changesAt) this.changesAt = time;
  }
}

/** @returns the times at which the clock alone moves an item, in milliseconds since 1970 */
function timesOf(one: Listable): number[] {
  if ('reviews' in one) return [listedAt(one) ?? []].flat();
  return 'takes' in one ? changesOf(one) : changesOfParts(one);
}
