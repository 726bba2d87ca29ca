/** What can be written to, and tells when it is able to take more. */
interface Output {
  readonly writableNeedDrain: boolean;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/**
 * Writes notices. While the other side does not read, a notice that waits already is not kept a second time: so whoever
 * never reads costs as much memory as there are different notices, whatever happens.
 */
export class NotificationQueue {
  readonly #output: Output;
  readonly #queued = new Set<string>();

  constructor(sink: Output) {
    this.#output = sink;
  }

  write(notice: string): void {
    if (!this.#output.writableNeedDrain) {
      this.#output.write(notice);
      return;
    }
    if (this.#queued.size === 0)
      this.#output.once('drain', () => {
        this.#flush();
      });
    this.#queued.add(notice);
  }

  #flush(): void {
    const held = [...this.#queued];
    this.#queued.clear();
    for (const notice of held) this.write(notice);
  }
}
