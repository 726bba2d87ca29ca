import { joinParts, judgedPost, takenPosts, type Step, toSigner } from '#message/step.ts';
import { Copies } from './copies.ts';
import { append } from './lists.ts';
import { partsNamed } from './parts.ts';
import type {
  AuthoredStep,
  DecidedWorks,
  Idea,
  Items,
  Listable,
  Part,
  PartsOfThread,
  Result,
  Thread,
  Viewpoint,
  Work,
  WorksByTime,
} from './model.ts';
import { isSameWriter, Writers, type Author, type Writer } from './writers.ts';

/** The newest steps of a thread, which it lists and judges. */
export const MAX_STEPS_OF_THREAD = 2000;
/** How many messages with a proven line "Same key as:" are kept: each comparison of keys reads them all. */
const MAX_KEY_LINES = 100;

/**
 * The steps of a thread. A step is linked with the steps that it names when it is added, because these are
 * older, and again when one of them leaves. Everything else is computed on demand, and cached until the next
 * step; the viewpoint of the opener is cached until a step may change it or a standing.
 *
 *     #1 IDEA; #2 RESULT that replies to #1; #3 REVIEW of #2    #1 has `results` #2, and #2 has `reviews` #3
 *
 *     leaveWindow    removes a step that the board drops: from `rulings`, `keyLines` and `writers`
 *     dropOldest     removes the oldest message from all lists; its author stays in `writers`
 *     removeItems    removes all items from those of all threads: another thread replaces this one
 */
export class LinkedThread implements Thread {
  readonly rootId: string;
  readonly writers: Writers;
  readonly messages: (AuthoredStep | Listable)[] = [];
  readonly ideas: Idea[] = [];
  readonly works: Work[] = [];
  readonly results: Result[] = [];
  copies: Copies | undefined;
  opener: string | undefined;
  readonly rulings: AuthoredStep[] = [];
  /** The newest messages of its opener with a proven line "Same key as:", oldest first. */
  readonly keyLines: AuthoredStep[] = [];
  viewpoint: Viewpoint | undefined;
  parts: PartsOfThread | undefined;
  worksByTime: WorksByTime | undefined;
  decidedWorks: DecidedWorks | undefined;
  /** The WORKs that take a message, by its id, oldest first. */
  readonly #worksOn = new Map<string, Work[]>();
  /** What has changed since the last `takeChanged`; undefined if everything may have changed. */
  #changed: Set<Listable> | undefined;
  #items: Items;

  /**
   * @param items of all threads, to which the thread adds its own; empty maps before `join`
   * @param writers of the thread that this one replaces
   */
  constructor(rootId: string, items: Items, writers = new Writers(rootId)) {
    this.rootId = rootId;
    this.writers = writers;
    this.#items = items;
  }

  /** @param step later than all that were added before @returns its author */
  add(step: Step): Author {
    const author = this.writers.add(step);
    this.remember(step, author);
    this.link(step, author);
    return author;
  }

  /** Keeps a message whose lines count while the board has it, even if the thread does not list it. */
  remember(step: Step, author: Author): void {
    if (isRuling(step)) this.rulings.push({ step, author });
    if (isKeyLine(step) && this.keyLines.push({ step, author }) > MAX_KEY_LINES) this.keyLines.shift();
  }

  /** Adds a message to those that the thread lists and that can be judged. */
  link(step: Step, author: Author): void {
    const changesNoStanding = this.#changesNoStanding(step, author);
    this.opener = step.opener;
    const divided = step.parts && this.ideaOpenedBy(author);
    if (divided && step.prefix !== 'IDEA') {
      const { createdAt: at, isHeld = false } = step;
      divided.additions.push({ at, before: divided.parts.length, isHeld });
      divided.parts = joinParts([...divided.parts, ...(step.parts ?? [])]);
    }
    const message = this.#toItem(step, author) ?? { step, author };
    for (const id of step.ends ?? []) {
      const idea = this.#items.ideas.get(id);
      if (idea?.thread !== this || idea === message) continue;
      if (isSameWriter(author, idea.author)) idea.endedBy ??= step;
    }
    this.messages.push(message);
    const item = 'thread' in message ? [message] : [];
    this.invalidate(changesNoStanding ? [...item, ...this.ideas.filter(isDivided)] : undefined);
  }

  /** Removes a step that the board drops. @returns whether that may change who is trusted */
  leaveWindow(step: Step, author: Author): boolean {
    const mayChange = isRuling(step) || (author.next === undefined && this.#mayChangeTrust(author));
    this.writers.remove(author);
    for (const list of [this.rulings, this.keyLines]) if (list[0]?.step === step) list.shift();
    this.invalidate(mayChange ? undefined : []);
    return mayChange;
  }

  /** Whether adding a step changes neither a standing nor who is trusted. */
  #changesNoStanding({ prefix, ends, trust, parts, opener }: Step, author: Author): boolean {
    const isOther = prefix === 'RESULT' || prefix === 'REVIEW' || (parts !== undefined && prefix !== 'IDEA');
    if (isOther || ends !== null || trust !== undefined || opener !== this.opener) return false;
    // Without a cached viewpoint there is nothing to keep, and no need to search thousands of lines.
    return this.viewpoint !== undefined && (author.writer?.first !== author || !this.#mayChangeTrust(author));
  }

  /** Whether the first or the last message of a writer may change who is trusted. */
  #mayChangeTrust({ writer, signer }: Author): boolean {
    if (writer === null || signer === this.opener) return writer !== null;
    const ofOpener = this.rulings.filter(({ author }) => author.signer === this.opener);
    return ofOpener.some(({ step }) => step.trust?.some((line) => toSigner(line.signer) === signer));
  }

  /** @returns the items that lists of work may have to move or remove since the last call */
  takeChanged(): Iterable<Listable> {
    const changed = this.#changed ?? [...this.ideas, ...this.works, ...this.results];
    this.#changed = new Set();
    return changed;
  }

  ideaOpenedBy({ signer, rootId }: Author): Idea | undefined {
    return signer !== undefined && signer === this.opener ? this.#items.ideas.get(rootId) : undefined;
  }

  workOf(id: string): Work | undefined {
    const work = this.#items.works.get(id);
    return work?.thread === this ? work : undefined;
  }

  worksOn(id: string): readonly Work[] {
    return this.#worksOn.get(id) ?? [];
  }

  /** Stops listing and judging the oldest message. Its writer stays. */
  dropOldest(): AuthoredStep | Listable | undefined {
    const oldest = this.messages.shift();
    this.invalidate(oldest !== undefined && this.#leavesStandings(oldest) ? [] : undefined);
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
    this.#relinkWorksOn(oldest);
    if ('additions' in oldest) {
      this.ideas.shift();
      for (const one of oldest.parts.length === 0 ? [] : [...this.works, ...this.results])
        if (one.parts.some(({ idea }) => idea === oldest))
          one.parts = this.#partsOf(one.step, 'takes' in one ? one.takes : []);
    } else {
      this.results.shift();
      const changed = new Set(this.copies?.remove(oldest.step.id));
      // For a RESULT by a trusted signer, the writer of the original also decides whether it is a copy.
      const trusted: ReadonlyMap<Writer | null, string> | undefined = this.viewpoint?.trusted;
      this.invalidate(
        this.results.filter(({ step, author }) => changed.has(step.id) || trusted?.has(author.writer)),
      );
      for (const one of oldest.corrections) {
        one.corrected = one.corrected.filter((corrected) => corrected !== oldest);
        this.copies?.decide(one.step.id);
      }
    }
    return oldest;
  }

  /** Whether dropping the oldest message changes no standing. */
  #leavesStandings(oldest: AuthoredStep | Listable): boolean {
    const { id } = oldest.step;
    if (id === this.rootId || !('thread' in oldest)) return id !== this.rootId;
    if (this.worksOn(id).length > 0 || this.ideas.some(isDivided)) return false;
    // A RESULT ends the only open WORK of its writer.
    if ('takes' in oldest) return oldest.author.next === undefined;
    if ('additions' in oldest) return true;
    return this.opener !== undefined && oldest.reviews.length + oldest.corrections.length === 0;
  }

  #removeItem(one: Listable): void {
    const { ideas, works, results } = this.#items;
    const items = 'reviews' in one ? results : 'takes' in one ? works : ideas;
    one.isGone = true;
    items.delete(one.step.id);
  }

  /** Adds its items to those of all threads. */
  join(items: Items): void {
    this.#items = items;
    for (const idea of this.ideas) items.ideas.set(idea.step.id, idea);
    for (const work of this.works) items.works.set(work.step.id, work);
    for (const result of this.results) items.results.set(result.step.id, result);
  }

  /** Removes its items from those of all threads. */
  removeItems(): Listable[] {
    const listed = [...this.ideas, ...this.works, ...this.results];
    for (const one of listed) this.#removeItem(one);
    return listed;
  }

  /** Empties the caches. @param changed items that the lists of work may move; all by default */
  invalidate(changed?: readonly Listable[]): void {
    this.parts = this.worksByTime = this.decidedWorks = undefined;
    if (changed === undefined) this.viewpoint = this.#changed = undefined;
    else if (this.viewpoint !== undefined) this.viewpoint.cache.names = undefined;
    for (const one of changed ?? []) this.#changed?.add(one);
    // Only a read of the lists empties the set.
    if (this.#changed !== undefined && this.#changed.size > this.messages.length) this.#changed = undefined;
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

  // The shared fields are repeated: spreading them would cost each post 3 us.
  #addIdea(step: Step, author: Author): Idea {
    const idea: Idea = {
      step,
      author,
      thread: this,
      isGone: false,
      results: [],
      endedBy: undefined,
      parts: step.parts ?? [],
      additions: [],
    };
    this.#items.ideas.set(step.id, idea);
    this.ideas.push(idea);
    return idea;
  }

  #addWork(step: Step, author: Author): Work {
    const work: Work = {
      step,
      author,
      thread: this,
      isGone: false,
      takes: [],
      ideas: [],
      parts: [],
      created: Date.parse(step.createdAt),
    };
    this.#items.works.set(step.id, work);
    this.works.push(work);
    this.#link(work);
    for (const id of work.takes) append(this.#worksOn, id, work);
    return work;
  }

  /** Looks up what a WORK takes in its own thread. */
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

  /** Looks up what WORKs take again, after an IDEA or RESULT that they took was dropped. */
  #relinkWorksOn(gone: Idea | Result): void {
    const { id } = gone.step;
    let isOther = false;
    for (const work of this.worksOn(id)) {
      const others = work.takes.filter((one) => one !== id);
      // An IDEA without parts changes nothing else, and 2,000 WORKs may take it.
      if (others.length > 0 && 'additions' in gone && gone.parts.length === 0) {
        work.takes = others;
        work.ideas = work.ideas.filter((idea) => idea !== gone);
      } else {
        this.#link(work);
        isOther ||= others.length === 0;
      }
    }
    this.#worksOn.delete(id);
    if (!isOther) return;
    // Some of them now take the message that they reply to instead.
    this.#worksOn.clear();
    for (const work of this.works) for (const taken of work.takes) append(this.#worksOn, taken, work);
  }

  #addResult(step: Step, author: Author): Result {
    const { ideas, results } = this.#items;
    const corrected = step.corrects
      .flatMap((id) => results.get(id) ?? [])
      .filter(({ thread }) => thread === this);
    const result: Result = {
      step,
      author,
      thread: this,
      isGone: false,
      reviews: [],
      corrections: [],
      corrected,
      parts: this.#partsOf(step),
    };
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

  /** @returns the parts that a step names, of the first IDEA with parts that it takes or replies to */
  #partsOf(step: Step, takes: readonly string[] = []): Part[] {
    return partsNamed(this.#items, step, [...takes, step.parentId ?? '', step.rootId]);
  }

  /** Whether a RESULT corrects an earlier one, or has its writer, or corrects another one of that writer. */
  #mayHaveLinesOf(later: Step, earlier: Step): boolean {
    const { results } = this.#items;
    const other = results.get(earlier.id);
    if (other === undefined) return false;
    return [later.id, ...later.corrects].some((id) => {
      const one = results.get(id);
      return one === other || (one !== undefined && isSameWriter(one.author, other.author));
    });
  }
}

const isDivided = ({ parts }: Idea): boolean => parts.length > 0;

/** Whether the opener proves with a message that its key wrote in another thread too. */
const isKeyLine = ({ sameKeyAs, opener, mark }: Step): boolean => sameKeyAs !== undefined && opener === mark;

/**
 * Whether a thread remembers a message even if it does not list it.
 * @example "hello" with a line "Trust: <signer>" is remembered; "hello" without one is not
 */
export const isRemembered = (step: Step): boolean => isRuling(step) || isKeyLine(step);

/** Whether a message may decide whose judgements count in its thread. */
const isRuling = ({ trust, ends, rootId }: Step): boolean =>
  trust !== undefined || ends?.includes(rootId) === true;
