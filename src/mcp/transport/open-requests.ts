import { startKeepAlive } from '#workspace/waiting/keep-alive.ts';
import type { Message, RpcRequest } from '#mcp/protocol/json-rpc.ts';
import { progressNotice, type Wait } from '#mcp/protocol/call.ts';

export interface OpenRequest {
  readonly id: RpcRequest['id'];
  readonly isOfSdk: boolean;
  readonly wait: Wait | undefined;
  /** Aborts once the client cancels a request that waits; undefined for one that does not. */
  readonly abort: AbortController | undefined;
  readonly stopProgress: () => void;
  /** Whether the client has cancelled the request, which then gets no response. */
  isCancelled: boolean;
}

/**
 * The requests of one connection that have no response yet. A client may reuse an id before that, so requests
 * that need no SDK are compared by identity.
 */
export class OpenRequests {
  readonly #send: (notice: Message) => void;
  readonly #open = new Set<OpenRequest>();
  /** The newest open request with each id. */
  readonly #byId = new Map<unknown, OpenRequest>();
  #drained = (): void => undefined;

  constructor(send: (notice: Message) => void) {
    this.#send = send;
  }

  /**
   * Opens a request. Cancels an earlier one with the same id if it waits, or if an SDK responds to it,
   * because a client could not distinguish the two responses.
   * @param wait undefined if the request gets its response at once
   */
  open({ id }: RpcRequest, wait: Wait | undefined, isOfSdk: boolean): OpenRequest {
    const earlier = this.#byId.get(id);
    if (earlier !== undefined && (earlier.isOfSdk || earlier.wait !== undefined)) this.cancel(id);
    // Only for a wait. Creating one takes some microseconds, a large part of a cached read.
    const abort = wait && new AbortController();
    const sendProgress = (elapsed: number): void => {
      const notice = wait && progressNotice(wait, elapsed);
      if (notice !== undefined) this.#send(notice);
    };
    const stopProgress = wait === undefined ? () => undefined : startKeepAlive(sendProgress);
    const request: OpenRequest = { id, isOfSdk, wait, abort, stopProgress, isCancelled: false };
    this.#open.add(request);
    this.#byId.set(id, request);
    return request;
  }

  /** Ends the newest request with this id. It gets no response. */
  cancel(id: unknown): void {
    const request = this.#byId.get(id);
    if (request === undefined) return;
    this.end(request);
    request.isCancelled = true;
    request.abort?.abort();
  }

  /** Ends a request that has its response, and needed no SDK for it. */
  end(request: OpenRequest): void {
    request.stopProgress();
    this.#open.delete(request);
    if (this.#byId.get(request.id) === request) this.#byId.delete(request.id);
    if (this.#open.size === 0) this.#drained();
  }

  /** Ends a request of an SDK that has its response. An SDK knows its requests only by id. */
  endOfSdk(id: unknown): void {
    const request = this.#byId.get(id);
    if (request?.isOfSdk === true) this.end(request);
  }

  /** Settles when every request has ended. Its timer keeps the process alive after the input has ended. */
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
}
