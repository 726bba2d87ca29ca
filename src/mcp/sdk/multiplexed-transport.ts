import type { Caller } from '#workspace/caller.ts';
import type { McpTransport } from '#mcp/transport/transport.ts';
import type { Message, Request } from '#mcp/transport/json-rpc.ts';

interface PendingRequest {
  readonly id: Request['id'];
  readonly caller: Caller;
  readonly resolve: (answer: Message) => void;
}

/**
 * One channel for the requests of many callers, so that nobody waits for a server to be made. On it each request has a
 * number of its own, since callers choose the same ids.
 */
export class MultiplexedTransport implements McpTransport {
  onmessage: McpTransport['onmessage'];
  onclose: McpTransport['onclose'];
  onerror: McpTransport['onerror'];
  readonly #pending = new Map<unknown, PendingRequest>();
  #lastId = 0;

  request(message: Request, caller: Caller): Promise<Message> {
    const number = ++this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(number, { id: message.id, caller, resolve });
      this.onmessage?.({ ...message, id: number } as never);
    });
  }

  /** @param number of a request that is not answered yet */
  callerOf(number: unknown): Caller {
    const asked = this.#pending.get(number);
    if (asked === undefined) throw new Error('a request came without its caller');
    return asked.caller;
  }

  async start(): Promise<void> {
    // Open from the first.
  }

  async send(message: Message): Promise<void> {
    if ('method' in message) return;
    const asked = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    asked?.resolve({ ...message, id: asked.id });
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
