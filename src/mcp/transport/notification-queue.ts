/** The part of `stream.Writable` that the queue uses. */
interface Output {
  readonly writableNeedDrain: boolean;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/**
 * Writes notifications. It coalesces duplicates while the output is full, so that a client that does not read
 * costs at most one copy of each different notification.
 */
export class NotificationQueue {
  readonly #output: Output;
  // Invariant: empty unless a `drain` listener is registered.
  readonly #queued = new Set<string>();

  constructor(output: Output) {
    this.#output = output;
  }

  write(notification: string): void {
    if (!this.#output.writableNeedDrain) {
      this.#output.write(notification);
      return;
    }
    if (this.#queued.size === 0)
      this.#output.once('drain', () => {
        this.#flush();
      });
    this.#queued.add(notification);
  }

  #flush(): void {
    const queued = [...this.#queued];
    this.#queued.clear();
    for (const notification of queued) this.write(notification);
  }
}
