import { LRUCache } from 'lru-cache';

const MAX_BYTES = 12_000_000;

const OVERHEAD_BYTES = 500;

/** Ids of hidden or erased messages, the newest ones. A page in progress may still request one of them. */
const MAX_FORGOTTEN = 1_000;

/**
 * A cache of the texts of messages as HTML, by the id of the message. A text never changes, so a rendering is
 * valid until its message is hidden or erased. Of other records it contains the ids only, marked for
 * `linkRecords`.
 */
export class RenderedMessages {
  readonly #rendered = new LRUCache<string, string>({
    maxSize: MAX_BYTES,
    // V8 stores at most two bytes for a UTF-16 unit.
    sizeCalculation: (markup) => OVERHEAD_BYTES + 2 * markup.length,
  });

  readonly #forgotten = new LRUCache<string, true>({ max: MAX_FORGOTTEN });

  /** @returns the markup of a message, for `linkRecords` */
  async markup(id: string, text: string): Promise<string> {
    let markup = this.#rendered.get(id);
    if (markup === undefined) {
      // Loaded with the first message, because it would make a start a tenth longer.
      const { renderMessage } = await import('./render-message.ts');
      markup = renderMessage(text);
      if (!this.#forgotten.has(id)) this.#rendered.set(id, markup);
    }
    return markup;
  }

  /** Removes the text of a message, and does not cache it again. */
  forget(id: string): void {
    this.#forgotten.set(id, true);
    this.#rendered.delete(id);
  }
}
