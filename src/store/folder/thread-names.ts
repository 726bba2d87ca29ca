import { lookOf } from '#message/look.ts';
import type { NameOwner } from '#store/port/lookups.ts';
import { HOLD_PREFIX, type ModerationEntry, type Timestamp } from '#store/port/records.ts';
import { haveOneMark, isMintedItem, markOfItem, type Item } from './item.ts';
import { elementsAt, type Timed } from './time-order.ts';

/**
 * The most looks in memory, of all threads together. Beyond it all threads are forgotten, and each is read
 * again when it is needed.
 */
const MAX_KNOWN = 50_000;

/** The moderated posts of a state, in the order of time. */
interface Moderated {
  readonly hidden: readonly Item[];
  readonly moderations: readonly (ModerationEntry & Timed)[];
}

/** The first post of a look in its thread. */
interface First {
  readonly post: Item;
  isClaimed: boolean;
  /** Whether its mark was compared with those of the earlier posts of the thread. */
  isCompared: boolean;
}

interface KnownThread {
  readonly byLook: Map<string, First>;
  /** Those that are not claimed, by the lower half of their marks. */
  readonly unclaimed: Map<number, First[]>;
  /** The posts that reports hold. */
  readonly held: readonly Item[];
  /** When its last post was published. */
  last: Timestamp;
}

/**
 * Finds who owns the names of a thread. Names are compared by `lookOf`. The posts of a thread are read at the
 * first question, and again after a post was moderated, or imported before others.
 */
export class ThreadNames {
  readonly #threads = new Map<Item, KnownThread>();
  #size = 0;

  /** Answers a `NameOwnerLookup`. */
  ownerOf(state: Moderated, root: Item, look: string): NameOwner | undefined {
    const thread = this.#threadOf(state, root);
    const first = thread.byLook.get(look);
    if (first === undefined) return undefined;
    const { post } = first;
    if (!first.isCompared) {
      const hasItsMark = (one: Item): boolean => one !== post && haveOneMark(one, post);
      first.isClaimed ||= root.thread.some(hasItsMark) || thread.held.some(hasItsMark);
      first.isCompared = true;
    }
    const { id, createdAt, isHidden } = post;
    return { id, mark: markOfItem(post), createdAt, isClaimed: first.isClaimed, isVisible: !isHidden };
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
    for (const first of thread.unclaimed.get(post.markLow) ?? [])
      if (haveOneMark(first.post, post)) first.isClaimed = true;
    this.#addName(thread, post, lookOf);
  }

  /** Must be called when a post of the thread is moderated. */
  forget(root: Item): void {
    this.#size -= this.#threads.get(root)?.byLook.size ?? 0;
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
    const thread: KnownThread = { byLook: new Map(), unclaimed: new Map(), held, last: '' };
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
    const { name, createdAt, markHigh, markLow } = post;
    thread.last = createdAt;
    const look = name === null ? undefined : toLook(name);
    if (look === undefined || thread.byLook.has(look)) return;
    const isUnclaimed = isMintedItem(post);
    const first: First = {
      post,
      isClaimed: markHigh >= 0 && !isUnclaimed,
      isCompared: !isUnclaimed,
    };
    thread.byLook.set(look, first);
    this.#size += 1;
    if (isUnclaimed) thread.unclaimed.set(markLow, [...(thread.unclaimed.get(markLow) ?? []), first]);
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
