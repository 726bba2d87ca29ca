/** What can be written to, and tells when it is able to take more. */
interface Sink {
  readonly writableNeedDrain: boolean;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/**
 * Writes notices. While the other side does not read, a notice that waits already is not kept a second time: so whoever
 * never reads costs as much memory as there are different notices, whatever happens.
 */
export class Outlet {
  readonly #sink: Sink;
  readonly #held = new Set<string>();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(notice: string): void {
    if (!this.#sink.writableNeedDrain) {
      this.#sink.write(notice);
      return;
    }
    if (this.#held.size === 0)
      this.#sink.once('drain', () => {
        this.#release();
      });
    this.#held.add(notice);
  }

  #release(): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const notice of held) this.write(notice);
  }
}
