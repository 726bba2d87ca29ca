import { findParts, joinParts, judgedPost, takenPosts, type Outcome, type Step } from '#message/step.ts';
import { Copies } from './copies.ts';
import { isSameWriter, Writers, type Author, type Look, type Writer } from './writers.ts';

/** The newest steps of a thread, which it lists and judges. */
export const MAX_STEPS_OF_THREAD = 2000;

/** Messages of an opener with proven lines "Same key as:": each question whose key that is reads them. */
const MAX_KEY_LINES = 100;

/** A step, and who wrote it. */
export interface AuthoredStep {
  readonly step: Step;
  readonly author: Author;
}

/** What a list of work may show. What its thread decides of it is undefined until somebody asks. */
interface Item extends AuthoredStep {
  readonly thread: Thread;
  /** Whether it is older than the steps that its thread lists. */
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

/** The WORKs of a thread by a time, those of trusted signers first, each newest first. */
export interface WorksByTime {
  readonly underWay: readonly Work[];
  readonly overdue: readonly Work[];
  /** Milliseconds since 1970: from then until `changesAt` the lists are the same. */
  readonly since: number;
  readonly changesAt: number;
}

export interface Work extends Item {
  status: WorkStatus | undefined;
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

/** What a writer said last of a RESULT, with evidence. */
export interface Judgement extends AuthoredStep {
  readonly outcome: Exclude<Outcome, 'withdrawn'>;
  /** When it said so first, without another outcome since. */
  readonly since: string;
}

/** How a RESULT stands in one view of its thread. */
export interface Verdict {
  readonly standing: Standing;
  /** The standing by votes alone, whatever its writer has posted since; undefined without a vote. */
  readonly byVotes: 'refuted' | 'contested' | 'partlyConfirmed' | 'confirmed' | undefined;
  /** The judgements that decide it. */
  readonly judgements: ReadonlyMap<Writer | AuthoredStep, Judgement>;
  /** Of each signer the id of its first REVIEW, since one that withdraws needs an earlier one. */
  readonly firsts: ReadonlyMap<Writer, string>;
  /** Since when two votes have confirmed it; undefined while fewer do. */
  readonly confirmedSince: string | undefined;
  /** How many others than its writer have shown REVIEWs of it; those without a key are one. */
  readonly reviewers: number;
  /** The edition that replaces it. */
  readonly replacedBy: Result | undefined;
  /** The REVIEW by which its writer withdraws it, whether or not that takes it down. */
  readonly withdrawal: Step | undefined;
  /** Of a RESULT that stands confirmed, in full or in part, the newest edition that does not replace it yet. */
  readonly newerEdition: Result | undefined;
  /** Its newest editions that are not taken down: of all, of those that hold in part, and of confirmed ones. */
  readonly editions: readonly (Result | undefined)[];
}

/** What is said of a RESULT. */
export interface ReviewSummary {
  /** The judgements of trusted signers that say the same as its standing, at most three, the lead's first. */
  readonly checked: readonly Judgement[];
  /** The newest judgement of each other outcome; last a REVIEW of a `reviewed` one that has none. */
  readonly others: readonly Dissent[];
  /** Whether there are judgements that neither list has. */
  readonly more: boolean;
}

/** A REVIEW that says something else than the standing of a RESULT. */
export interface Dissent extends AuthoredStep {
  /** Null if it has no outcome, or one without evidence. */
  readonly outcome: Judgement['outcome'] | null;
  /** The earlier edition that it is about. */
  readonly of?: Result;
}

export interface Result extends Item {
  /** REVIEWs of its thread that judge it, oldest first. */
  readonly reviews: AuthoredStep[];
  /** RESULTs of its thread that say that they correct it, oldest first. */
  readonly corrections: Result[];
  /** RESULTs of its thread that it says it corrects. */
  corrected: readonly Result[];
  parts: readonly Part[];
}

/** The writers whose judgements count in a thread, and since when they do: empty for the opener. */
export type Trusted = ReadonlyMap<Writer, string>;

/** A thread as its opener or another signer sees it, and what was decided so far in that view. */
export interface View {
  /** The opener, or the signer in its place; undefined if the first message has no key. */
  readonly lead: Writer | undefined;
  /** The lead first. */
  readonly trusted: Trusted;
  readonly distrusted: ReadonlySet<Writer>;
  /** When the opener has ended the IDEA that begins the thread; undefined while that is open. */
  readonly endedAt: string | undefined;
  /** Later messages do not count. */
  readonly until: string;
  readonly verdicts: Map<Result, Verdict>;
  readonly summaries: Map<Result, ReviewSummary>;
  /** Undefined until a name is shown. */
  names: Names | undefined;
}

/** The names that keys have signed in a thread. */
export interface Names {
  /** Of each look that was asked for the first shown message of the key that holds it; null if none does. */
  readonly holders: Map<Look, Author | null>;
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

export interface Idea extends Item {
  /** RESULTs of its thread that reply to it or name it. */
  readonly results: Result[];
  /** Later messages of its writer in its thread whose line `Ends:` names it. */
  readonly endings: AuthoredStep[];
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

/**
 * The steps of a thread. What a step names is looked up when it is added, since it can only name earlier steps,
 * and again when one of these leaves. All else is decided from the messages of the thread when somebody asks, and
 * is forgotten with the next step.
 */
export class Thread {
  readonly writers: Writers;
  readonly rootId: string;
  /** Those that it lists and judges, oldest first. */
  readonly messages: (AuthoredStep | Listable)[] = [];
  readonly works: Work[] = [];
  /** Also those that reports hold, so that no report frees a copy or a part. */
  readonly results: Result[] = [];
  readonly ideas: Idea[] = [];
  /** Of its RESULTs, once it has one. */
  copies: Copies | undefined;
  /** The signer of its first message; undefined if that has none. */
  opener: string | undefined;
  /** Messages with a line "Trust:" or "Distrust:", or that end the first message, oldest first. */
  readonly rulings: AuthoredStep[] = [];
  /** The newest messages of its opener with a proven line "Same key as:", oldest first. */
  readonly keyLines: AuthoredStep[] = [];
  /** That of the opener; undefined after a step. */
  view: View | undefined;
  /** Undefined until somebody asks, and after a step. */
  parts: PartsOfThread | undefined;
  /** Undefined until somebody asks, and after a step. */
  worksByTime: WorksByTime | undefined;
  /** Whether its WORKs have been decided since the last step. */
  isDecided = false;
  /** Its WORKs by what they take, oldest first. */
  readonly #worksOn = new Map<string, Work[]>();
  readonly #items: Items;
  /** What `replace` had before, by step. */
  #before: ReadonlyMap<Step, Listable> | undefined;

  /** @param items of all threads, to which the thread adds its own */
  constructor(rootId: string, items: Items) {
    this.writers = new Writers(rootId);
    this.rootId = rootId;
    this.#items = items;
  }

  /** @param step later than all that were added before @returns its author */
  add(step: Step): Author {
    const author = this.writers.add(step);
    if (isRuling(step)) this.rulings.push({ step, author });
    if (isKeyLine(step) && this.keyLines.push({ step, author }) > MAX_KEY_LINES) this.keyLines.shift();
    this.#addMessage(step, author);
    return author;
  }

  /**
   * Begins again with other steps. What it lists of the same steps as before stays the same object.
   * @param steps all of the window, oldest first
   * @param authorOf asked only of those that matter, since there may be 50,000
   * @param listed how many of them it lists, the newest
   * @returns what it no longer lists
   */
  replace(steps: readonly Step[], authorOf: (step: Step) => Author, listed: number): Listable[] {
    const withAuthor = (step: Step): AuthoredStep => ({ step, author: authorOf(step) });
    const before = this.messages.filter((message) => 'thread' in message);
    this.#before = new Map(before.map((one) => [one.step, one]));
    for (const one of before) this.#removeItem(one);
    for (const list of [this.messages, this.works, this.results, this.ideas]) list.length = 0;
    this.#worksOn.clear();
    this.rulings.splice(0, Infinity, ...steps.filter(isRuling).map(withAuthor));
    this.keyLines.splice(0, Infinity, ...steps.filter(isKeyLine).slice(-MAX_KEY_LINES).map(withAuthor));
    this.copies = undefined;
    for (const step of steps.slice(-listed)) this.#addMessage(step, authorOf(step));
    this.#before = undefined;
    return before.filter(({ isGone }) => isGone);
  }

  #addMessage(step: Step, author: Author): void {
    this.opener = step.opener;
    const divided = step.parts && this.dividedBy(author);
    if (divided && step.prefix !== 'IDEA') {
      const { createdAt: at, isHeld = false } = step;
      divided.additions.push({ at, before: divided.parts.length, isHeld });
      divided.parts = joinParts([...divided.parts, ...(step.parts ?? [])]);
    }
    const message = this.#toItem(step, author) ?? { step, author };
    for (const id of step.ends ?? []) {
      const idea = this.#items.ideas.get(id);
      if (idea?.thread !== this || idea === message) continue;
      // Anybody may write such a line, and each question whether the IDEA has ended reads the list.
      if (author.writer !== null && author.writer === idea.author.writer) idea.endings.push({ step, author });
    }
    this.messages.push(message);
    this.#forget();
  }

  /** Forgets a step that is older than all that the board reads. @returns whether others may be trusted now */
  leave(step: Step, author: Author): boolean {
    const isLast = author.next === undefined;
    const isNamed = this.rulings.length > 0 || author.signer === this.opener;
    this.writers.remove(author);
    for (const list of [this.rulings, this.keyLines]) if (list[0]?.step === step) list.shift();
    this.#forget();
    return isRuling(step) || (isLast && isNamed);
  }

  /** @returns the IDEA that begins the thread, if an author is the opener, who may add parts to it */
  dividedBy({ signer, rootId }: Author): Idea | undefined {
    return signer !== undefined && signer === this.opener ? this.#items.ideas.get(rootId) : undefined;
  }

  /** @returns the WORK of this thread with the id */
  workOf(id: string): Work | undefined {
    const work = this.#items.works.get(id);
    return work?.thread === this ? work : undefined;
  }

  /** @returns the WORKs that take a post of the thread, oldest first */
  worksOn(id: string): readonly Work[] {
    return this.#worksOn.get(id) ?? [];
  }

  /** Drops the oldest message, which is no longer listed and judged. Its writer stays. */
  drop(): AuthoredStep | Listable | undefined {
    const oldest = this.messages.shift();
    this.#forget();
    if (oldest === undefined || !('thread' in oldest)) return oldest;
    this.#removeItem(oldest);
    if ('takes' in oldest) {
      this.works.shift();
      for (const id of oldest.takes) {
        const works = this.#worksOn.get(id);
        if (works?.shift() === oldest && works.length === 0) this.#worksOn.delete(id);
      }
      return oldest;
    }
    this.#release(oldest);
    if ('endings' in oldest) {
      this.ideas.shift();
      for (const one of oldest.parts.length === 0 ? [] : [...this.works, ...this.results])
        if (one.parts.some(({ idea }) => idea === oldest))
          one.parts = this.#partsOf(one.step, 'takes' in one ? one.takes : []);
    } else {
      this.results.shift();
      this.copies?.remove(oldest.step.id);
      for (const one of oldest.corrections) {
        one.corrected = one.corrected.filter((corrected) => corrected !== oldest);
        this.copies?.decide(one.step.id);
      }
    }
    return oldest;
  }

  #removeItem(one: Listable): void {
    const { ideas, works, results } = this.#items;
    one.isGone = true;
    for (const items of [ideas, works, results]) items.delete(one.step.id);
  }

  #forget(): void {
    this.view = this.parts = this.worksByTime = undefined;
    if (this.isDecided) for (const work of this.works) work.status = undefined;
    this.isDecided = false;
  }

  #toItem(step: Step, author: Author): Listable | undefined {
    switch (step.prefix) {
      case 'IDEA':
        return this.#addIdea(step, author);
      case 'WORK':
        return this.#addWork(step, author);
      case 'RESULT':
        return this.#addResult(step, author);
      case 'REVIEW': {
        const { results } = this.#items;
        const result = results.get(judgedPost(step, (id) => results.has(id)) ?? '');
        if (result?.thread !== this) break;
        result.reviews.push({ step, author });
      }
    }
    return undefined;
  }

  #addIdea(step: Step, author: Author): Idea {
    const idea = this.#keep<Idea>({
      step,
      author,
      thread: this,
      isGone: false,
      results: [],
      endings: [],
      parts: step.parts ?? [],
      additions: [],
    });
    this.#items.ideas.set(step.id, idea);
    this.ideas.push(idea);
    return idea;
  }

  /** @returns the object that was there for the same step before, with other values, or these */
  #keep<Item extends Listable>(item: Item): Item {
    const before = this.#before?.get(item.step);
    return before === undefined ? item : Object.assign<Listable, Item>(before, item);
  }

  #addWork(step: Step, author: Author): Work {
    const work = this.#keep<Work>({
      step,
      author,
      thread: this,
      isGone: false,
      takes: [],
      ideas: [],
      parts: [],
      status: undefined,
      created: Date.parse(step.createdAt),
    });
    this.#items.works.set(step.id, work);
    this.works.push(work);
    this.#link(work);
    for (const id of work.takes) append(this.#worksOn, id, work);
    return work;
  }

  /** Looks up what a WORK takes. What it says of another thread counts nothing, as of any message. */
  #link(work: Work): void {
    const { ideas, results } = this.#items;
    const { step } = work;
    const isTakable = (id: string): boolean => {
      const one = ideas.get(id) ?? results.get(id);
      return one?.thread === this && one.step.createdAt < step.createdAt;
    };
    work.takes = takenPosts(step, isTakable);
    work.parts = this.#partsOf(step, work.takes);
    const taken = work.takes.flatMap((id) => ideas.get(id) ?? []);
    work.ideas = taken.length === work.takes.length ? taken : [];
  }

  /** Looks up again what WORKs take, of which an IDEA or RESULT has left. */
  #release(gone: Idea | Result): void {
    const { id } = gone.step;
    let isOther = false;
    for (const work of this.worksOn(id)) {
      const others = work.takes.filter((one) => one !== id);
      // An IDEA without parts changes nothing else, and 2,000 WORKs may take it.
      if (others.length > 0 && 'endings' in gone && gone.parts.length === 0) {
        work.takes = others;
        work.ideas = work.ideas.filter((idea) => idea !== gone);
      } else {
        this.#link(work);
        isOther ||= others.length === 0;
      }
    }
    this.#worksOn.delete(id);
    if (!isOther) return;
    // Some take what they reply to in place of it.
    this.#worksOn.clear();
    for (const work of this.works) for (const taken of work.takes) append(this.#worksOn, taken, work);
  }

  #addResult(step: Step, author: Author): Result {
    const { ideas, results } = this.#items;
    const corrected = step.corrects
      .flatMap((id) => results.get(id) ?? [])
      .filter(({ thread }) => thread === this);
    const result = this.#keep<Result>({
      step,
      author,
      thread: this,
      isGone: false,
      reviews: [],
      corrections: [],
      corrected,
      parts: this.#partsOf(step),
    });
    for (const one of corrected) one.corrections.push(result);
    for (const id of step.refersTo) {
      const idea = ideas.get(id);
      if (idea?.thread === this) idea.results.push(result);
    }
    results.set(step.id, result);
    this.results.push(result);
    if (step.sketch !== undefined) {
      this.copies ??= new Copies((later, earlier) => this.#mayHaveLinesOf(later, earlier));
      this.copies.add(step);
    }
    return result;
  }

  /** @returns the parts that a step names, of the first IDEA with parts that it takes or is below */
  #partsOf(step: Step, takes: readonly string[] = []): Part[] {
    return partsNamed(this.#items, step, [...takes, step.parentId ?? '', step.rootId]);
  }

  /** Whether a RESULT corrects an earlier one, or it or what it corrects has the same writer as that. */
  #mayHaveLinesOf(later: Step, earlier: Step): boolean {
    const { results } = this.#items;
    const other = results.get(earlier.id);
    const own = [later.id, ...later.corrects].flatMap((id) => results.get(id) ?? []);
    return own.some(
      (one) => one === other || (other !== undefined && isSameWriter(one.author, other.author)),
    );
  }
}

/** Whether the opener shows by a message that its key wrote another thread, too. */
const isKeyLine = ({ sameKeyAs, opener, mark }: Step): boolean => sameKeyAs !== undefined && opener === mark;

/** Whether a message may decide whose judgements count in its thread. */
const isRuling = ({ trust, ends, rootId }: Step): boolean =>
  trust !== undefined || ends?.includes(rootId) === true;

/**
 * @param step without a time if it is not posted yet: others name only parts that were there when they came
 * @param ids what a message is about or under: the first IDEA with parts counts
 * @returns those that it names
 */
export function partsNamed(
  items: Pick<Items, 'ideas'>,
  { part = [], createdAt = '~' }: Pick<Step, 'part'> & { readonly createdAt?: string },
  ids: readonly string[],
): Part[] {
  const idea = part.length === 0 ? undefined : ideaWithParts(items, ids, createdAt);
  if (idea === undefined) return [];
  return findParts(partsAt(idea, createdAt), part).map((index) => ({ idea, index }));
}

/** @returns the first of these that is an IDEA with parts, at a time if there is one */
export function ideaWithParts(
  { ideas }: Pick<Items, 'ideas'>,
  ids: readonly string[],
  at = '~',
): Idea | undefined {
  return ids.flatMap((id) => ideas.get(id) ?? []).find((idea) => partsAt(idea, at).length > 0);
}

/**
 * @returns the names of the parts of an IDEA for readers, who see none that a message adds that reports hold
 * @example Ann adds "Parts: c" to her IDEA with "Parts: a; b", and reports hold that: `['a', 'b', '(held)']`
 */
export function partNames({ parts, additions }: Idea): string[] {
  const isHeld = (index: number): boolean =>
    additions.findLast(({ before }) => before <= index)?.isHeld === true;
  return parts.map((name, index) => (isHeld(index) ? '(held)' : name));
}

/** @returns the parts that an IDEA had when a message of that time came */
function partsAt({ parts, additions }: Idea, time: string): readonly string[] {
  const later = additions.find(({ at }) => at > time);
  return later === undefined ? parts : parts.slice(0, later.before);
}

/** @param list begins with those that `isFirst` is true of @returns how many these are */
export function countFirst<One>(list: readonly One[], isFirst: (one: One) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isFirst(list[middle] as One)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds an element to a list in order, which then keeps its first `max` elements. */
export function insertTop<One>(
  list: One[],
  one: One,
  max: number,
  isBefore: (one: One, other: One) => boolean,
): void {
  list.splice(
    countFirst(list, (other) => !isBefore(one, other)),
    0,
    one,
  );
  list.length = Math.min(list.length, max);
}

/** Adds an element to the end of a list, which it creates with the first one. */
export function append<Key, One>(lists: Map<Key, One[]>, key: Key, one: One): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}
