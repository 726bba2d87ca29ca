import { startKeepAlive } from '#workspace/waiting/keep-alive.ts';
import { isRequest, type Message } from '#mcp/protocol/json-rpc.ts';
import { progressNotice, type WaitingCall } from '#mcp/protocol/waiting-call.ts';

/** The part of a request that may wait. */
interface Wait {
  readonly cancelled: AbortController;
  readonly stopProgress: () => void;
}

/**
 * The requests of one connection that have no response yet. Progress notifications are sent for each that
 * waits.
 */
export class OpenRequests {
  readonly #send: (notice: Message) => void;
  /** By id; undefined for a request that does not wait. */
  readonly #requests = new Map<unknown, Wait | undefined>();
  #drained = (): void => undefined;

  constructor(send: (notice: Message) => void) {
    this.#send = send;
  }

  /**
   * Registers a request. Ends the request that the message cancels, which gets no response, and one whose id
   * a request reuses.
   * @param call undefined for a message that does not wait
   * @returns the signal that is aborted when the client cancels the call
   */
  receive(message: Message, call: WaitingCall | undefined): AbortSignal | undefined {
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#cancel(message.params?.['requestId']);
    if (!isRequest(message)) return undefined;
    this.#cancel(message.id);
    const wait = call && { cancelled: new AbortController(), stopProgress: this.#startProgress(call) };
    this.#requests.set(message.id, wait);
    return wait?.cancelled.signal;
  }

  /** Ends the request with this id, which has its response. */
  settle(id: unknown): void {
    this.#requests.get(id)?.stopProgress();
    this.#requests.delete(id);
    if (this.#requests.size === 0) this.#drained();
  }

  /**
   * Waits until every request has its response. The timer keeps the process alive after its input has ended.
   */
  async drained(timeoutMs: number): Promise<void> {
    if (this.#requests.size === 0) return;
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs);
      this.#drained = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }

  #cancel(id: unknown): void {
    const wait = this.#requests.get(id);
    this.settle(id);
    wait?.cancelled.abort();
  }

  #startProgress(call: WaitingCall): () => void {
    return startKeepAlive((elapsed) => {
      const notice = progressNotice(call, elapsed);
      if (notice !== undefined) this.#send(notice);
    });
  }
}
