import { LRUCache } from 'lru-cache';
import type { Revision } from '#store/port/store.ts';
import type { Caller, ExpireAt } from '#workspace/service/caller.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { CachedResult, type Content, type EncodedResult } from './cached-result.ts';
import { parseInput, runTool } from './call-tool.ts';
import { type AnyTool, type Context, isPrivateCall, sharedArguments } from './define-tool.ts';
import type { GatedRead, Pause, ReadGate } from './read-gate.ts';

export interface PreparedCall {
  readonly tool: AnyTool;
  readonly input: Input;
  readonly keyPrefix: string;
}

type Input = CachedResult['input'];

interface ReadRequest {
  readonly caller: Caller;
  /** The part of the cache key before the input. It is the same for every spelling of a request. */
  readonly keyPrefix: string;
  readonly input: Input;
  readonly make: (input: Input, pause: Pause, expireAt: ExpireAt) => Promise<Omit<Content, 'input'>>;
  /** Encodes the result as the caller needs it, as the last step. */
  readonly encode?: ((result: CachedResult) => EncodedResult) | undefined;
  /** In milliseconds; 0 for a result that is not cached. If absent, it is valid until the store changes. */
  readonly maxAgeMs?: number | undefined;
}

const CURSORS = ['before', 'after'] as const;

export interface ResultCacheOptions {
  readonly workspace: Pick<Workspace, 'recordCursor' | 'now'> & {
    readonly store: Pick<Workspace['store'], 'revision'>;
  };
  readonly gate: ReadGate;
  /** The maximum estimated memory of all keys, texts and encodings. */
  readonly maxBytes?: number;
}

/**
 * An LRU cache of read results, which all callers and transports with the same text budget share. Each lookup
 * first reads the revision of the store, so a read sees every earlier change by any process. The key of a
 * tool call consists of the tool, the text budget and the validated arguments: `list_projects Infinity
 * {"limit":20}`. Many cursors lead to one page, so the key has the time of the record where the page
 * begins. Private results are not cached.
 */
export class ResultCache {
  readonly gate: ReadGate;
  readonly #workspace: ResultCacheOptions['workspace'];
  /** The key of each cached result, for `#resize`. */
  readonly #keys = new WeakMap<CachedResult, string>();
  /** When each result was created and when it expires, in milliseconds since 1970. */
  readonly #times = new WeakMap<CachedResult, { readonly madeAt: number; readonly expiresAt: number }>();
  readonly #results: LRUCache<string, CachedResult>;
  /** Waiting and running reads, by key. An equal read joins the one in progress. */
  readonly #pending = new Map<string, GatedRead<CachedResult>>();
  /** Invariant: every entry of `#results` and `#pending` was read at this revision or a later one. */
  #revision: Revision;

  constructor({ workspace, gate, maxBytes = 72_000_000 }: ResultCacheOptions) {
    this.gate = gate;
    this.#workspace = workspace;
    this.#results = new LRUCache({
      maxSize: maxBytes,
      // One result cannot evict all others. The largest page fits: 100 messages of 8,000 four-byte
      // characters.
      maxEntrySize: Math.floor(maxBytes / 6),
      sizeCalculation: ({ size }, key) => size + 2 * key.length,
    });
  }

  /** The estimated memory in bytes. */
  get size(): number {
    return this.#results.calculatedSize;
  }

  /** @throws WorkspaceError only */
  run(tool: AnyTool, args: unknown, context: Context): Promise<CachedResult> {
    return this.runPrepared(this.prepare(tool, args, context.caller), context);
  }

  /** The outcome depends only on the arguments. @throws WorkspaceError invalid_request */
  prepare(tool: AnyTool, args: unknown, { textBudget = Infinity }: Pick<Caller, 'textBudget'>): PreparedCall {
    return { tool, input: parseInput(tool, args), keyPrefix: `${tool.name} ${textBudget}` };
  }

  /** @param encode as `ReadRequest.encode` */
  runPrepared(
    { tool, input, keyPrefix }: PreparedCall,
    context: Context,
    encode?: ReadRequest['encode'],
  ): Promise<CachedResult> {
    if (isPrivateCall(tool, input)) return this.#runPrivate(tool, input, context);
    return this.get({
      caller: context.caller,
      encode,
      keyPrefix,
      input,
      make: async (asked, pause, expireAt) => {
        const output = await runTool(tool, asked, { ...context, expireAt });
        await pause();
        return { output, text: JSON.stringify(output) };
      },
      maxAgeMs: tool.maxAgeMs,
    });
  }

  /** Reads the shared part through the cache, and the caller's part apart from it. Neither keeps the key. */
  async #runPrivate(tool: AnyTool, input: Input, context: Context): Promise<CachedResult> {
    const { caller } = context;
    const shared = this.prepare(tool, sharedArguments(tool, input), caller);
    const known = tool.private?.fields === undefined ? undefined : await this.runPrepared(shared, context);
    return this.gate.run(caller, async () => {
      const output = await runTool(tool, input, context, [], known?.output);
      return new CachedResult({ input: shared.input, output, text: JSON.stringify(output), isPrivate: true });
    }).result;
  }

  /**
   * @param request runs through the gate on a miss, and on every call while the revision is unknown
   * @throws WorkspaceError as `ReadGate.run`, and what `make` throws
   */
  async get(request: ReadRequest): Promise<CachedResult> {
    return this.#getAtRevision(await this.#workspace.store.revision(), request);
  }

  /** Called after an erase, because the text must leave memory. Results of running reads are not cached. */
  clear(): void {
    this.#revision = undefined;
    this.#pending.clear();
    this.#results.clear();
  }

  #getAtRevision(revision: Revision, request: ReadRequest): CachedResult | Promise<CachedResult> {
    // Without a revision no one knows how long a result is valid, so it is not cached.
    if (revision === undefined) return this.#makeUncached(request);
    if (revision !== this.#revision) {
      this.clear();
      this.#revision = revision;
    }
    const isKept = request.maxAgeMs !== 0;
    const hasCursor = isKept && CURSORS.some((name) => request.input[name] !== undefined);
    const known = this.#find(request);
    if (known !== undefined || !hasCursor) return known ?? this.#make(revision, request, isKept);
    return this.#getAtRecordCursor(revision, request);
  }

  /** Replaces cursors by those of the records at which the page begins, and looks up that page. */
  async #getAtRecordCursor(revision: Revision, request: ReadRequest): Promise<CachedResult> {
    const cursors = new Map<string, string | undefined>();
    for (const name of CURSORS) {
      const cursor = request.input[name];
      if (typeof cursor === 'string') cursors.set(name, await this.#workspace.recordCursor(name, cursor));
    }
    const isKept = ![...cursors.values()].includes(undefined);
    const input = isKept ? { ...request.input, ...Object.fromEntries(cursors) } : request.input;
    const page = { ...request, input };
    return this.#find(page) ?? this.#make(revision, page, isKept);
  }

  #find(request: ReadRequest): CachedResult | Promise<CachedResult> | undefined {
    const key = keyOf(request);
    const now = this.#workspace.now();
    const cached = this.#results.get(key);
    if (cached !== undefined && this.#isFresh(cached, request, now)) return cached;
    const pending = this.#pending.get(key);
    if (pending === undefined) return undefined;
    pending.join(request.caller);
    // The pending read began earlier, so its result may have expired.
    return pending.result.then((result) =>
      this.#isFresh(result, request, now) ? result : this.#makeUncached(request),
    );
  }

  #makeUncached({ caller, input, make, encode }: ReadRequest): Promise<CachedResult> {
    return this.gate.run(caller, async (pause) => {
      const result = new CachedResult({ input, ...(await make(input, pause, () => undefined)) });
      await pause();
      if (encode !== undefined) result.encodedAs(encode);
      return result;
    }).result;
  }

  #isFresh(result: CachedResult, { maxAgeMs = Infinity }: ReadRequest, now: number): boolean {
    const { madeAt = NaN, expiresAt = 0 } = this.#times.get(result) ?? {};
    if (maxAgeMs === Infinity && expiresAt === Infinity) return true;
    return isRecent(now - madeAt, maxAgeMs) && now < expiresAt;
  }

  #make(revision: Revision, request: ReadRequest, isKept: boolean): Promise<CachedResult> {
    const { caller, input, make, encode } = request;
    const key = keyOf(request);
    const madeAt = this.#workspace.now();
    let expiresAt = Infinity;
    const pending = this.gate.run(caller, async (pause) => {
      const content = await make(input, pause, (time) => {
        expiresAt = Math.min(expiresAt, time);
      });
      const result = new CachedResult({ input, ...content }, this.#resize);
      this.#times.set(result, { madeAt, expiresAt });
      await pause();
      if (encode !== undefined) result.encodedAs(encode);
      // A read that became outdated, or whose entry was cleared while it ran, is returned but not cached.
      if (isKept && this.#revision === revision && this.#pending.get(key) === pending) {
        this.#keys.set(result, key);
        this.#results.set(key, result);
      }
      return result;
    });
    this.#pending.set(key, pending);
    return pending.result.finally(() => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    });
  }

  /** `lru-cache` computes the size of a value only when it is added. */
  readonly #resize = (result: CachedResult): void => {
    const key = this.#keys.get(result);
    if (key === undefined || this.#results.peek(key) !== result) return;
    this.#results.delete(key);
    this.#results.set(key, result);
  };
}

function keyOf({ keyPrefix, input }: Pick<ReadRequest, 'keyPrefix' | 'input'>): string {
  return `${keyPrefix} ${JSON.stringify(input)}`;
}

/** A result from the future is outdated too, since the clock may have been set back. */
function isRecent(age: number, maxAge: number): boolean {
  return age >= 0 && age < maxAge;
}

/**
 * Caches one result for some time, even if the store changes, because it costs more than a read should.
 * @param now wall-clock time in milliseconds
 * @param make runs once at a time. A failure is not cached
 */
export function createTimedRead(now: () => number, maxAgeMs: number, make: () => Promise<Content>) {
  let cached: { readonly result: CachedResult; readonly madeAt: number } | undefined;
  let pending: Promise<CachedResult> | undefined;
  const run = async (): Promise<CachedResult> => {
    const madeAt = now();
    const result = new CachedResult(await make());
    cached = { result, madeAt };
    return result;
  };
  return async (): Promise<CachedResult> => {
    if (cached !== undefined && isRecent(now() - cached.madeAt, maxAgeMs)) return cached.result;
    pending ??= run().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
