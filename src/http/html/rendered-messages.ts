import { lateModule } from '#runtime/late-module.ts';
import { LRUCache } from 'lru-cache';
import type { FoldedMarkup } from './fold-markup.ts';

// Loading it at the start would make the start a tenth longer.
const loadRenderer = lateModule(() => import('./render-message.ts'));
const loadFolder = lateModule(() => import('./fold-markup.ts'));

const OVERHEAD_BYTES = 500;

export interface RenderedMessage {
  readonly markup: string;
  /** A long text in two parts; undefined if it is shown whole. */
  readonly folded: FoldedMarkup | undefined;
}

/**
 * Caches messages as HTML, by message id. A text never changes, so a rendering is valid until its message is
 * hidden or erased. It contains the ids of other records, marked for `linkRecords`.
 */
export class RenderedMessages {
  readonly #rendered = new LRUCache<string, RenderedMessage>({
    // In bytes.
    maxSize: 12_000_000,
    // V8 stores at most two bytes for a UTF-16 unit.
    sizeCalculation: ({ markup, folded }) =>
      OVERHEAD_BYTES + 2 * markup.length * (folded === undefined ? 1 : 2),
  });

  /** Ids of the most recently hidden or erased messages. A page in progress may still request one of them. */
  readonly #forgotten = new LRUCache<string, true>({ max: 1_000 });

  async render(id: string, text: string): Promise<RenderedMessage> {
    let rendered = this.#rendered.get(id);
    if (rendered === undefined) {
      const { renderMessage } = await loadRenderer();
      const { foldMarkup } = await loadFolder();
      const markup = renderMessage(text);
      rendered = { markup, folded: foldMarkup(markup) };
      if (!this.#forgotten.has(id)) this.#rendered.set(id, rendered);
    }
    return rendered;
  }

  /** Removes the text of a message, and does not cache it again. */
  forget(id: string): void {
    this.#forgotten.set(id, true);
    this.#rendered.delete(id);
  }
}
