import { isStepPrefix, MAX_STEPS, readStepFacts, type Step, type StepPrefix } from '#message/step.ts';
import type { AnyRecord, Post } from '#store/port/records.ts';
import { nextSlice } from '#runtime/slice.ts';
import type { Item } from './item.ts';
import { page, withElement, withoutElement } from './time-order.ts';

/** Texts that are read without a pause: some milliseconds. */
const TEXTS_PER_SLICE = 100;

/**
 * The messages that the lists of work are made from. Nothing is read before the first call of `read`; then
 * each text is read once, and what the lists need of it stays in memory as long as it is one of the newest.
 */
export class StepList {
  /** Visible messages with a prefix of `STEP_PREFIXES`, in the order of time. */
  #visible: Item[] = [];
  readonly #steps = new Map<Item, Step>();
  /** As of `read`, without `#added`; undefined if it must be made anew. */
  #list: readonly Step[] | undefined;
  /** Posts that became visible later than all of the list. */
  #added: Item[] = [];

  /** A post becomes visible (1) or hidden (-1). */
  update(post: Item, sign: 1 | -1): void {
    if (!isStepPrefix(post.prefix)) return;
    if (sign === 1) this.#visible = withElement(this.#visible, post);
    else {
      this.#visible = withoutElement(this.#visible, post);
      this.#steps.delete(post);
    }
    const isNewest = sign === 1 && this.#visible.at(-1) === post;
    if (isNewest && this.#added.length < TEXTS_PER_SLICE) this.#added.push(post);
    else this.#list = undefined;
  }

  /**
   * @param readRecords may throw `TextUnavailable`
   * @returns as `Reader.steps`
   */
  async read(readRecords: (items: readonly Item[]) => AnyRecord[]): Promise<readonly Step[]> {
    const readTexts = (posts: readonly Item[]): void => {
      const records = readRecords(posts);
      for (const [index, post] of posts.entries()) this.#steps.set(post, toStep(records[index] as Post));
    };
    while (this.#list === undefined) {
      const posts = page(this.#visible, { order: 'newest', limit: MAX_STEPS }).reverse();
      const missing = posts.filter((post) => !this.#steps.has(post)).slice(0, TEXTS_PER_SLICE);
      readTexts(missing);
      if (missing.length === TEXTS_PER_SLICE) await nextSlice();
      else this.#setList(posts.flatMap((post) => this.#steps.get(post) ?? []));
    }
    if (this.#added.length > 0) {
      readTexts(this.#added);
      const added = this.#added.flatMap((post) => this.#steps.get(post) ?? []);
      this.#setList([...this.#list, ...added].slice(-MAX_STEPS));
    }
    return this.#list;
  }

  #setList(list: readonly Step[]): void {
    this.#list = list;
    this.#added = [];
    // What has left the newest messages is forgotten once that is as much as they are.
    if (this.#steps.size < 2 * MAX_STEPS || list.length < MAX_STEPS) return;
    const kept = new Set(this.#visible.slice(-MAX_STEPS));
    for (const post of this.#steps.keys()) if (!kept.has(post)) this.#steps.delete(post);
  }
}

function toStep(post: Post): Step {
  const { id, prefix, parentId, rootId, createdAt } = post;
  const facts = readStepFacts(post);
  if (facts === null) throw new Error('the state and the line of a message differ in its prefix');
  return { id, prefix: prefix as StepPrefix, parentId, rootId, createdAt, ...facts };
}
