import { lookOf } from '#message/look.ts';
import type { NameOwner, NameOwnerLookup } from '#store/port/lookups.ts';
import { HOLD_PREFIX, type ModerationEntry, type Timestamp } from '#store/port/records.ts';
import { markOfItem, type Item } from './item.ts';
import { elementsAt, type Timed } from './time-order.ts';

/**
 * The most names with a key in memory, of all threads together. Beyond it all threads are forgotten, and each is read
 * again when it is needed.
 */
const MAX_KNOWN = 50_000;

/** The moderated posts of a state, in the order of time. */
interface Moderated {
  readonly hidden: readonly Item[];
  readonly moderations: readonly (ModerationEntry & Timed)[];
}

interface KnownThread {
  /** By look and mark, the first post that was sent with its key. */
  readonly byLook: Map<string, Map<string, Item>>;
  /** When its last post was published. */
  last: Timestamp;
}

/**
 * Finds which keys were sent under the names of a thread. Names are compared by `lookOf`. The posts of a thread are read at the
 * first question, and again after a post was moderated, or imported before others.
 */
export class ThreadNames {
  readonly #threads = new Map<Item, KnownThread>();
  #size = 0;

  /** Answers a `NameOwnerLookup`. */
  ownerOf(
    state: Moderated,
    root: Item,
    { look, marks }: Pick<NameOwnerLookup, 'look' | 'marks'>,
  ): NameOwner | undefined {
    const signed = this.#threadOf(state, root).byLook.get(look);
    let owner: NameOwner | undefined;
    for (const mark of signed === undefined ? [] : marks) {
      const post = signed?.get(mark);
      if (post === undefined || (owner !== undefined && owner.createdAt < post.createdAt)) continue;
      owner = { id: post.id, mark, createdAt: post.createdAt, isVisible: !post.isHidden };
    }
    return owner;
  }

  /** Must be called with each post that arrives. */
  add(post: Item): void {
    const { root, createdAt, isHidden } = post;
    const thread = root === null ? undefined : this.#threads.get(root);
    if (root === null || thread === undefined) return;
    if (isHidden || createdAt <= thread.last) {
      this.forget(root);
      return;
    }
    this.#addName(thread, post, lookOf);
  }

  /** Must be called when a post of the thread is moderated. */
  forget(root: Item): void {
    for (const signed of this.#threads.get(root)?.byLook.values() ?? []) this.#size -= signed.size;
    this.#threads.delete(root);
  }

  #threadOf(state: Moderated, root: Item): KnownThread {
    return this.#threads.get(root) ?? this.#readThread(state, root);
  }

  #readThread(state: Moderated, root: Item): KnownThread {
    if (this.#size > MAX_KNOWN) {
      this.#threads.clear();
      this.#size = 0;
    }
    const held = state.hidden.filter((post) => post.root === root && isHeld(state, post));
    const posts =
      held.length === 0
        ? root.thread
        : [...root.thread, ...held].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const thread: KnownThread = { byLook: new Map(), last: '' };
    const looks = new Map<string, string>();
    const lookOnce = (name: string): string => {
      const look = looks.get(name) ?? lookOf(name);
      looks.set(name, look);
      return look;
    };
    for (const post of posts) this.#addName(thread, post, lookOnce);
    this.#threads.set(root, thread);
    return thread;
  }

  #addName(thread: KnownThread, post: Item, toLook: (name: string) => string): void {
    const { name, createdAt } = post;
    thread.last = createdAt;
    const mark = markOfItem(post);
    if (name === null || mark === null) return;
    const look = toLook(name);
    const signed = thread.byLook.get(look) ?? new Map<string, Item>();
    thread.byLook.set(look, signed);
    if (signed.has(mark)) return;
    signed.set(mark, post);
    this.#size += 1;
  }
}

/** Whether reports, and not the operator, have hidden a post. */
export function isHeld(state: Moderated, { id, moderatedAt }: Item): boolean {
  if (moderatedAt === null) return false;
  const deciding = elementsAt(state.moderations, moderatedAt).findLast(
    (one) => one.id === id && one.action !== 'erase',
  );
  return deciding?.action === 'hide' && deciding.reason.startsWith(HOLD_PREFIX);
}
