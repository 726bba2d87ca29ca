import { compareSketches, countEqual, parseSketch, type Overlap } from '#message/sketch.ts';
import { findParts, judgedPost, takenPosts, type Outcome, type Step } from '#message/step.ts';
import { Writers, type Author, type Look, type Writer } from './writers.ts';

/** The newest steps of a thread, which it lists and judges. */
export const MAX_STEPS_OF_THREAD = 2000;
/** The newest RESULTs of its thread that a new one is compared with, or the newest IDEAs of all threads. */
const MAX_COMPARED = 200;
/** The originals that one RESULT may have, or the twins of one IDEA. */
const MAX_ORIGINALS = 20;
const MAX_TWIN_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/** A step, and who wrote it. */
export interface Said {
  readonly step: Step;
  readonly author: Author;
}

/** What a list of work may show. What its thread decides of it is undefined until somebody asks. */
interface Item extends Said {
  readonly thread: Thread;
  /** Whether it is older than the steps that its thread lists. */
  isGone: boolean;
}

/** The time of the next message that a WORK announces. */
export interface DueTime {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether `at` is assumed, because the text has no readable time. */
  readonly assumed: boolean;
}

/** What later messages of its thread make of a WORK. */
export interface WorkStatus {
  /** The message that ends it. */
  readonly endedBy: Step | null;
  /** From its own text, or from a RESULT that extends it. */
  readonly due: DueTime;
}

export interface Work extends Item {
  status: WorkStatus | undefined;
  /** Milliseconds since 1970: due times of thousands are asked for with each step. */
  readonly created: number;
  /** The RESULTs and IDEAs on its line `Step I am taking`; without any, the message that it replies to. */
  takes: readonly string[];
  /** What it takes, if that is IDEAs alone. */
  ideas: readonly Idea[];
  parts: readonly Part[];
}

/** An earlier RESULT that has most lines of a later one. */
export interface Original extends Overlap {
  readonly result: Result;
}

/** How a RESULT stands, by later messages of its thread: `decide` of `verdicts.ts`. */
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

/** What a standing rests on: a RESULT that replaces it, or a REVIEW. */
export interface Reason {
  readonly step: Step;
  readonly outcome: Outcome | 'replaced';
}

export interface Verdict {
  readonly standing: Standing;
  /** At most five. REVIEWs come in turn, one of each outcome, of each the oldest first. */
  readonly reasons: readonly Reason[];
  /** Whether the standing has more reasons. */
  readonly more: boolean;
  /** How many others than its writer have shown REVIEWs of it; those without a key are one. */
  readonly reviewers: number;
  /** What others than trusted ones say of it; last null, if it is `reviewed` without outcome or evidence too. */
  readonly others: readonly (Outcome | null)[];
  /** Of a confirmed RESULT, a correction by its writer that nobody trusted has confirmed. */
  readonly newerEdition: { readonly id: string; readonly standing: Standing } | undefined;
  /** Whether trusted writers have confirmed it or, of a replaced one, a later edition. */
  readonly isConfirmedAtLast: boolean;
  /** The ids of the REVIEWs that count or withdraw it. */
  readonly counted: ReadonlySet<string>;
}

export interface Result extends Item {
  /** As `findOriginal` returns it; null for none. */
  original: Original | null | undefined;
  /** As `isLikeOthers` returns it. */
  isLikeOthers: boolean | undefined;
  /** REVIEWs of its thread that judge it, oldest first. */
  readonly judgements: Said[];
  /** RESULTs of its thread that say that they correct it, oldest first. */
  readonly corrections: Result[];
  /** RESULTs of its thread that it says it corrects. */
  corrected: readonly Result[];
  /** Earlier RESULTs of its thread that have most of its lines, oldest first. */
  originals: readonly Original[];
  parts: readonly Part[];
}

/** The writers whose REVIEWs decide how the RESULTs of a thread stand. */
export type Trusted = ReadonlySet<Writer>;

/** A thread as one viewer sees it, and what was decided so far by the REVIEWs of whom that trusts. */
export interface View {
  readonly trusted: Trusted;
  readonly verdicts: Map<Result, Verdict>;
  /** Of a RESULT its judgements by writer, once somebody asks. */
  readonly judgements: Map<Result, ReadonlyMap<Writer, readonly Said[]>>;
  /** Undefined until somebody asks. */
  names: Names | undefined;
  /** As other signers see the thread, of the view of its opener: as `viewOfSigner`. */
  readonly others: Map<Writer, View>;
}

/** The names that keys have signed in a thread. */
export interface Names {
  /** Of each look of name the first shown message of the key that holds it. */
  readonly holders: ReadonlyMap<Look, Author>;
  /** Of each trusted key the first shown message that it signed with a name. One may sign with thousands. */
  readonly firsts: readonly Author[];
  /** The signers with a look by their first signs, once somebody asks. */
  readonly bySigns: Map<Look, ReadonlyMap<string, readonly string[]>>;
}

/** What the messages of its thread make of a part of an IDEA. */
export interface PartState {
  /** Milliseconds since 1970; 0 if nothing has held it. */
  heldUntil: number;
  /** Whether a RESULT for it is confirmed, in full or in part. */
  isClosed: boolean;
  /** The RESULT that closes it, or what holds it longest; undefined if nothing has. */
  by: Work | Result | undefined;
}

/** What the messages of a thread make of the parts of its IDEAs. */
export interface PartsOfThread {
  readonly states: ReadonlyMap<Idea, readonly PartState[]>;
  /** The parts that each RESULT is for, if it is for any. */
  readonly ofResult: ReadonlyMap<Result, readonly Part[]>;
}

export interface Idea extends Item {
  /** RESULTs of its thread that reply to it or name it. */
  readonly results: Result[];
  /** Later messages of its writer in its thread whose line `Ends:` names it. */
  readonly endings: Said[];
  /** The names of its parts. */
  readonly parts: readonly string[];
  /** The IDEAs within seven days with most of its lines, or with the same first line, oldest first. */
  twins: Twin[];
}

/** An IDEA like another one, and how many lines of that it has. */
interface Twin extends Overlap {
  readonly idea: Idea;
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
  /** The WORKs that take a post, by its id, oldest first. */
  readonly worksOn: Map<string, Work[]>;
  /** By the key of their first lines, oldest first. */
  readonly ideasByKey: Map<string, Idea[]>;
  /** Oldest first. */
  readonly newestIdeas: Idea[];
}

/**
 * The steps of a thread. What a step names is looked up when it is added, since it can only name earlier steps,
 * and again when one of these leaves. All else is decided from the messages of the thread when somebody asks, and
 * is forgotten with the next step.
 */
export class Thread {
  readonly writers: Writers;
  /** Those that it lists and judges, oldest first. */
  readonly messages: (Said | Listable)[] = [];
  readonly works: Work[] = [];
  /** Also those that reports hold, so that no report frees a copy or a part. */
  readonly results: Result[] = [];
  readonly ideas: Idea[] = [];
  /** What is in other threads, and whose place in a list depends on a step of this one; undefined for nothing. */
  elsewhere: Set<Listable> | undefined;
  /** The signer of its first message; undefined if that has none. */
  opener: string | undefined;
  /** What REVIEWs say of RESULTs, oldest first. */
  reviews: (Said & { readonly result: Result })[] = [];
  /** Messages with a line "Trust:" or "Distrust:", oldest first. */
  readonly trustLines: Said[] = [];
  /** As `viewOfOpener` returns it; undefined after a step. */
  view: View | undefined;
  /** Undefined until somebody asks, and after a step. */
  parts: PartsOfThread | undefined;
  /** Whether its WORKs have been decided since the last step. */
  isDecided = false;
  /** The IDEAs of which nothing was left when it was last placed in the lists, by their ids. */
  finished = '';
  readonly #items: Items;
  /** What `replace` had before, by step. */
  #before: ReadonlyMap<Step, Listable> | undefined;

  /** @param items of all threads, to which the thread adds its own */
  constructor(rootId: string, items: Items) {
    this.writers = new Writers(rootId);
    this.#items = items;
  }

  /** @param step later than all that were added before @returns its author */
  add(step: Step): Author {
    const author = this.writers.add(step);
    if (step.trust !== undefined) this.trustLines.push({ step, author });
    this.#addMessage(step, author);
    return author;
  }

  /**
   * Begins again with other steps. What it lists of the same steps as before stays the same object.
   * @param steps all of the window, oldest first
   * @param listed how many of them it lists, the newest
   * @returns what it no longer lists
   */
  replace(steps: readonly Said[], listed: number): Listable[] {
    const before = this.messages.filter((message) => 'thread' in message);
    this.#before = new Map(before.map((one) => [one.step, one]));
    for (const one of before) this.#removeItem(one);
    for (const list of [this.messages, this.works, this.results, this.ideas]) list.length = 0;
    this.reviews = [];
    this.trustLines.splice(0, Infinity, ...steps.filter(({ step }) => step.trust !== undefined));
    for (const { step, author } of steps.slice(-listed)) this.#addMessage(step, author);
    this.#before = undefined;
    const gone = before.filter(({ isGone }) => isGone);
    for (const one of gone) this.#unlink(one);
    return gone;
  }

  #addMessage(step: Step, author: Author): void {
    const message = this.#toItem(step, author) ?? { step, author };
    for (const id of step.ends ?? []) {
      const idea = this.#items.ideas.get(id);
      if (idea?.thread !== this || idea === message) continue;
      // Anybody may write such a line, and each question whether the IDEA has ended reads the list.
      if (author.writer !== null && author.writer === idea.author.writer) idea.endings.push({ step, author });
    }
    this.messages.push(message);
    this.opener = step.opener;
    this.#forget();
  }

  /** Forgets a step that is older than all that the board reads. @returns whether others may be trusted now */
  leave(step: Step, author: Author): boolean {
    const isLast = author.next === undefined;
    const isNamed = this.trustLines.length > 0 || author.signer === this.opener;
    this.writers.remove(author);
    if (this.trustLines[0]?.step === step) this.trustLines.shift();
    this.#forget();
    return step.trust !== undefined || (isLast && isNamed);
  }

  /** @returns the WORK of this thread with the id */
  workOf(id: string): Work | undefined {
    const work = this.#items.works.get(id);
    return work?.thread === this ? work : undefined;
  }

  /** @returns the newest WORKs that take a post, of any thread, oldest first */
  worksOn(id: string): readonly Work[] {
    return this.#items.worksOn.get(id)?.slice(-MAX_STEPS_OF_THREAD) ?? [];
  }

  /** Drops the oldest message, which is no longer listed and judged. Its writer stays. */
  drop(): Said | Listable | undefined {
    const oldest = this.messages.shift();
    this.#forget();
    if (oldest === undefined || !('thread' in oldest)) return oldest;
    this.#removeItem(oldest);
    this.#unlink(oldest);
    if ('takes' in oldest) this.works.shift();
    else if ('twins' in oldest) {
      this.ideas.shift();
      for (const one of oldest.parts.length === 0 ? [] : [...this.works, ...this.results])
        if (one.parts.some(({ idea }) => idea === oldest))
          one.parts = this.#partsOf(one.step, 'takes' in one ? one.takes : []);
    } else {
      this.results.shift();
      if (oldest.judgements.length > 0) this.reviews = this.reviews.filter(({ result }) => result !== oldest);
      for (const one of oldest.corrections)
        one.corrected = one.corrected.filter((corrected) => corrected !== oldest);
      for (const one of this.results) {
        one.originals = one.originals.filter(({ result }) => result !== oldest);
        one.original = one.isLikeOthers = undefined;
      }
    }
    return oldest;
  }

  #removeItem(one: Listable): void {
    const { ideas, works, results } = this.#items;
    one.isGone = true;
    for (const items of [ideas, works, results]) items.delete(one.step.id);
  }

  /** Forgets a listed message in the lists of others. */
  #unlink(one: Listable): void {
    const { worksOn, ideasByKey } = this.#items;
    if ('takes' in one) for (const id of one.takes) remove(worksOn, id, one);
    if (!('twins' in one)) return;
    remove(ideasByKey, one.step.firstLine ?? '', one);
    for (const { idea } of one.twins) idea.twins = idea.twins.filter((twin) => twin.idea !== one);
  }

  /** Looks up what a WORK names once more. */
  relink(work: Work): void {
    this.#link(work);
    this.#forget();
  }

  #forget(): void {
    this.view = this.parts = undefined;
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
        result.judgements.push({ step, author });
        this.reviews.push({ step, author, result });
      }
    }
    return undefined;
  }

  #addIdea(step: Step, author: Author): Idea {
    const { ideas, ideasByKey, newestIdeas } = this.#items;
    const before = this.#before?.get(step) as Idea | undefined;
    const idea = this.#keep<Idea>({
      step,
      author,
      thread: this,
      isGone: false,
      results: [],
      endings: [],
      parts: step.parts ?? [],
      twins: before?.twins ?? [],
    });
    ideas.set(step.id, idea);
    this.ideas.push(idea);
    if (before !== undefined) return idea;
    for (const twin of findTwins(step, this.#items)) {
      insertInTime(idea.twins, { idea: twin, ...overlapOf(step, twin.step) }, timeOfTwin);
      // How many each twin trusts decides whether this IDEA comes last.
      twin.thread.#concerns(idea);
      if (twin.twins.length >= MAX_ORIGINALS) continue;
      insertInTime(twin.twins, { idea, ...overlapOf(twin.step, step) }, timeOfTwin);
      this.#concerns(twin);
    }
    insertInTime(newestIdeas, idea, timeOf);
    if (newestIdeas.length > MAX_COMPARED) newestIdeas.shift();
    if (step.firstLine !== undefined) append(ideasByKey, step.firstLine, idea);
    return idea;
  }

  /** @returns the object that was there for the same step before, with other values, or these */
  #keep<Item extends Listable>(item: Item): Item {
    const before = this.#before?.get(item.step);
    return before === undefined ? item : Object.assign<Listable, Item>(before, item);
  }

  #addWork(step: Step, author: Author): Work {
    const before = this.#before?.get(step) as Work | undefined;
    const work = this.#keep<Work>({
      step,
      author,
      thread: this,
      isGone: false,
      takes: before?.takes ?? [],
      ideas: [],
      parts: [],
      status: undefined,
      created: Date.parse(step.createdAt),
    });
    this.#items.works.set(step.id, work);
    this.works.push(work);
    this.#link(work);
    return work;
  }

  #link(work: Work): void {
    const { ideas, results, worksOn } = this.#items;
    const { step, takes: before } = work;
    const find = (id: string): Idea | Result | undefined => ideas.get(id) ?? results.get(id);
    work.takes = takenPosts(step, (id) => (find(id)?.step.createdAt ?? '~') < step.createdAt);
    work.parts = this.#partsOf(step, work.takes);
    const taken = work.takes.flatMap((id) => find(id) ?? []);
    const ideasTaken = taken.filter((one) => 'endings' in one);
    work.ideas = ideasTaken.length === work.takes.length ? ideasTaken : [];
    for (const id of before) if (!work.takes.includes(id)) remove(worksOn, id, work);
    for (const id of work.takes) if (!before.includes(id)) append(worksOn, id, work);
    for (const one of taken) this.#concerns(one);
    for (const idea of ideasTaken) idea.thread.#concerns(work);
  }

  #addResult(step: Step, author: Author): Result {
    const { ideas, results } = this.#items;
    const originals = findOriginals(step, this.results.slice(-MAX_COMPARED));
    const corrected = step.corrects
      .flatMap((id) => results.get(id) ?? [])
      .filter(({ thread }) => thread === this);
    const result = this.#keep<Result>({
      step,
      author,
      thread: this,
      isGone: false,
      judgements: [],
      corrections: [],
      corrected,
      originals,
      parts: this.#partsOf(step),
      original: undefined,
      isLikeOthers: undefined,
    });
    for (const one of corrected) one.corrections.push(result);
    for (const id of step.refersTo) {
      const idea = ideas.get(id);
      if (idea?.thread === this) idea.results.push(result);
    }
    results.set(step.id, result);
    this.results.push(result);
    return result;
  }

  /** @returns the parts that a step names, of the first IDEA with parts that it takes or is below */
  #partsOf({ part, parentId, rootId }: Step, takes: readonly string[] = []): Part[] {
    if (part === undefined) return [];
    const idea = ideaWithParts(this.#items, [...takes, parentId ?? '', rootId]);
    return idea === undefined ? [] : findParts(idea.parts, part).map((index) => ({ idea, index }));
  }

  #concerns(one: Listable): void {
    if (one.thread !== this) (this.elsewhere ??= new Set()).add(one);
  }
}

/** @returns the first of these that is an IDEA with parts */
export function ideaWithParts({ ideas }: Pick<Items, 'ideas'>, ids: readonly string[]): Idea | undefined {
  return ids.flatMap((id) => ideas.get(id) ?? []).find(({ parts }) => parts.length > 0);
}

/** @returns those of earlier RESULTs that have most lines of a step */
function findOriginals(step: Step, earlier: readonly Result[]): Original[] {
  if (step.sketch === undefined) return [];
  const sketch = hashesOf(step);
  const found: Original[] = [];
  for (const result of earlier) {
    if (result.step.sketch === undefined) continue;
    const overlap = compareSketches(sketch, hashesOf(result.step));
    if (overlap !== null) found.push({ ...overlap, result });
    if (found.length === MAX_ORIGINALS) break;
  }
  return found;
}

/** @returns IDEAs within seven days of a step with most of its lines or its first line, oldest first */
function findTwins(step: Step, { ideasByKey, newestIdeas }: Items): Idea[] {
  const created = Date.parse(step.createdAt);
  const isOld = (one: Idea): boolean => Date.parse(one.step.createdAt) < created - MAX_TWIN_AGE_MS;
  const isYoung = (one: Idea): boolean =>
    one.step.createdAt > step.createdAt && Date.parse(one.step.createdAt) > created + MAX_TWIN_AGE_MS;
  const sketch = hashesOf(step);
  const alike = newestIdeas.filter((one) => {
    if (one.isGone || isOld(one)) return false;
    const isEarlier = one.step.createdAt < step.createdAt;
    const other = hashesOf(one.step);
    return (isEarlier ? compareSketches(sketch, other) : compareSketches(other, sketch)) !== null;
  });
  // Thousands of IDEAs may have one first line. They are in order of time.
  const sameFirst = ideasByKey.get(step.firstLine ?? '') ?? [];
  const start = countFirst(sameFirst, isOld);
  return [...new Set([...sameFirst.slice(start, start + MAX_ORIGINALS), ...alike])]
    .filter((one) => !isYoung(one))
    .sort((a, b) => (a.step.createdAt < b.step.createdAt ? -1 : 1))
    .slice(0, MAX_ORIGINALS);
}

const overlapOf = (one: Step, other: Step): Overlap =>
  countEqual(hashesOf(one), hashesOf(other)) ?? { equal: 0, of: 0 };

const knownHashes = new WeakMap<Step, Uint32Array>();

function hashesOf(step: Step): Uint32Array {
  let hashes = knownHashes.get(step);
  if (hashes === undefined) {
    hashes = parseSketch(step.sketch ?? '');
    knownHashes.set(step, hashes);
  }
  return hashes;
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

/** Adds an element to a list in the order of time, which it creates with the first one. */
export function append<Key, One extends Pick<Said, 'step'>>(
  lists: Map<Key, One[]>,
  key: Key,
  one: One,
): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else insertInTime(list, one, timeOf);
}

const timeOf = ({ step }: Pick<Said, 'step'>): string => step.createdAt;
const timeOfTwin = ({ idea }: Twin): string => timeOf(idea);

/** Adds an element to a list in the order of time: mostly at its end. */
function insertInTime<One>(list: One[], one: One, time: (one: One) => string): void {
  const at = time(one);
  list.splice(
    countFirst(list, (other) => time(other) <= at),
    0,
    one,
  );
}

/** Removes an element from a list in the order of time, and the list once it is empty. */
function remove<One extends Pick<Said, 'step'>>(lists: Map<string, One[]>, key: string, one: One): void {
  const list = lists.get(key);
  if (list === undefined) return;
  const at = list.indexOf(
    one,
    countFirst(list, (other) => timeOf(other) < timeOf(one)),
  );
  if (at >= 0) list.splice(at, 1);
  if (list.length === 0) lists.delete(key);
}
