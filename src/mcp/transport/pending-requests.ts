import { isRequest, type Message } from '#mcp/protocol/json-rpc.ts';

export class PendingRequests {
  readonly #ids = new Set<unknown>();
  #resolve = (): void => undefined;

  add(message: Message): void {
    if (isRequest(message)) this.#ids.add(message.id);
    // A cancelled request gets no response.
    else if ('method' in message && message.method === 'notifications/cancelled')
      this.#remove(message.params?.['requestId']);
  }

  settle(message: Message): void {
    if ('id' in message) this.#remove(message.id);
  }

  /**
   * Waits until every request has its response. The timer keeps the process alive after its input has ended.
   */
  async drained(timeoutMs: number): Promise<void> {
    if (this.#ids.size === 0) return;
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs);
      this.#resolve = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }

  #remove(id: unknown): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#resolve();
  }
}
