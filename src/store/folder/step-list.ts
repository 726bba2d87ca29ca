import { hasEndsLine, isStepPrefix, MAX_STEPS, readStepFacts, type Step } from '#message/step.ts';
import type { AnyRecord, Post } from '#store/port/records.ts';
import { nextSlice } from '#runtime/slice.ts';
import type { Item } from './item.ts';
import { withElement, withoutElement } from './time-order.ts';

/** Texts that are read without a pause: some milliseconds. */
const TEXTS_PER_SLICE = 100;

/**
 * The messages that the lists of work are made from. Nothing is read before the first call of `read`; then
 * the text of each is read once, and what the lists need of it stays in memory.
 */
export class StepList {
  /** Visible steps, in the order of time. */
  #visible: Item[] = [];
  /** Steps whose prefix does not say that they are. */
  readonly #others = new Set<Item>();
  readonly #steps = new Map<Item, Step>();
  /** As of `read`; undefined after a change other than a newest step. */
  #list: Step[] | undefined;

  /** Must be called with each post before `update`. */
  add(item: Item, post: Post): void {
    if (!isStepPrefix(post.prefix) && hasEndsLine(post.message)) this.#others.add(item);
    // Later its text would have to be read.
    const isNewest = (this.#visible.at(-1)?.createdAt ?? '') < post.createdAt;
    if (this.#list !== undefined && isNewest && !item.isHidden && this.#isStep(item))
      this.#steps.set(item, toStep(post));
  }

  /** A post becomes visible (1) or hidden (-1). */
  update(post: Item, sign: 1 | -1): void {
    if (!this.#isStep(post)) return;
    this.#visible = (sign === 1 ? withElement : withoutElement)(this.#visible, post);
    const step = this.#steps.get(post);
    if (sign === 1 && step !== undefined && this.#visible.at(-1) === post) {
      this.#list?.push(step);
      if (this.#steps.size > 2 * MAX_STEPS) this.#forgetOldest();
      return;
    }
    this.#list = undefined;
    this.#steps.delete(post);
  }

  /**
   * @param readRecords may throw `TextUnavailable`
   * @returns as `Reader.steps`
   */
  async read(readRecords: (items: readonly Item[]) => AnyRecord[]): Promise<readonly Step[]> {
    while (this.#list === undefined) {
      const posts = this.#visible.slice(-MAX_STEPS);
      const missing = posts.filter((post) => !this.#steps.has(post)).slice(-TEXTS_PER_SLICE);
      const records = readRecords(missing);
      for (const [index, post] of missing.entries()) this.#steps.set(post, toStep(records[index] as Post));
      if (missing.length === TEXTS_PER_SLICE) await nextSlice();
      else this.#list = posts.flatMap((post) => this.#steps.get(post) ?? []);
    }
    return this.#list;
  }

  #forgetOldest(): void {
    const listed = new Set(this.#visible.slice(-MAX_STEPS));
    for (const post of this.#steps.keys()) if (!listed.has(post)) this.#steps.delete(post);
    this.#list = undefined;
  }

  #isStep(post: Item): boolean {
    return isStepPrefix(post.prefix) || this.#others.has(post);
  }
}

function toStep(post: Post): Step {
  const { id, prefix, parentId, rootId, createdAt } = post;
  const facts = readStepFacts(post);
  if (facts === null) throw new Error('the state and the line of a message differ in its prefix');
  return { id, prefix, parentId, rootId, createdAt, ...facts };
}
