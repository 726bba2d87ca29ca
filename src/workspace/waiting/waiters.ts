import type { Change, Revision, Store } from '#store/store.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';

/** Changes of so many milliseconds wake a waiter once. */
const COALESCE_MS = 10;

/** Waiters that are woken in one turn of the event loop, so that other requests are served between. */
const WOKEN_PER_TURN = 10;

/** How often the revision is compared while somebody waits, in case a notification of the store was lost. */
const NET_MS = 10_000;

/** Of more new posts at once the prefixes are not looked up. */
const MAX_LOOKUPS = 50;

/** What wakes a waiter: every new post, the new posts with a prefix, or those that refer to a post with an id. */
export type Topic = 'feed' | `prefix ${string}` | `post_${string}`;

const PREFIX_TOPICS = [...PREFIXES, 'none'].map((prefix): Topic => `prefix ${prefix}`);

/** A call that waits. Registered before it looks, so that no post between a look and the wait is missed. */
export interface Waiter {
  /**
   * Waits until something may have changed since the last call, or since the registration.
   * @returns false once the wait is over: its time is up, the client is gone, or the server stops or needs the place
   */
  readonly woken: () => Promise<boolean>;
  /** Must be called when the call has its answer. */
  readonly release: () => void;
}

interface Registered {
  readonly topics: readonly Topic[];
  /** Whether something changed that no look has seen. */
  isWoken: boolean;
  isOver: boolean;
  /** Settles the promise of `woken`. */
  resolve: (() => void) | undefined;
}

/** The part of a store that waiters use. */
interface WatchedStore extends Pick<Store, 'watch' | 'revision'> {
  readonly read: Pick<Store['read'], 'find'>;
}

/** The calls that wait for a change, by what can wake them, so that a change costs nothing to all others. */
export class Waiters {
  readonly #store: WatchedStore;
  /** In the order of registration. Invariant: the values of `#byTopic` are its members. */
  readonly #waiters = new Set<Registered>();
  /** Invariant: no set is empty. */
  readonly #byTopic = new Map<Topic, Set<Registered>>();
  #max = Infinity;
  #unwatch: (() => void) | undefined;
  #net: NodeJS.Timeout | undefined;
  /** When it was last read. */
  #revision: Revision;
  #flushing: NodeJS.Timeout | undefined;
  #changes: Change[] = [];
  #isStopped = false;
  #wakes = 0;

  constructor(store: WatchedStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** How often a waiter was woken. */
  get wakes(): number {
    return this.#wakes;
  }

  /** @param max most waiters at once; above it the one that waits longest is answered early */
  limitTo(max: number): void {
    this.#max = max;
  }

  /** @param signal aborted when nobody waits for the answer any more */
  register(topics: readonly Topic[], timeoutMs: number, signal: AbortSignal): Waiter {
    const waiter: Registered = {
      topics,
      isWoken: false,
      isOver: this.#isStopped || signal.aborted,
      resolve: undefined,
    };
    const end = (): void => {
      endWait(waiter);
    };
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    this.#add(waiter);
    return {
      woken: async () => {
        if (!waiter.isOver && !waiter.isWoken) {
          await new Promise<void>((resolve) => {
            waiter.resolve = resolve;
          });
        }
        waiter.isWoken = false;
        return !waiter.isOver;
      },
      release: () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#remove(waiter);
      },
    };
  }

  /** Ends every wait, and all later ones at once. */
  stop(): void {
    this.#isStopped = true;
    for (const waiter of this.#waiters) endWait(waiter);
  }

  #add(waiter: Registered): void {
    if (this.#waiters.size === 0) this.#watch();
    this.#waiters.add(waiter);
    for (const topic of waiter.topics) {
      const waiters = this.#byTopic.get(topic);
      if (waiters === undefined) this.#byTopic.set(topic, new Set([waiter]));
      else waiters.add(waiter);
    }
    for (const longest of this.#waiters) {
      if (this.#waiters.size <= this.#max) break;
      this.#remove(longest);
      endWait(longest);
    }
  }

  #remove(waiter: Registered): void {
    if (!this.#waiters.delete(waiter)) return;
    for (const topic of waiter.topics) {
      const waiters = this.#byTopic.get(topic);
      if (waiters?.delete(waiter) === true && waiters.size === 0) this.#byTopic.delete(topic);
    }
    if (this.#waiters.size === 0) this.#unwatchAll();
  }

  #watch(): void {
    this.#unwatch = this.#store.watch((change) => {
      if (change.action !== 'add' || change.kind !== 'post') return;
      this.#changes.push(change);
      this.#flushing ??= setTimeout(() => {
        this.#flush();
      }, COALESCE_MS);
    });
    void this.#readRevision();
    this.#net = setInterval(() => void this.#compareRevision(), NET_MS);
  }

  async #compareRevision(): Promise<void> {
    const last = this.#revision;
    await this.#readRevision();
    if (this.#revision === undefined || this.#revision !== last) this.#wake([...this.#waiters]);
  }

  async #readRevision(): Promise<void> {
    this.#revision = await this.#store.revision();
  }

  #unwatchAll(): void {
    this.#unwatch?.();
    clearInterval(this.#net);
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    this.#changes = [];
  }

  #flush(): void {
    const changes = this.#changes;
    this.#changes = [];
    this.#flushing = undefined;
    const topics = new Set<Topic>(['feed', ...changes.flatMap(({ ancestors }) => ancestors as Topic[])]);
    this.#wake(this.#waitingFor([...topics]));
    void this.#wakeByPrefix(changes);
  }

  /** A change does not say the prefix of its post. */
  async #wakeByPrefix(changes: readonly Change[]): Promise<void> {
    const topics = PREFIX_TOPICS.filter((topic) => this.#byTopic.has(topic));
    if (topics.length === 0) return;
    const found =
      changes.length > MAX_LOOKUPS
        ? undefined
        : await Promise.all(changes.map(({ id }) => this.#store.read.find('post', id))).catch(
            () => undefined,
          );
    const prefixes = found && new Set(found.map((view) => `prefix ${view?.record.prefix ?? 'none'}`));
    const woken = topics.filter((topic) => prefixes?.has(topic) !== false);
    this.#wake(this.#waitingFor(woken));
  }

  #waitingFor(topics: readonly Topic[]): Registered[] {
    return [...new Set(topics.flatMap((topic) => [...(this.#byTopic.get(topic) ?? [])]))];
  }

  #wake(waiters: readonly Registered[]): void {
    for (const waiter of waiters.slice(0, WOKEN_PER_TURN)) {
      this.#wakes += 1;
      waiter.isWoken = true;
      settleWait(waiter);
    }
    const rest = waiters.slice(WOKEN_PER_TURN);
    if (rest.length > 0)
      setImmediate(() => {
        this.#wake(rest);
      });
  }
}

function endWait(waiter: Registered): void {
  waiter.isOver = true;
  settleWait(waiter);
}

function settleWait(waiter: Registered): void {
  waiter.resolve?.();
  waiter.resolve = undefined;
}
