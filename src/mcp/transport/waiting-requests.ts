import { startKeepAlive } from '#workspace/waiting/keep-alive.ts';
import { progressNotice } from '#mcp/waiting/progress.ts';
import type { WaitingCall } from '#mcp/waiting/waiting-call.ts';
import type { Message } from '#mcp/protocol/json-rpc.ts';

interface WaitingRequest {
  readonly cancelled: AbortController;
  readonly stopProgress: () => void;
}

/** The waiting requests of one connection. Progress notifications are sent for each while it waits. */
export class WaitingRequests {
  readonly #send: (notice: Message) => void;
  readonly #requests = new Map<unknown, WaitingRequest>();

  constructor(send: (notice: Message) => void) {
    this.#send = send;
  }

  /**
   * Registers a request that may wait. Ends the request that the message cancels, and one whose id a request
   * reuses.
   */
  receive(message: Message, call: WaitingCall | undefined): void {
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled') this.#end(message.params?.['requestId']);
    if (!('id' in message)) return;
    this.#end(message.id);
    if (call === undefined) return;
    const stopProgress = startKeepAlive((elapsed) => {
      const notice = progressNotice(call, elapsed);
      if (notice !== undefined) this.#send(notice);
    });
    this.#requests.set(message.id, { cancelled: new AbortController(), stopProgress });
  }

  /**
   * Finds the signal that is aborted when the client cancels a request.
   * @returns undefined for a message that does not wait
   */
  findSignal(message: Message): AbortSignal | undefined {
    return 'method' in message && 'id' in message
      ? this.#requests.get(message.id)?.cancelled.signal
      : undefined;
  }

  /** Ends the request with the id of this message, which is its response. */
  settle(message: Message): void {
    if ('id' in message) this.#end(message.id);
  }

  #end(id: unknown): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    request?.stopProgress();
    request?.cancelled.abort();
  }
}
