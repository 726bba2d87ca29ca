import type { Caller } from '#workspace/service/caller.ts';
import type { McpTransport } from '#mcp/transport/transport.ts';
import type { Message, RpcRequest } from '#mcp/protocol/json-rpc.ts';

interface PendingRequest {
  readonly id: RpcRequest['id'];
  readonly caller: Caller;
  readonly resolve: (response: Message) => void;
}

/**
 * One transport for the requests of many callers, so that no request creates a server. It replaces the id of
 * each request by a unique number, since callers choose the same ids.
 */
export class MultiplexedTransport implements McpTransport {
  onmessage: McpTransport['onmessage'];
  onclose: McpTransport['onclose'];
  onerror: McpTransport['onerror'];
  readonly #pending = new Map<unknown, PendingRequest>();
  #lastId = 0;

  request(message: RpcRequest, caller: Caller): Promise<Message> {
    const number = ++this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(number, { id: message.id, caller, resolve });
      this.onmessage?.({ ...message, id: number });
    });
  }

  /** @param number of a request without a response */
  requireCaller(number: unknown): Caller {
    const request = this.#pending.get(number);
    if (request === undefined) throw new Error('the request has no caller');
    return request.caller;
  }

  async start(): Promise<void> {
    // Open from the start.
  }

  async send(message: Message): Promise<void> {
    if ('method' in message) return;
    const request = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    request?.resolve({ ...message, id: request.id });
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
