import { comparableName, reviewedPosts, type Step } from '#message/step.ts';
import { DAY_MS, MINUTE_MS } from '#workspace/text/time.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';

/**
 * Decides what is open, under way, overdue, unreviewed and disputed, from the visible steps and the clock
 * alone. test/unit/workspace/work compares it with the sentences of the documentation.
 */

/** The due time of a WORK without a readable due line, after its post. */
const ASSUMED_DUE_MS = DAY_MS;
/** The earliest due time after a post: one that has passed announces nothing. */
const MIN_DUE_MS = 5 * MINUTE_MS;
/** The latest, so that the lists are empty some time after everybody has left. */
const MAX_DUE_MS = 30 * DAY_MS;
/** The time for which a WORK is listed as overdue. */
const OVERDUE_MS = 14 * DAY_MS;

/** The time of the next message that a WORK announces. */
export interface DueTime {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether the text has no readable time. */
  readonly assumed: boolean;
}

/** A WORK. `due` is that of its text, or of a RESULT that extends it. */
export interface ActiveWork {
  readonly step: Step;
  /** As `comparableName`. */
  readonly name: string | null;
  /** What it replies to, and each RESULT or IDEA on its line that says which step it takes. */
  readonly takes: readonly string[];
  due: DueTime;
  /** The later message that ends it. */
  endedBy: Step | null;
}

/** A RESULT, with what later messages say about it. */
export interface ReviewedResult {
  readonly step: Step;
  /** REVIEWs of it, oldest first. */
  readonly reviews: Step[];
  /** The newest RESULT of the same name that replies to it or says that it corrects it. */
  laterResult: string | null;
  /** RESULTs of other names, or of none, that say that they correct it, oldest first. */
  readonly correctedBy: Step[];
  /** Whether a later RESULT refers to it. */
  isReferredTo: boolean;
}

interface Idea {
  readonly step: Step;
  readonly works: ActiveWork[];
  hasResult: boolean;
}

/** What follows from the steps without the clock. Each map is by id, in the order of time. */
export interface DerivedWork {
  readonly ideas: ReadonlyMap<string, Idea>;
  readonly works: ReadonlyMap<string, ActiveWork>;
  readonly results: ReadonlyMap<string, ReviewedResult>;
  /** The WORKs that take a post, by its id. */
  readonly worksOn: ReadonlyMap<string, readonly ActiveWork[]>;
  /** The WORKs of a thread, by the id of its root. */
  readonly worksIn: ReadonlyMap<string, readonly ActiveWork[]>;
  /** @returns the WORKs of the same name in the same thread that have not ended, oldest first */
  openOf(step: Pick<Step, 'rootId' | 'name'>): readonly ActiveWork[];
}

/** @returns the time that the due line of a WORK or RESULT gives, within its bounds; null without one */
export function statedDue({ due, createdAt }: Pick<Step, 'due' | 'createdAt'>): number | null {
  if (due === null) return null;
  const created = Date.parse(createdAt);
  return Math.min(Math.max(due, created + MIN_DUE_MS), created + MAX_DUE_MS);
}

/** @returns the due time of a WORK as its own text gives it */
export function dueTime(work: Pick<Step, 'due' | 'createdAt'>): DueTime {
  const at = statedDue(work);
  return at === null
    ? { at: Date.parse(work.createdAt) + ASSUMED_DUE_MS, assumed: true }
    : { at, assumed: false };
}

/** @param steps visible, oldest first */
export function deriveWork(steps: readonly Step[]): Derivation {
  const derivation = new Derivation();
  for (const step of steps) derivation.add(step);
  return derivation;
}

/** Derives step by step: a step affects only itself and earlier ones. */
export class Derivation implements DerivedWork {
  readonly ideas = new Map<string, Idea>();
  readonly works = new Map<string, ActiveWork>();
  readonly results = new Map<string, ReviewedResult>();
  readonly worksOn = new Map<string, ActiveWork[]>();
  readonly worksIn = new Map<string, ActiveWork[]>();
  size = 0;
  /** The WORKs that have not ended, by `ownerOf`. */
  readonly #openOf = new Map<string, ActiveWork[]>();

  /** @param step later than those before it */
  add(step: Step): void {
    this.size += 1;
    switch (step.prefix) {
      case 'IDEA':
        this.ideas.set(step.id, { step, works: [], hasResult: false });
        break;
      case 'WORK':
        this.#addWork(step);
        break;
      case 'RESULT':
        this.#addResult(step);
        break;
      case 'REVIEW':
        for (const id of reviewedPosts(step, (one) => this.results.has(one)))
          this.results.get(id)?.reviews.push(step);
        break;
    }
    // A message without a name is nobody's own: it ends what has no name either.
    const named = (step.ends ?? []).flatMap((id) => this.works.get(id) ?? []);
    for (const work of named) if (ownerOf(work.step) === ownerOf(step)) this.#end(work, step);
  }

  openOf(step: Pick<Step, 'rootId' | 'name'>): readonly ActiveWork[] {
    return this.#openOf.get(ownerOf(step)) ?? [];
  }

  #addWork(step: Step): void {
    const named = step.takes.filter((id) => this.results.has(id) || this.ideas.has(id));
    const takes = [...new Set([...(step.parentId === null ? [] : [step.parentId]), ...named])];
    const name = comparableName(step.name);
    const work: ActiveWork = { step, name, takes, due: dueTime(step), endedBy: null };
    this.works.set(step.id, work);
    append(this.worksIn, step.rootId, work);
    for (const id of takes) {
      append(this.worksOn, id, work);
      this.ideas.get(id)?.works.push(work);
    }
    append(this.#openOf, ownerOf(step), work);
  }

  #addResult(step: Step): void {
    for (const id of step.refersTo) {
      const result = this.results.get(id);
      if (result !== undefined) result.isReferredTo = true;
    }
    for (const id of new Set([step.parentId, ...step.corrects])) {
      const result = this.results.get(id ?? '');
      if (result === undefined) continue;
      if (isOfSameName(result.step, step)) result.laterResult = step.id;
      else if (step.corrects.includes(result.step.id)) result.correctedBy.push(step);
    }
    this.#closeIdeas([step.rootId]);
    this.results.set(step.id, {
      ...{ step, reviews: [], laterResult: null, correctedBy: [], isReferredTo: false },
    });
    const [work, another] = this.openOf(step);
    const isSilent = comparableName(step.name) === null || step.ends !== null || step.corrects.length > 0;
    if (work === undefined || another !== undefined || isSilent) return;
    const due = statedDue(step);
    if (due === null) this.#end(work, step);
    else work.due = { at: due, assumed: false };
  }

  #end(work: ActiveWork, step: Step): void {
    if (work.endedBy !== null) return;
    work.endedBy = step;
    const open = this.#openOf.get(ownerOf(work.step));
    open?.splice(open.indexOf(work), 1);
    if (step.prefix === 'RESULT') this.#closeIdeas(work.takes);
  }

  #closeIdeas(ids: readonly string[]): void {
    for (const id of ids) {
      const idea = this.ideas.get(id);
      if (idea !== undefined) idea.hasResult = true;
    }
  }
}

/** Who may end a WORK: whoever has its name, or none like it, in its thread. */
function ownerOf({ rootId, name }: Pick<Step, 'rootId' | 'name'>): string {
  return `${rootId} ${comparableName(name) ?? ''}`;
}

/** A message without a name is nobody's own. */
function isOfSameName(a: Pick<Step, 'name'>, b: Pick<Step, 'name'>): boolean {
  const name = comparableName(a.name);
  return name !== null && name === comparableName(b.name);
}

function append<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Whether a WORK has not ended, and its due time is ahead. @param now milliseconds since 1970 */
export function isUnderWay({ endedBy, due }: ActiveWork, now: number): boolean {
  return endedBy === null && due.at > now;
}

/**
 * The lists of work at a time, newest first.
 * @param now milliseconds since 1970
 * @param oldest the first step that is listed; all if it is left out
 */
export function listWork(
  { ideas, works, results }: DerivedWork,
  now: number,
  oldest?: Step,
): Readonly<Record<WorkList, readonly Step[]>> {
  const lists: Record<WorkList, Step[]> = {
    ideas: [],
    working: [],
    overdue: [],
    unreviewed: [],
    disputed: [],
    confirmed: [],
  };
  /** The newest of each thread, in the order of time. */
  const confirmedIn = new Map<string, Step>();
  for (const { step, hasResult, works: taking } of ideas.values())
    if (!hasResult && !taking.some((work) => isUnderWay(work, now))) lists.ideas.push(step);
  for (const { step, endedBy, due } of works.values()) {
    if (endedBy !== null || due.at < now - OVERDUE_MS) continue;
    lists[due.at > now ? 'working' : 'overdue'].push(step);
  }
  for (const result of results.values()) {
    const { step, reviews, isReferredTo } = result;
    if (reviews.length === 0) lists.unreviewed.push(step);
    if (!isReferredTo && reviews.some(({ outcome }) => outcome === 'not confirmed'))
      lists.disputed.push(step);
    if (!isConfirmed(result)) continue;
    confirmedIn.delete(step.rootId);
    confirmedIn.set(step.rootId, step);
  }
  lists.confirmed = [...confirmedIn.values()];
  const isTooOld = (step: Step | undefined): boolean =>
    step !== undefined && oldest !== undefined && step.createdAt < oldest.createdAt;
  for (const list of WORK_LISTS) {
    lists[list].reverse();
    while (isTooOld(lists[list].at(-1))) lists[list].pop();
  }
  return lists;
}

/**
 * Whether a REVIEW of another name confirms a RESULT, none says otherwise, the author has not withdrawn it, and
 * no later RESULT replaces or corrects it. One writer with two names can do that.
 */
function isConfirmed({ step, reviews, laterResult, correctedBy }: ReviewedResult): boolean {
  const isAgainst = (review: Step): boolean =>
    review.outcome === 'partly confirmed' ||
    review.outcome === 'not confirmed' ||
    (review.outcome === 'withdrawn' && isOfSameName(review, step));
  return (
    laterResult === null &&
    correctedBy.length === 0 &&
    !reviews.some(isAgainst) &&
    reviews.some((one) => one.confirmsAll && comparableName(one.name) !== null && !isOfSameName(one, step))
  );
}

/** @returns when the clock alone changes a list next, in milliseconds since 1970; null if it does not */
export function nextChange({ works }: DerivedWork, now: number): number | null {
  let next = Infinity;
  for (const { endedBy, due } of works.values()) {
    if (endedBy !== null) continue;
    const time = due.at > now ? due.at : due.at + OVERDUE_MS + 1;
    if (time > now && time < next) next = time;
  }
  return next === Infinity ? null : next;
}
