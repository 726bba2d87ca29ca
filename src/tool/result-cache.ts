import { LRUCache } from 'lru-cache';
import type { Workspace } from '#workspace/workspace.ts';
import { CachedResult } from './cached-result.ts';
import { parseInput, runTool } from './call-tool.ts';
import type { AnyTool, Context } from './define-tool.ts';
import { chain, type MaybePromise } from './maybe-promise.ts';

/** A tenth holds the largest page: 100 messages of 8,000 characters of four bytes, as text, objects and response. */
const MAX_CACHE_BYTES = 84_000_000;

/** One result never takes the place of all others. */
const MAX_ENTRY_SHARE = 0.1;

type Revision = Awaited<ReturnType<Workspace['revision']>>;
type Content = Pick<CachedResult, 'input' | 'output' | 'text'>;

/**
 * The results of reads, shared by every caller of every surface until something changes. A change is seen by the very
 * next read, also one that another process made. Keys are canonical: a tool and its validated arguments.
 */
export class ResultCache {
  readonly #currentRevision: Workspace['revision'];
  readonly #keys = new WeakMap<CachedResult, string>();
  readonly #results: LRUCache<string, CachedResult>;
  /** Reads under way, which equal reads share. */
  readonly #pending = new Map<string, Promise<CachedResult>>();
  /** Invariant: every entry of `#results` and `#pending` was read at this revision. */
  #revision: Revision;

  /** @param maxBytes bounds keys, texts and forms together */
  constructor(currentRevision: Workspace['revision'], maxBytes = MAX_CACHE_BYTES) {
    this.#currentRevision = currentRevision;
    this.#results = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes * MAX_ENTRY_SHARE,
      sizeCalculation: ({ size }, key) => size + 2 * key.length,
    });
  }

  /** Bytes held, by the same estimate that the bound uses. */
  get size(): number {
    return this.#results.calculatedSize;
  }

  /** Runs a read tool, or returns its result of the current revision. @throws WorkspaceError and nothing else */
  run(tool: AnyTool, args: unknown, context: Context): MaybePromise<CachedResult> {
    const input = parseInput(tool, args);
    const key = `${tool.name} ${context.caller.textBudget ?? ''} ${JSON.stringify(input)}`;
    return this.read(key, async () => {
      const output = await runTool(tool, input, context);
      return { input, output, text: JSON.stringify(output) };
    });
  }

  /** @param key names what `make` reads, whatever the spelling of the request */
  read(key: string, make: () => Promise<Content>): MaybePromise<CachedResult> {
    return chain(this.#currentRevision(), (revision) => this.#readAt(revision, key, make));
  }

  /** Drops everything, so that an erased text is in no entry. */
  clear(): void {
    this.#revision = undefined;
    this.#pending.clear();
    this.#results.clear();
  }

  #readAt(revision: Revision, key: string, make: () => Promise<Content>): MaybePromise<CachedResult> {
    // Unknown for the moment: nothing says how long the result holds.
    if (revision === undefined) return make().then((content) => new CachedResult(content));
    if (revision !== this.#revision) {
      this.clear();
      this.#revision = revision;
    }
    return this.#results.get(key) ?? this.#pending.get(key) ?? this.#make(revision, key, make);
  }

  #make(revision: Revision, key: string, make: () => Promise<Content>): Promise<CachedResult> {
    const making = make()
      .then((content) => {
        const result = new CachedResult(content, this.#resize);
        if (this.#revision === revision && this.#pending.get(key) === making) {
          this.#keys.set(result, key);
          this.#results.set(key, result);
        }
        return result;
      })
      .finally(() => {
        if (this.#pending.get(key) === making) this.#pending.delete(key);
      });
    this.#pending.set(key, making);
    return making;
  }

  /** Charges what a result has grown by; an entry over its share is dropped by the LRU cache itself. */
  readonly #resize = (result: CachedResult): void => {
    const key = this.#keys.get(result);
    if (key !== undefined && this.#results.peek(key) === result) this.#results.set(key, result);
  };
}
