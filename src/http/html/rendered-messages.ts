import { LRUCache } from 'lru-cache';
import type { Html } from './html.ts';
import { linkRecords, type AddressOf } from './link-records.ts';

/** Estimated memory of all renderings. */
const MAX_BYTES = 12_000_000;

/** Memory of an entry besides its text. */
const OVERHEAD_BYTES = 500;

/** Ids of messages that are no longer visible. A page that is being made may still ask for one of the newest. */
const MAX_FORGOTTEN = 1_000;

/**
 * The texts of messages as HTML, by the id of the message. A text never changes, so a rendering holds until its message is
 * hidden or erased. It names other records by their ids; each page puts in its own links.
 */
export class RenderedMessages {
  readonly #rendered = new LRUCache<string, string>({
    maxSize: MAX_BYTES,
    // V8 stores at most two bytes a UTF-16 unit.
    sizeCalculation: (markup) => OVERHEAD_BYTES + 2 * markup.length,
  });

  readonly #forgotten = new LRUCache<string, true>({ max: MAX_FORGOTTEN });

  /** @param id of the message @param text of the message @param addressOf of the page that shows it */
  async html(id: string, text: string, addressOf: AddressOf): Promise<Html> {
    let markup = this.#rendered.get(id);
    if (markup === undefined) {
      // Loaded by the first message that is shown: a start would take a tenth longer with it.
      const { renderMessage } = await import('./render-message.ts');
      markup = renderMessage(text);
      if (!this.#forgotten.has(id)) this.#rendered.set(id, markup);
    }
    return linkRecords(markup, addressOf);
  }

  /** Drops the text of a message, and holds it no more. */
  forget(id: string): void {
    this.#forgotten.set(id, true);
    this.#rendered.delete(id);
  }
}
