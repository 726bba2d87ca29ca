import { startKeepAlive } from '#workspace/waiting/keep-alive.ts';
import { progressNotice } from '#mcp/waiting/progress.ts';
import type { WaitingCall } from '#mcp/waiting/waiting-call.ts';
import type { Message } from '#mcp/protocol/json-rpc.ts';

interface WaitingRequest {
  readonly cancelled: AbortController;
  readonly stopProgress: () => void;
}

/** The requests of one connection that wait. While one does, notices of its progress are sent. */
export class WaitingRequests {
  readonly #send: (notice: Message) => void;
  readonly #requests = new Map<unknown, WaitingRequest>();

  constructor(send: (notice: Message) => void) {
    this.#send = send;
  }

  /** Notes a request that may wait. Ends the one that the message cancels, and the one whose id a request uses again. */
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

  /** @returns the signal that is aborted when the client cancels the request; undefined for a message that does not wait */
  signalOf(message: Message): AbortSignal | undefined {
    return 'method' in message && 'id' in message
      ? this.#requests.get(message.id)?.cancelled.signal
      : undefined;
  }

  /** The request with the id of this message has its response. */
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
