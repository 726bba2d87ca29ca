import { findParts, judgedPost, takenPosts, type Outcome, type Step } from '#message/step.ts';
import { Copies } from './copies.ts';
import { isSameWriter, Writers, type Author, type Look, type Writer } from './writers.ts';

/** The newest steps of a thread, which it lists and judges. */
export const MAX_STEPS_OF_THREAD = 2000;

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
  readonly takes: readonly string[];
  /** What it takes, if that is IDEAs alone. */
  readonly ideas: readonly Idea[];
  readonly parts: readonly Part[];
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
  /** REVIEWs of its thread that judge it, oldest first. */
  readonly judgements: Said[];
  /** RESULTs of its thread that say that they correct it, oldest first. */
  readonly corrections: Result[];
  /** RESULTs of its thread that it says it corrects. */
  readonly corrected: readonly Result[];
  readonly parts: readonly Part[];
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
  /** Of each look of name the first message of the key that holds it. */
  readonly holders: ReadonlyMap<Look, Author>;
  /** Of each trusted key the first message that it signed with a name. One may sign with thousands. */
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
  /** The newest WORKs that take it, oldest first. */
  readonly works: Work[];
  /** RESULTs that reply to it or name it. */
  readonly results: Result[];
  /** Later messages of its writer in its thread whose line `Ends:` names it. */
  readonly endings: Said[];
  /** The names of its parts. */
  readonly parts: readonly string[];
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
  /** The newest WORKs that take a post, by its id, oldest first. */
  readonly worksOn: Map<string, Work[]>;
}

/**
 * The steps of a thread. What a step names is fixed when it is added, since it can only name earlier steps.
 * All else is decided from the messages of the thread when somebody asks, and is forgotten with the next step.
 */
export class Thread {
  readonly writers: Writers;
  /** Those that it lists and judges, oldest first. */
  readonly messages: (Said | Listable)[] = [];
  readonly works: Work[] = [];
  /** Also those that reports hold, so that no report frees a copy or a part. */
  readonly results: Result[] = [];
  readonly ideas: Idea[] = [];
  /** Of its RESULTs, once it has one. */
  copies: Copies | undefined;
  /** What is in other threads, and whose place in a list depends on a step of this one; undefined for nothing. */
  elsewhere: Set<Listable> | undefined;
  /** The signer of its first message; undefined if that has none. */
  opener: string | undefined;
  /** What REVIEWs say of RESULTs, also of those that it no longer lists, oldest first. */
  reviews: (Said & { readonly result: Result })[] = [];
  /** Messages with a line "Trust:" or "Distrust:", oldest first. */
  readonly trustLines: Said[] = [];
  /** Messages of its opener with a proven line "Same key as:", oldest first. */
  readonly keyLines: Said[] = [];
  /** As `viewOfOpener` returns it; undefined after a step. */
  view: View | undefined;
  /** Undefined until somebody asks, and after a step. */
  parts: PartsOfThread | undefined;
  /** Whether its WORKs have been decided since the last step. */
  isDecided = false;
  /** The IDEAs of which nothing was left when it was last placed in the lists, by their ids. */
  finished = '';
  readonly #items: Items;

  /** @param items of all threads, to which the thread adds its own */
  constructor(rootId: string, items: Items) {
    this.writers = new Writers(rootId);
    this.#items = items;
  }

  /** @param step later than all that were added before @returns its author */
  add(step: Step): Author {
    const author = this.writers.add(step);
    const message = this.#toItem(step, author) ?? { step, author };
    for (const id of step.ends ?? []) {
      const idea = this.#items.ideas.get(id);
      if (idea?.thread !== this || idea === message) continue;
      // Anybody may write such a line, and each question whether the IDEA has ended reads the list.
      if (author.writer !== null && author.writer === idea.author.writer) idea.endings.push({ step, author });
    }
    this.messages.push(message);
    this.opener = step.opener;
    if (step.trust !== undefined) this.trustLines.push({ step, author });
    if (step.sameKeyAs !== undefined && step.opener === step.mark) this.keyLines.push({ step, author });
    this.#forget();
    return author;
  }

  /** Forgets a step that is older than all that the board reads, and what REVIEWs say of it. */
  leave(step: Step): void {
    for (const list of [this.reviews, this.trustLines, this.keyLines])
      if (list[0]?.step === step) list.shift();
    if (step.prefix === 'RESULT' && this.reviews.some(({ result }) => result.step === step))
      this.reviews = this.reviews.filter(({ result }) => result.step !== step);
    this.#forget();
  }

  /** @returns the WORK of this thread with the id */
  workOf(id: string): Work | undefined {
    const work = this.#items.works.get(id);
    return work?.thread === this ? work : undefined;
  }

  /** Drops the oldest message, which is no longer listed and judged. Its writer stays. */
  drop(): Said | Listable | undefined {
    const oldest = this.messages.shift();
    this.#forget();
    if (oldest === undefined || !('thread' in oldest)) return oldest;
    const { id } = oldest.step;
    const { ideas, works, results, worksOn } = this.#items;
    oldest.isGone = true;
    if ('endings' in oldest) {
      this.ideas.shift();
      ideas.delete(id);
    } else if ('takes' in oldest) {
      this.works.shift();
      works.delete(id);
      for (const taken of oldest.takes) remove(worksOn, taken, oldest);
    } else {
      this.results.shift();
      results.delete(id);
      this.copies?.remove(id);
      for (const { step } of oldest.corrections) this.copies?.decide(step.id);
    }
    return oldest;
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
    const idea: Idea = {
      step,
      author,
      thread: this,
      isGone: false,
      works: [],
      results: [],
      endings: [],
      parts: step.parts ?? [],
    };
    this.#items.ideas.set(step.id, idea);
    this.ideas.push(idea);
    return idea;
  }

  #addWork(step: Step, author: Author): Work {
    const { ideas, works, results, worksOn } = this.#items;
    const takes = takenPosts(step, (id) => results.has(id) || ideas.has(id));
    const parts = this.#partsNamed(step, [...takes, step.parentId ?? '', step.rootId]);
    const taken = takes.flatMap((id) => ideas.get(id) ?? []);
    const ideasAlone = taken.length === takes.length ? taken : [];
    const work: Work = {
      step,
      author,
      thread: this,
      isGone: false,
      takes,
      ideas: ideasAlone,
      parts,
      status: undefined,
      created: Date.parse(step.createdAt),
    };
    works.set(step.id, work);
    this.works.push(work);
    for (const id of takes) {
      append(worksOn, id, work);
      bound(worksOn.get(id));
      const one = ideas.get(id) ?? results.get(id);
      if (one !== undefined) this.#concerns(one);
    }
    for (const idea of taken) {
      idea.works.push(work);
      bound(idea.works);
      idea.thread.#concerns(work);
    }
    return work;
  }

  #addResult(step: Step, author: Author): Result {
    const { ideas, results } = this.#items;
    const parts = this.#partsNamed(step, [step.parentId ?? '', step.rootId]);
    const corrected = step.corrects
      .flatMap((id) => results.get(id) ?? [])
      .filter(({ thread }) => thread === this);
    const result: Result = {
      step,
      author,
      thread: this,
      isGone: false,
      judgements: [],
      corrections: [],
      corrected,
      parts,
    };
    for (const one of corrected) one.corrections.push(result);
    for (const id of step.refersTo) {
      const idea = ideas.get(id);
      if (idea === undefined) continue;
      idea.results.push(result);
      this.#concerns(idea);
    }
    results.set(step.id, result);
    this.results.push(result);
    if (step.sketch !== undefined) {
      this.copies ??= new Copies((later, earlier) => this.#mayHaveLinesOf(later, earlier));
      this.copies.add(step);
    }
    return result;
  }

  /** @param candidates ids of messages; the first IDEA with parts among them counts */
  #partsNamed(step: Step, candidates: readonly string[]): Part[] {
    if (step.part === undefined) return [];
    const idea = ideaWithParts(this.#items, candidates);
    if (idea === undefined) return [];
    return findParts(idea.step.parts ?? [], step.part).map((index) => ({ idea, index }));
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

  #concerns(one: Listable): void {
    if (one.thread !== this) (this.elsewhere ??= new Set()).add(one);
  }
}

/** @returns the first of these that is an IDEA with parts */
export function ideaWithParts({ ideas }: Pick<Items, 'ideas'>, ids: readonly string[]): Idea | undefined {
  return ids.flatMap((id) => ideas.get(id) ?? []).find(({ parts }) => parts.length > 0);
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

/** Adds an element to a list, which it creates with the first one. */
export function append<Key, One>(lists: Map<Key, One[]>, key: Key, one: One): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}

/** Drops the oldest of more elements than a thread lists: other threads may have ten times as many. */
function bound(list: unknown[] = []): void {
  if (list.length > MAX_STEPS_OF_THREAD) list.shift();
}

/** Removes an element, which is mostly the first, from a list, and the list once it is empty. */
function remove<One>(lists: Map<string, One[]>, key: string, one: One): void {
  const list = lists.get(key);
  const at = list?.indexOf(one) ?? -1;
  if (list === undefined || at < 0) return;
  list.splice(at, 1);
  if (list.length === 0) lists.delete(key);
}
