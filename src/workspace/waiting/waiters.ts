import { PostWatch, type WatchedStore, type Topic } from './post-watch.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

/** How many waiters are woken in one turn of the event loop. Other requests are served between turns. */
const WOKEN_PER_TURN = 10;

/** A waiting call. It registers before its first read, so it misses no post between the read and the wait. */
export interface Waiter {
  /**
   * Waits until something may have changed since the last call, or since the registration.
   * @returns false once the wait is over: it timed out, the client disconnected, the server is stopping, or
   *   too many calls wait
   */
  readonly woken: () => Promise<boolean>;
  readonly release: () => void;
}

interface Registered {
  readonly topics: readonly Topic[];
  /** Whether there was a change since the last read. */
  isWoken: boolean;
  isOver: boolean;
  /** Resolves the promise of `woken`. */
  resolve: (() => void) | undefined;
}

/** The waiting calls by topic, so that a change wakes only the calls that wait for its topics. */
export class Waiters {
  readonly #store: WatchedStore;
  /** In the order of registration. Invariant: the values of `#byTopic` are its members. */
  readonly #waiters = new Set<Registered>();
  /** Invariant: no set is empty. */
  readonly #byTopic = new Map<Topic, Set<Registered>>();
  #max = Infinity;
  /** Defined while a call waits. */
  #watch: PostWatch | undefined;
  #isStopped = false;
  #wakes = 0;

  constructor(store: WatchedStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#waiters.size;
  }

  get wakes(): number {
    return this.#wakes;
  }

  /** Sets the maximum number of waiters. Beyond it, the one that has waited longest is answered early. */
  limitTo(max: number): void {
    this.#max = max;
  }

  /** @param signal aborts when the client stops waiting */
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

  /** Ends every wait. Later waits end at once. */
  stop(): void {
    this.#isStopped = true;
    for (const waiter of this.#waiters) endWait(waiter);
  }

  #add(waiter: Registered): void {
    this.#watch ??= new PostWatch(
      this.#store,
      (topic) => this.#byTopic.has(topic),
      (topics) => {
        this.#wake(topics === undefined ? [...this.#waiters] : this.#waitingFor(topics));
      },
    );
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
    if (this.#waiters.size > 0) return;
    this.#watch?.end();
    this.#watch = undefined;
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

const RETRY_SECONDS = 60;

/** Limits how many waits for messages and streams of notifications one network has at once. */
export class WaitLimit {
  readonly #max: number;
  /** Invariant: no number is 0. */
  readonly #waiting = new Map<string, number>();

  /** @param max 0: no limit */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Reserves a place for one wait.
   * @returns a function that releases the place; further calls have no effect
   * @throws WorkspaceError rate_limited
   */
  acquire({ clientKey }: Caller): () => void {
    if (this.#max > 0 && (this.#waiting.get(clientKey) ?? 0) >= this.#max) {
      throw new WorkspaceError(
        'rate_limited',
        `Your network already has ${this.#max} waiting calls and streams; end one, or combine several ` +
          'posts or resources in one.',
        { limit: 'waitsPerNetwork', retryAfterSeconds: RETRY_SECONDS },
      );
    }
    this.#add(clientKey, 1);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#add(clientKey, -1);
      isReleased = true;
    };
  }

  #add(clientKey: string, count: number): void {
    const waiting = (this.#waiting.get(clientKey) ?? 0) + count;
    if (waiting > 0) this.#waiting.set(clientKey, waiting);
    else this.#waiting.delete(clientKey);
  }
}
