import {
  countsAsStep,
  hasEndsLine,
  isStepPrefix,
  parseStepFacts,
  toHeld,
  WINDOW,
  windowOf,
  type Step,
  type StepFacts,
} from '#message/step.ts';
import type { AnyRecord, Post } from '#store/port/records.ts';
import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { Item } from './item.ts';
import { elementsAt, page, withElement, withoutElement } from './time-order.ts';

/** Texts that are read before the slice is checked again. The longest take a few milliseconds. */
const TEXTS_AT_ONCE = 10;

/** A bound before every timestamp, and one after every timestamp. */
const [ALWAYS, NEVER] = ['', '~'];

/** @returns the posts with their texts, in the order of the items; may throw `TextUnavailable` */
type ReadTexts = (items: readonly Item[]) => AnyRecord[];

/**
 * The newest messages from which the lists of work are derived. They are kept in a list, so that adding or
 * hiding one costs no walk over the others.
 * @example
 *   // a, b, c, d are visible steps, and a window has two of them.
 *   // `read` returns [c, d]. Then c is hidden: the list is [d] until the next `read`, which adds b.
 */
export class StepList {
  /** The steps that are visible or held, oldest first. */
  #items: Item[] = [];
  /** Posts that are steps because of a line `Ends:` or a signer. */
  readonly #unprefixed = new Set<Item>();
  /** The steps that are hidden by reports. */
  readonly #held = new Set<Item>();
  /** The steps of `#items` from `#since` on, except those of `#unread`. A returned array only grows. */
  #list: Step[] = [];
  #since = NEVER;
  /** The number of steps of the list that `countsAsStep` counts. */
  #counting = 0;
  readonly #unread = new Set<Item>();
  readonly #window: typeof WINDOW;

  constructor(window = WINDOW) {
    this.#window = window;
  }

  /** What `read` returned last, with later steps; undefined after any other change. */
  get knownSteps(): readonly Step[] | undefined {
    return this.#isWhole ? this.#list : undefined;
  }

  /** Must be called with each post before `place`. */
  add(item: Item, { prefix, message, mark }: Post): void {
    if (!isStepPrefix(prefix) && (mark !== undefined || hasEndsLine(message, prefix)))
      this.#unprefixed.add(item);
  }

  /** Must be called with each post that arrives. @param post its text, if it is in memory */
  place(item: Item, post?: Post): void {
    if (!this.#isStep(item) || (item.isHidden && !this.#held.has(item))) return;
    this.#items = withElement(this.#items, item);
    if (item.createdAt < this.#since) return;
    if (post === undefined) this.#unread.add(item);
    else this.#insert(this.#toStep(item, post));
  }

  /**
   * Must be called when a record is moderated.
   * @param isHeld whether reports hide the record @param isPlaced whether `place` was called with it
   */
  update(item: Item, isHeld: boolean, isPlaced: boolean): void {
    if (isHeld) this.#held.add(item);
    else this.#held.delete(item);
    if (!isPlaced || !this.#isStep(item)) return;
    const step = this.#find(item);
    this.#items = withoutElement(this.#items, item);
    this.#unread.delete(item);
    if (step !== undefined) this.#remove(step);
    if (item.isHidden && !isHeld) return;
    this.#items = withElement(this.#items, item);
    if (item.createdAt < this.#since) return;
    // A held step lacks what the visible one has.
    if (step === undefined || step.isHeld === true) this.#unread.add(item);
    else this.#insert(isHeld ? toHeld(step) : step);
  }

  /** Must be called when the signer of a first message changes, which is `opener` of its thread's steps. */
  updateOpener(root: Item): void {
    const opener = root.signer ?? undefined;
    const isOther = (step: Step): boolean => step.rootId === root.id && step.opener !== opener;
    if (!this.#list.some(isOther)) return;
    this.#list = this.#list.map((step) => {
      if (!isOther(step)) return step;
      const { opener: _, ...rest } = step;
      return opener === undefined ? rest : { ...rest, opener };
    });
  }

  /** @returns the steps of the window and some older ones, oldest first */
  async read(readTexts: ReadTexts): Promise<readonly Step[]> {
    for (let isOver = startSlice(); !this.#isWhole; ) {
      this.#readSome(readTexts);
      if (!isOver()) continue;
      await nextSlice();
      isOver = startSlice();
    }
    return this.#list;
  }

  /**
   * @param posts visible ones
   * @param readTexts is called with those whose texts were not read yet
   * @returns null for a post on which no list of work depends
   */
  factsOf(posts: readonly Item[], readTexts: ReadTexts): readonly (StepFacts | null)[] {
    const steps = posts.map((post) => this.#find(post));
    const unread = posts.filter((post, index) => this.#isStep(post) && steps[index] === undefined);
    const texts = readTexts(unread) as Post[];
    const read = new Map(texts.map((text, index) => [unread[index], parseStepFacts(text)]));
    return posts.map((post, index) => steps[index] ?? read.get(post) ?? null);
  }

  get #isWhole(): boolean {
    const { steps, all } = this.#window;
    const isFull = this.#counting >= steps || this.#list.length >= all;
    return this.#unread.size === 0 && (isFull || this.#since === ALWAYS);
  }

  /** Reads some of the unread steps or, if there are none, of those before the list. */
  #readSome(readTexts: ReadTexts): void {
    const unread = [...this.#unread].slice(0, TEXTS_AT_ONCE);
    if (unread.length > 0) {
      const steps = this.#toSteps(unread, readTexts);
      for (const item of unread) this.#unread.delete(item);
      // An insert may move `#since` past the next of these.
      for (const step of steps) if (step.createdAt >= this.#since) this.#insert(step);
      return;
    }
    const older = page(this.#items, { order: 'newest', before: this.#since, limit: TEXTS_AT_ONCE });
    const steps = this.#toSteps(older.reverse(), readTexts);
    this.#list.unshift(...steps);
    this.#counting += steps.filter(countsAsStep).length;
    this.#since = (older.length === TEXTS_AT_ONCE ? older[0]?.createdAt : undefined) ?? ALWAYS;
  }

  #toSteps(items: readonly Item[], readTexts: ReadTexts): Step[] {
    const texts = readTexts(items) as Post[];
    return items.flatMap((item, index) => {
      const text = texts[index];
      return text === undefined ? [] : this.#toStep(item, text);
    });
  }

  #insert(step: Step): void {
    this.#counting += Number(countsAsStep(step));
    if ((this.#list.at(-1)?.createdAt ?? '') < step.createdAt) this.#list.push(step);
    else this.#list = withElement(this.#list.slice(), step);
    const { steps, all } = this.#window;
    if (this.#list.length > all + steps) this.#forgetOldest();
  }

  #remove(step: Step): void {
    this.#counting -= Number(countsAsStep(step));
    this.#list = withoutElement(this.#list.slice(), step);
  }

  #forgetOldest(): void {
    this.#list = windowOf(this.#list, countsAsStep, this.#window);
    this.#since = this.#list[0]?.createdAt ?? NEVER;
    this.#counting = this.#list.filter(countsAsStep).length;
    for (const item of this.#unread) if (item.createdAt < this.#since) this.#unread.delete(item);
  }

  #find({ id, createdAt }: Item): Step | undefined {
    return elementsAt(this.#list, createdAt).find((step) => step.id === id);
  }

  #isStep(post: Item): boolean {
    return isStepPrefix(post.prefix) || this.#unprefixed.has(post);
  }

  #toStep(item: Item, post: Post): Step {
    const { id, prefix, parentId, rootId, createdAt } = post;
    const facts = parseStepFacts(post);
    if (facts === null) throw new Error('the state and the line of a message differ in its prefix');
    const opener = item.root?.signer ?? undefined;
    // `facts` must not come first: if V8 adds members to a copied object, it takes three times the memory.
    const step = {
      id,
      prefix,
      parentId,
      rootId,
      createdAt,
      ...facts,
      ...(opener !== undefined && { opener }),
    };
    return this.#held.has(item) ? toHeld(step) : step;
  }
}
