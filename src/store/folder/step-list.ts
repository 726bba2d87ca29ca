import {
  hasEndsLine,
  isStepPrefix,
  readStepFacts,
  toHeld,
  WINDOW,
  windowOf,
  type Step,
} from '#message/step.ts';
import type { AnyRecord, Post } from '#store/port/records.ts';
import { nextSlice, startSlice } from '#runtime/slice.ts';
import { signerOfItem, type Item } from './item.ts';
import { withElement, withoutElement } from './time-order.ts';

/** Texts that are read before the slice is checked again. The longest take some milliseconds. */
const TEXTS_AT_ONCE = 10;

/** The messages from which the lists of work are derived. The first `read` reads the text of each. */
export class StepList {
  #visible: Item[] = [];
  /** Posts that are steps because of a line `Ends:`. */
  readonly #ending = new Set<Item>();
  /** Posts that are steps because they have a mark. */
  readonly #signed = new Set<Item>();
  readonly #steps = new Map<Item, Step>();
  /** What `read` returned last; undefined after any change but a new step at the end. */
  #list: Step[] | undefined;

  get known(): readonly Step[] | undefined {
    return this.#list;
  }

  /** Must be called with each post before `update`, and before the post has its name in its thread. */
  add(item: Item, post: Post): void {
    if (!isStepPrefix(post.prefix)) {
      if (hasEndsLine(post.message, post.prefix)) this.#ending.add(item);
      else if (post.mark !== undefined) this.#signed.add(item);
    }
    // Now, while its text is in memory.
    const isNewest = (this.#visible.at(-1)?.createdAt ?? '') < post.createdAt;
    if (this.#list !== undefined && isNewest && !item.isHidden && this.#isStep(item))
      this.#steps.set(item, toStep(item, post));
  }

  update(post: Item, sign: 1 | -1): void {
    if (!this.#isStep(post)) return;
    this.#visible = (sign === 1 ? withElement : withoutElement)(this.#visible, post);
    const step = this.#steps.get(post);
    if (sign === 1 && step !== undefined && this.#visible.at(-1) === post) {
      this.#list?.push(this.#currentStep(post) ?? step);
      if (this.#steps.size > WINDOW.all + WINDOW.steps) this.#forgetOldest();
      return;
    }
    this.#list = undefined;
    this.#steps.delete(post);
  }

  /** Must be called when a post is moderated, which may change whether it is held and whether it has a mark. */
  forget(post: Item): void {
    // The steps of its thread have the mark of the first post.
    if (this.#isStep(post) || post.parent === null) this.#list = undefined;
    this.#steps.delete(post);
  }

  /**
   * @param readRecords may throw `TextUnavailable` @param findHeld returns what reports hold
   * @returns as `Reader.steps`
   */
  async read(
    readRecords: (items: readonly Item[]) => AnyRecord[],
    findHeld: () => readonly Item[],
  ): Promise<readonly Step[]> {
    while (this.#list === undefined) {
      const posts = this.#withHeld(findHeld());
      const steps = posts.map((post) => this.#currentStep(post));
      const missing = posts.filter((_, index) => steps[index] === undefined);
      for (const isOver = startSlice(); missing.length > 0 && !isOver(); ) {
        const next = missing.splice(-TEXTS_AT_ONCE);
        const records = readRecords(next);
        for (const [index, post] of next.entries()) {
          const step = toStep(post, records[index] as Post);
          this.#steps.set(post, post.isHidden ? toHeld(step) : step);
        }
      }
      if (missing.length > 0) await nextSlice();
      else if (!steps.includes(undefined)) this.#list = steps as Step[];
    }
    return this.#list;
  }

  /**
   * @param readRecords is called with posts whose texts were not read yet; may throw `TextUnavailable`
   * @returns null for a post on which no list of work depends
   */
  factsOf(
    posts: readonly Item[],
    readRecords: (items: readonly Item[]) => AnyRecord[],
  ): readonly (Step | null)[] {
    const missing = posts.filter((post) => this.#isStep(post) && !this.#steps.has(post));
    const records = readRecords(missing);
    for (const [index, post] of missing.entries())
      this.#steps.set(post, toStep(post, records[index] as Post));
    return posts.map((post) => this.#steps.get(post) ?? null);
  }

  /**
   * @returns the step with the mark that the first post of its thread has now, since that may come later;
   *   undefined for a post that was not read
   */
  #currentStep(post: Item): Step | undefined {
    const step = this.#steps.get(post);
    const opener = openerOf(post);
    if (step === undefined || opener === step.opener) return step;
    const { opener: _, ...rest } = step;
    const current = opener === undefined ? rest : { ...rest, opener };
    this.#steps.set(post, current);
    return current;
  }

  #forgetOldest(): void {
    const listed = new Set(this.#newest());
    for (const post of this.#steps.keys()) if (!listed.has(post)) this.#steps.delete(post);
    this.#list = undefined;
  }

  #withHeld(held: readonly Item[]): Item[] {
    const newest = this.#newest();
    const since = newest.length < this.#visible.length ? (newest[0]?.createdAt ?? '') : '';
    const steps = held.filter((post) => this.#isStep(post) && post.createdAt > since);
    // One by one, since few are held: to sort all takes milliseconds.
    return steps.reduce(withElement, newest);
  }

  #newest(): Item[] {
    return windowOf(this.#visible, (post) => !this.#signed.has(post));
  }

  #isStep(post: Item): boolean {
    return isStepPrefix(post.prefix) || this.#ending.has(post) || this.#signed.has(post);
  }
}

function openerOf({ root }: Item): string | undefined {
  return root === null ? undefined : (signerOfItem(root) ?? undefined);
}

function toStep(item: Item, post: Post): Step {
  const { id, prefix, parentId, rootId, createdAt } = post;
  const facts = readStepFacts(post);
  if (facts === null) throw new Error('the state and the line of a message differ in its prefix');
  const opener = openerOf(item);
  // The facts not first: a copy of an object to which V8 adds members takes three times the memory.
  return { id, prefix, parentId, rootId, createdAt, ...facts, ...(opener !== undefined && { opener }) };
}
