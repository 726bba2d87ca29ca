import { LRUCache } from 'lru-cache';
import type { Workspace } from '#workspace/workspace.ts';
import { CachedResult } from './cached-result.ts';
import { parseInput, runTool } from './call-tool.ts';
import type { AnyTool, Context } from './define-tool.ts';
import { chain, type MaybePromise } from './maybe-promise.ts';

/**
 * A seventh of it fits the largest page: 100 messages of 8,000 four-byte characters, as text, objects and HTTP
 * response, plain and compressed.
 */
const MAX_CACHE_BYTES = 84_000_000;

/** Larger entries are not cached, so that one result cannot evict all others. */
const MAX_ENTRY_SHARE = 1 / 7;

type Revision = Awaited<ReturnType<Workspace['revision']>>;

interface Content extends Pick<CachedResult, 'input' | 'output' | 'text'> {
  /** Milliseconds since 1970; Infinity if left out. */
  readonly expiresAt?: number;
}

/** How long a result is used while the revision stays the same. Both in milliseconds. */
interface Lifetime {
  /** Wall-clock time since 1970. */
  readonly now: number;
  readonly maxAge: number;
}

const UNLIMITED: Lifetime = { now: 0, maxAge: Infinity };

/**
 * An LRU cache of read results, shared by all callers and transports. All entries belong to one store
 * revision, which is read before each lookup; so a read sees every earlier change, by any process. A result that
 * depends on the clock also has a maximum age, and may expire before. The key of a tool call is the tool, its validated arguments and the text budget.
 */
export class ResultCache {
  readonly #currentRevision: Workspace['revision'];
  /** The key of each cached result, for `#resize`. */
  readonly #keys = new WeakMap<CachedResult, string>();
  /** When results were made, and when they expire. */
  readonly #times = new WeakMap<CachedResult, { readonly madeAt: number; readonly expiresAt: number }>();
  readonly #results: LRUCache<string, CachedResult>;
  /** Running reads by key: an equal read awaits the same promise. */
  readonly #pending = new Map<string, Promise<CachedResult>>();
  /** Invariant: every entry of `#results` and `#pending` was read at this revision. */
  #revision: Revision;

  /** @param maxBytes estimated memory of all keys, texts and forms */
  constructor(currentRevision: Workspace['revision'], maxBytes = MAX_CACHE_BYTES) {
    this.#currentRevision = currentRevision;
    this.#results = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes * MAX_ENTRY_SHARE),
      sizeCalculation: ({ size }, key) => size + 2 * key.length,
    });
  }

  /** Estimated memory of all entries in bytes. */
  get size(): number {
    return this.#results.calculatedSize;
  }

  /** Calls a read tool, or returns its cached result; synchronous if cached. @throws WorkspaceError only */
  run(tool: AnyTool, args: unknown, context: Context): MaybePromise<CachedResult> {
    const input = parseInput(tool, args);
    const key = `${tool.name} ${context.caller.textBudget ?? ''} ${JSON.stringify(input)}`;
    const { maxAgeMs } = tool;
    return this.read(
      key,
      async () => {
        let expiresAt = Infinity;
        const expireAt = (time: number): void => {
          expiresAt = Math.min(expiresAt, time);
        };
        const output = await runTool(tool, input, { ...context, expireAt });
        return { input, output, text: JSON.stringify(output), expiresAt };
      },
      maxAgeMs === undefined ? UNLIMITED : { now: context.workspace.now(), maxAge: maxAgeMs },
    );
  }

  /**
   * @param key identifies what `make` reads, the same for every spelling of a request
   * @param make runs on a miss, when the result is too old, and on every call while the revision is unknown
   */
  read(key: string, make: () => Promise<Content>, lifetime = UNLIMITED): MaybePromise<CachedResult> {
    return chain(this.#currentRevision(), (revision) => this.#readAt(revision, key, make, lifetime));
  }

  /**
   * Removes all entries. A running read is not cached. Called after an erase, whose text must leave the
   * memory.
   */
  clear(): void {
    this.#revision = undefined;
    this.#pending.clear();
    this.#results.clear();
  }

  #readAt(
    revision: Revision,
    key: string,
    make: () => Promise<Content>,
    lifetime: Lifetime,
  ): MaybePromise<CachedResult> {
    // Without a revision the lifetime of a result is unknown, so it is not cached.
    if (revision === undefined) return make().then((content) => new CachedResult(content));
    if (revision !== this.#revision) {
      this.clear();
      this.#revision = revision;
    }
    const cached = this.#results.get(key);
    if (cached !== undefined && this.#isFresh(cached, lifetime)) return cached;
    const pending = this.#pending.get(key);
    if (pending === undefined) return this.#make(revision, key, make, lifetime.now);
    // It began earlier, and may have expired since.
    return pending.then((result) =>
      this.#isFresh(result, lifetime) ? result : make().then((content) => new CachedResult(content)),
    );
  }

  /** A clock that was set back makes a result outdated too. */
  #isFresh(result: CachedResult, { now, maxAge }: Lifetime): boolean {
    if (maxAge === Infinity) return true;
    const { madeAt = NaN, expiresAt = 0 } = this.#times.get(result) ?? {};
    return now >= madeAt && now - madeAt < maxAge && now < expiresAt;
  }

  #make(
    revision: Revision,
    key: string,
    make: () => Promise<Content>,
    madeAt: number,
  ): Promise<CachedResult> {
    const pending = make()
      .then((content) => {
        const result = new CachedResult(content, this.#resize);
        this.#times.set(result, { madeAt, expiresAt: content.expiresAt ?? Infinity });
        // A result that became outdated or was cleared while running is returned, and not cached.
        if (this.#revision === revision && this.#pending.get(key) === pending) {
          this.#keys.set(result, key);
          this.#results.set(key, result);
        }
        return result;
      })
      .finally(() => {
        if (this.#pending.get(key) === pending) this.#pending.delete(key);
      });
    this.#pending.set(key, pending);
    return pending;
  }

  /**
   * Updates the size of a grown entry by adding it anew, since `lru-cache` does not ask for the size of a value that it
   * holds. It does not add an entry that exceeds `maxEntrySize`.
   */
  readonly #resize = (result: CachedResult): void => {
    const key = this.#keys.get(result);
    if (key === undefined || this.#results.peek(key) !== result) return;
    this.#results.delete(key);
    this.#results.set(key, result);
  };
}
