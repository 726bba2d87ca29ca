import { judgedPost, type Step } from '#message/step.ts';
import { DAY_MS } from '#workspace/text/time.ts';
import { Authors, toSignature, type Author, type Signature, type Signed } from './authors.ts';
import { applyEvent, OpenWorks, type WorkEvent } from './open-works.ts';
import { findOriginals, MAX_ORIGINALS } from './resemblance.ts';
import {
  dueTime,
  findParts,
  type ActiveWork,
  type WorkStatus,
  type Idea,
  type Listable,
  type Part,
  type Result,
} from './work-model.ts';

const MAX_TWIN_AGE_MS = 7 * DAY_MS;

interface Thread {
  readonly works: ActiveWork[];
  readonly results: Result[];
  readonly events: WorkEvent[];
  open: OpenWorks;
}

/**
 * Derives from the steps alone what is open, ended, replaced, judged and copied; `WorkLists` adds the clock.
 * Each map is by id, in the order of time. test/unit/workspace/work compares the result with the sentences of
 * the documentation.
 */
export class Derivation {
  readonly ideas = new Map<string, Idea>();
  readonly works = new Map<string, ActiveWork>();
  readonly results = new Map<string, Result>();
  /** The WORKs that take a post, by its id. */
  readonly worksOn = new Map<string, ActiveWork[]>();
  readonly authors = new Authors();
  /** The number of steps that were added. */
  size = 0;
  /** The first step; null while there is none. */
  oldest: Step | null = null;
  /** Whether messages older than the first step are left out. */
  isCut = false;
  /** What may have left or joined a list since the last update of `WorkLists`. */
  readonly touched = new Set<Listable>();
  readonly #threads = new Map<string, Thread>();
  /** Threads whose events must be applied again, because writers of their messages have become known. */
  readonly #stale = new Set<Thread>();
  /** By the id of a RESULT, or of a REVIEW that judges it. */
  readonly #judged = new Map<string, Result>();
  readonly #authorOf = new Map<string, Author>();
  /** Ids of the steps of all events. */
  readonly #events = new Set<string>();
  readonly #ideasByKey = new Map<string, Idea[]>();
  /** By the id of a step, the IDEAs that its line `Ends:` names. */
  readonly #endedIdeas = new Map<string, Idea[]>();
  /** Authors of earlier messages whose writers have become known since the last `addFrom`. */
  #changed: (readonly Author[])[] = [];

  /**
   * Adds the steps that are new. Yields after each small piece of work, where a caller may pause.
   * @param steps oldest first: those that were added before, and later ones
   */
  *addFrom(steps: readonly Step[]): Generator<void, void> {
    for (let step = steps[this.size]; step !== undefined; step = steps[this.size]) {
      this.#add(step);
      yield;
    }
    for (const authors of this.#changed)
      for (const { id } of authors) {
        this.#reconsider(id);
        yield;
      }
    this.#changed = [];
    for (const thread of this.#stale) yield* this.#replay(thread);
  }

  #add(step: Step): void {
    this.size += 1;
    this.oldest ??= step;
    const { author, changed } = this.authors.add(step);
    this.#authorOf.set(step.id, author);
    const thread = this.#threadOf(step.rootId);
    // The second message with a key claims the first, so earlier messages may have changed more, or less.
    if (changed.length > 0) this.#changed.push(changed);
    if (changed.some(({ id }) => this.#events.has(id))) this.#stale.add(thread);
    let work: ActiveWork | undefined;
    if (step.prefix === 'IDEA') this.#addIdea(step, author);
    else if (step.prefix === 'WORK') work = this.#addWork(step, author, thread);
    else if (step.prefix === 'RESULT') this.#addResult(step, author, thread);
    else if (step.prefix === 'REVIEW') this.#addReview(step, author);
    for (const id of step.ends ?? []) {
      const idea = this.ideas.get(id);
      if (idea === undefined || idea.step.id === step.id) continue;
      idea.endings.push(author);
      append(this.#endedIdeas, step.id, idea);
      this.#touchIdea(idea);
    }
    if (work === undefined && step.prefix !== 'RESULT' && (step.ends ?? []).length === 0) return;
    const event = { step, author, work };
    thread.events.push(event);
    this.#events.add(step.id);
    if (this.#stale.has(thread)) return;
    for (const changedWork of applyEvent(event, thread.open, this.works, (one) => one))
      this.#touchWork(changedWork);
  }

  /** @returns the signature of a step; nothing for a message that is no step */
  signatureOfStep(id: string): Signature {
    const author = this.#authorOf.get(id);
    return author === undefined ? {} : toSignature(author);
  }

  /** @returns the author of any message, step or not */
  authorOf(message: Signed): Author {
    return this.#authorOf.get(message.id) ?? this.authors.of(message);
  }

  /** The WORKs of a thread, oldest first. */
  worksIn(rootId: string): readonly ActiveWork[] {
    return this.#threads.get(rootId)?.works ?? [];
  }

  /** The RESULTs of a thread, oldest first. */
  resultsIn(rootId: string): readonly Result[] {
    return this.#threads.get(rootId)?.results ?? [];
  }

  /** @returns the open WORKs of its thread that a message may end, at most `limit`, newest first */
  openOf(author: Author, limit: number): ActiveWork[] {
    return this.#threads.get(author.rootId)?.open.of(author, limit) ?? [];
  }

  /** @returns the first of these that is an IDEA with parts */
  ideaWithParts(ids: readonly string[]): Idea | undefined {
    return ids.flatMap((id) => this.ideas.get(id) ?? []).find(({ parts }) => parts.length > 0);
  }

  #threadOf(rootId: string): Thread {
    let thread = this.#threads.get(rootId);
    if (thread === undefined) {
      thread = { works: [], results: [], events: [], open: new OpenWorks() };
      this.#threads.set(rootId, thread);
    }
    return thread;
  }

  #addIdea(step: Step, author: Author): void {
    const earlier = step.sketch === undefined ? [] : (this.#ideasByKey.get(step.sketch) ?? []);
    const since = Date.parse(step.createdAt) - MAX_TWIN_AGE_MS;
    const twins = earlier.filter((one) => Date.parse(one.step.createdAt) >= since).slice(0, MAX_ORIGINALS);
    const parts = (step.parts ?? []).map((name) => ({ name, works: [], results: [] }));
    const idea: Idea = {
      step,
      author,
      works: [],
      results: [],
      endings: [],
      parts,
      twins,
      laterTwins: [],
    };
    for (const twin of twins) twin.laterTwins.push(idea);
    this.ideas.set(step.id, idea);
    this.touched.add(idea);
    if (step.sketch !== undefined) append(this.#ideasByKey, step.sketch, idea);
  }

  #addWork(step: Step, author: Author, thread: Thread): ActiveWork {
    const named = step.takes.filter((id) => this.results.has(id) || this.ideas.has(id));
    const takes = named.length > 0 || step.parentId === null ? named : [step.parentId];
    const parts = this.#partsOf(step, [...takes, step.parentId ?? '', step.rootId]);
    const work: ActiveWork = { step, author, takes, parts, due: dueTime(step), endedBy: null };
    this.works.set(step.id, work);
    thread.works.push(work);
    for (const id of takes) {
      append(this.worksOn, id, work);
      this.ideas.get(id)?.works.push(work);
    }
    for (const { idea, index } of parts) idea.parts[index]?.works.push(work);
    this.#touchWork(work);
    return work;
  }

  #addResult(step: Step, author: Author, thread: Thread): void {
    const originals = findOriginals(step, thread.results);
    const parts = this.#partsOf(step, [step.parentId ?? '', step.rootId]);
    const corrected = step.corrects
      .flatMap((id) => this.results.get(id) ?? [])
      .filter((one) => one.step.rootId === step.rootId);
    const result: Result = {
      step,
      author,
      judgements: [],
      corrections: [],
      corrected,
      originals,
      copies: [],
      parts,
      verdict: undefined,
      isDone: undefined,
    };
    for (const one of corrected) one.corrections.push(result);
    for (const original of originals) original.result.copies.push(result);
    this.#judged.set(step.id, result);
    for (const id of step.refersTo) this.ideas.get(id)?.results.push(result);
    for (const { idea, index } of parts) idea.parts[index]?.results.push(result);
    this.results.set(step.id, result);
    thread.results.push(result);
    this.#forget(result);
  }

  #addReview(step: Step, author: Author): void {
    const result = this.results.get(judgedPost(step, (id) => this.results.has(id)) ?? '');
    if (result?.step.rootId !== step.rootId) return;
    result.judgements.push({ step, author });
    this.#forget(result);
    this.#judged.set(step.id, result);
  }

  /** @param candidates ids of messages; the first IDEA with parts among them counts */
  #partsOf(step: Step, candidates: readonly string[]): Part[] {
    if (step.part === undefined) return [];
    const idea = this.ideaWithParts(candidates);
    if (idea === undefined) return [];
    return findParts(idea.step.parts ?? [], step.part).map((index) => ({ idea, index }));
  }

  /**
   * Applies the events of a thread again. Its WORKs change together, at the end, so that no read sees half.
   */
  *#replay(thread: Thread): Generator<void, void> {
    const open = new OpenWorks();
    const statuses = new Map<ActiveWork, WorkStatus>();
    const statusOf = (work: ActiveWork): WorkStatus => {
      let status = statuses.get(work);
      if (status === undefined) {
        status = { endedBy: null, due: dueTime(work.step) };
        statuses.set(work, status);
      }
      return status;
    };
    for (const event of thread.events) {
      if (event.work !== undefined) statusOf(event.work);
      applyEvent(event, open, this.works, statusOf);
      yield;
    }
    thread.open = open;
    this.#stale.delete(thread);
    for (const [work, { endedBy, due }] of statuses) {
      if (work.endedBy === endedBy && work.due.at === due.at && work.due.assumed === due.assumed) continue;
      Object.assign(work, { endedBy, due });
      this.#touchWork(work);
    }
  }

  /** Discards what was derived from the writer of a step. @param id of the step */
  #reconsider(id: string): void {
    const result = this.#judged.get(id);
    if (result !== undefined) {
      this.#forget(result);
      // The writer decides whether a copy counts as one, and so whether it is an original of others.
      for (const copy of result.copies) for (const one of copy.copies) this.#touchResult(one);
    }
    for (const idea of [this.ideas.get(id), ...(this.#endedIdeas.get(id) ?? [])])
      if (idea !== undefined) this.#touchIdea(idea);
  }

  /**
   * Discards a verdict. What the RESULT corrects is judged again too: a withdrawn correction replaces
   * nothing.
   */
  #forget(result: Result): void {
    for (const one of [result, ...result.corrected]) {
      one.verdict = undefined;
      this.#touchResult(one);
      for (const copy of one.copies) this.#touchResult(copy);
    }
  }

  #touchResult(result: Result): void {
    result.isDone = undefined;
    this.touched.add(result);
    for (const { idea } of result.parts) this.touched.add(idea);
    for (const id of [result.step.rootId, ...result.step.refersTo]) this.#touchById(id);
  }

  #touchWork(work: ActiveWork): void {
    this.touched.add(work);
    for (const { idea } of work.parts) this.touched.add(idea);
    for (const id of work.takes) this.#touchById(id);
  }

  #touchIdea(idea: Idea): void {
    this.touched.add(idea);
    for (const twin of idea.laterTwins) this.touched.add(twin);
  }

  #touchById(id: string): void {
    const idea = this.ideas.get(id);
    if (idea !== undefined) this.touched.add(idea);
  }
}

function append<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
