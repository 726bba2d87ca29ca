import { isStepPrefix, MAX_STEPS, readStepFacts, type Step, type StepPrefix } from '#message/step.ts';
import { SortedList } from '#store/engine/sorted-list.ts';
import type { Post } from '#store/port/records.ts';
import { nextSlice } from '#runtime/slice.ts';
import type { TimeKey } from './columns/time-key.ts';
import type { RecordTable } from './record-table.ts';

/** Texts that are read without a pause: some milliseconds. */
const TEXTS_PER_SLICE = 100;

/**
 * The messages that the lists of work are made from. Nothing is read before the first call of `read`; then
 * each text is read once, and what the lists need of it stays in memory as long as it is one of the newest.
 */
export class StepList {
  readonly #table: RecordTable;
  readonly #readPosts: (posts: readonly number[]) => Post[];
  /** Visible messages with a prefix of `STEP_PREFIXES`, by number. */
  readonly #visible: SortedList<number, TimeKey>;
  /** By number. */
  readonly #steps = new Map<number, Step>();
  /** As of `read`, without `#added`; undefined if it must be made anew. */
  #list: readonly Step[] | undefined;
  /** Posts that became visible later than all of the list. */
  #added: number[] = [];

  /** @param readPosts may throw `TextUnavailable` */
  constructor(table: RecordTable, readPosts: (posts: readonly number[]) => Post[]) {
    this.#table = table;
    this.#readPosts = readPosts;
    this.#visible = new SortedList((post) => table.timeOf(post));
  }

  /** A post becomes visible (1) or hidden (-1). */
  update(post: number, sign: 1 | -1): void {
    if (!isStepPrefix(this.#table.prefixOf(post))) return;
    if (sign === 1) this.#visible.add(post);
    else {
      this.#visible.remove(post);
      this.#steps.delete(post);
    }
    const isNewest = sign === 1 && this.#visible.newest(1)[0] === post;
    if (isNewest && this.#added.length < TEXTS_PER_SLICE) this.#added.push(post);
    else this.#list = undefined;
  }

  /** @returns as `Reader.steps`. @throws TextUnavailable */
  async read(): Promise<readonly Step[]> {
    while (this.#list === undefined) {
      const posts = this.#visible.newest(MAX_STEPS).reverse();
      const missing = posts.filter((post) => !this.#steps.has(post)).slice(0, TEXTS_PER_SLICE);
      this.#readTexts(missing);
      if (missing.length === TEXTS_PER_SLICE) await nextSlice();
      else this.#setList(posts.flatMap((post) => this.#steps.get(post) ?? []));
    }
    if (this.#added.length > 0) {
      this.#readTexts(this.#added);
      const added = this.#added.flatMap((post) => this.#steps.get(post) ?? []);
      this.#setList([...this.#list, ...added].slice(-MAX_STEPS));
    }
    return this.#list;
  }

  #readTexts(posts: readonly number[]): void {
    for (const post of this.#readPosts(posts)) this.#steps.set(this.#table.ids.find(post.id), toStep(post));
  }

  #setList(list: readonly Step[]): void {
    this.#list = list;
    this.#added = [];
    this.#forgetOlder(list.length);
  }

  /** Removes what has left the newest messages, once that is as much as they are. */
  #forgetOlder(listed: number): void {
    if (this.#steps.size < 2 * MAX_STEPS || listed < MAX_STEPS) return;
    const kept = new Set(this.#visible.newest(MAX_STEPS));
    for (const post of this.#steps.keys()) if (!kept.has(post)) this.#steps.delete(post);
  }
}

function toStep(post: Post): Step {
  const { id, prefix, parentId, rootId, createdAt } = post;
  const facts = readStepFacts(post);
  if (facts === null) throw new Error('the index and the line of a message differ in its prefix');
  return { id, prefix: prefix as StepPrefix, parentId, rootId, createdAt, ...facts };
}
