import type { McpHandlers } from './handlers.ts';

type Listener = (uri: string) => void;

/**
 * Notifies the subscribers of each URI. All subscriptions share one watch of the store, and each changed URI
 * is looked up in a map, so the cost of a change does not grow with the number of subscriptions to other
 * URIs.
 */
export class ResourceWatcher {
  readonly #handlers: Pick<McpHandlers, 'watchResources'>;
  // Invariant: no set is empty, and the store is watched exactly while there is a set.
  readonly #listeners = new Map<string, Set<Listener>>();
  #unwatch: () => void = () => undefined;

  constructor(handlers: Pick<McpHandlers, 'watchResources'>) {
    this.#handlers = handlers;
  }

  /** @returns ends the subscription */
  subscribe(uris: ReadonlySet<string>, listener: Listener): () => void {
    if (this.#listeners.size === 0 && uris.size > 0) {
      this.#unwatch = this.#handlers.watchResources((uri) => {
        this.#notify(uri);
      });
    }
    for (const uri of uris) {
      const listeners = this.#listeners.get(uri);
      if (listeners === undefined) this.#listeners.set(uri, new Set([listener]));
      else listeners.add(listener);
    }
    return () => {
      this.#unsubscribe(uris, listener);
    };
  }

  #notify(uri: string): void {
    for (const listener of this.#listeners.get(uri) ?? []) listener(uri);
  }

  #unsubscribe(uris: ReadonlySet<string>, listener: Listener): void {
    for (const uri of uris) {
      const listeners = this.#listeners.get(uri);
      if (listeners?.delete(listener) === true && listeners.size === 0) this.#listeners.delete(uri);
    }
    if (this.#listeners.size === 0) this.#unwatch();
  }
}
