import { startKeepAlive } from '#workspace/waiting/keep-alive.ts';
import type { Message, RpcRequest } from '#mcp/protocol/json-rpc.ts';
import { progressNotice, type Wait } from '#mcp/protocol/call.ts';

export interface OpenRequest {
  readonly id: RpcRequest['id'];
  /** Aborted when the client cancels a request that waits; undefined for one that does not. */
  readonly signal: AbortSignal | undefined;
  /** Whether the client has cancelled the request, which then gets no response. */
  readonly isCancelled: boolean;
}

interface Entry extends OpenRequest {
  readonly isOfSdk: boolean;
  isCancelled: boolean;
  readonly abort: AbortController | undefined;
  readonly wait: Wait | undefined;
  readonly stopProgress: () => void;
}

/**
 * The requests of one connection that have no response yet. A client may use an id again before that, so
 * requests that are answered here are compared by identity.
 */
export class OpenRequests {
  readonly #send: (notice: Message) => void;
  readonly #open = new Set<Entry>();
  /** The newest open request with each id. */
  readonly #byId = new Map<unknown, Entry>();
  #drained = (): void => undefined;

  constructor(send: (notice: Message) => void) {
    this.#send = send;
  }

  /**
   * Cancels an earlier request with the same id if that one waits, or if an SDK answers it: a client could
   * not distinguish its response from that of the new request.
   * @param wait undefined if the request is answered at once
   */
  open({ id }: RpcRequest, wait: Wait | undefined, isOfSdk: boolean): OpenRequest {
    const earlier = this.#byId.get(id);
    if (earlier !== undefined && (earlier.isOfSdk || earlier.wait !== undefined)) this.cancel(id);
    // Only for a wait: each takes some microseconds, a large part of a cached read.
    const abort = wait === undefined ? undefined : new AbortController();
    const stopProgress = wait === undefined ? () => undefined : this.#startProgress(wait);
    const signal = abort?.signal;
    const entry: Entry = { id, signal, isCancelled: false, abort, isOfSdk, wait, stopProgress };
    this.#open.add(entry);
    this.#byId.set(id, entry);
    return entry;
  }

  /** Ends the newest request with this id, which gets no response. */
  cancel(id: unknown): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#end(entry);
    entry.isCancelled = true;
    entry.abort?.abort();
  }

  /** Ends a request that is answered here and has its response. */
  end(request: OpenRequest): void {
    this.#end(request as Entry);
  }

  /** Ends the request of an SDK that has its response: an SDK knows its requests by id only. */
  endOfSdk(id: unknown): void {
    const entry = this.#byId.get(id);
    if (entry?.isOfSdk === true) this.#end(entry);
  }

  /** The timer keeps the process alive after its input has ended. */
  async drained(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs);
      this.#drained = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }

  #end(entry: Entry): void {
    entry.stopProgress();
    this.#open.delete(entry);
    if (this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id);
    if (this.#open.size === 0) this.#drained();
  }

  #startProgress(wait: Wait): () => void {
    return startKeepAlive((elapsed) => {
      const notice = progressNotice(wait, elapsed);
      if (notice !== undefined) this.#send(notice);
    });
  }
}
