import type { Caller } from '#workspace/caller.ts';
import type { Channel } from '#mcp/transport/transport.ts';
import type { Message, Request } from '#mcp/transport/json-rpc.ts';

interface Asked {
  readonly id: Request['id'];
  readonly caller: Caller;
  readonly resolve: (answer: Message) => void;
}

/**
 * One channel for the requests of many callers, so that nobody waits for a server to be made. On it each request has a
 * number of its own, since callers choose the same ids.
 */
export class Exchange implements Channel {
  onmessage: Channel['onmessage'];
  onclose: Channel['onclose'];
  onerror: Channel['onerror'];
  readonly #asked = new Map<unknown, Asked>();
  #last = 0;

  ask(message: Request, caller: Caller): Promise<Message> {
    const number = ++this.#last;
    return new Promise((resolve) => {
      this.#asked.set(number, { id: message.id, caller, resolve });
      this.onmessage?.({ ...message, id: number } as never);
    });
  }

  /** @param number of a request that is not answered yet */
  callerOf(number: unknown): Caller {
    const asked = this.#asked.get(number);
    if (asked === undefined) throw new Error('a request came without its caller');
    return asked.caller;
  }

  async start(): Promise<void> {
    // Open from the first.
  }

  async send(message: Message): Promise<void> {
    if ('method' in message) return;
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    asked?.resolve({ ...message, id: asked.id });
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
