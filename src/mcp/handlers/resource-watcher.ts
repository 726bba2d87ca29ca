import type { McpHandlers } from './handlers.ts';

type Listener = (uri: string) => void;

interface Subscription {
  readonly uri: string;
  readonly listener: Listener;
}

/**
 * Notifies the subscribers of each URI, once for each change. All subscriptions share one watch of the store.
 * A change looks up its URIs in a map, so its cost does not grow with the number of subscriptions to other
 * URIs.
 */
export class ResourceWatcher {
  readonly #handlers: Pick<McpHandlers, 'watchResources'>;
  // By the URI of the resource and by the URI of its root. Invariant: no set is empty, and the store is
  // watched exactly while there is a set.
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  #unwatch: () => void = () => undefined;

  constructor(handlers: Pick<McpHandlers, 'watchResources'>) {
    this.#handlers = handlers;
  }

  /**
   * @param uris each URI with the URI of its root, from `McpHandlers.findRootUri`
   * @returns a function that ends the subscription
   */
  subscribe(uris: ReadonlyMap<string, string>, listener: Listener): () => void {
    if (this.#subscriptions.size === 0 && uris.size > 0) {
      this.#unwatch = this.#handlers.watchResources((changed) => {
        this.#notify(changed);
      });
    }
    const added: [key: string, subscription: Subscription][] = [];
    for (const [uri, rootUri] of uris) {
      const subscription = { uri, listener };
      for (const key of new Set([uri, rootUri])) added.push([key, subscription]);
    }
    for (const [key, subscription] of added) this.#add(key, subscription);
    return () => {
      for (const [key, subscription] of added) this.#remove(key, subscription);
      if (this.#subscriptions.size === 0) this.#unwatch();
    };
  }

  #notify(changed: readonly string[]): void {
    const notified = new Set(changed.flatMap((uri) => [...(this.#subscriptions.get(uri) ?? [])]));
    for (const { uri, listener } of notified) listener(uri);
  }

  #add(key: string, subscription: Subscription): void {
    const subscriptions = this.#subscriptions.get(key);
    if (subscriptions === undefined) this.#subscriptions.set(key, new Set([subscription]));
    else subscriptions.add(subscription);
  }

  #remove(key: string, subscription: Subscription): void {
    const subscriptions = this.#subscriptions.get(key);
    if (subscriptions?.delete(subscription) === true && subscriptions.size === 0)
      this.#subscriptions.delete(key);
  }
}
