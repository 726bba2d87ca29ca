import type { McpHandlers } from './handlers.ts';
import { visitInSlices } from '#runtime/slice.ts';

/** A subscription is notified at most once in this time. */
const REST_MS = 1_000;

type Listener = (uri: string) => void;

interface Subscription {
  readonly uri: string;
  readonly listener: Listener;
  /** `changed` is resting with a change that it has not been notified of. */
  state: 'idle' | 'due' | 'resting' | 'changed' | 'ended';
}

/**
 * Notifies the subscribers of each URI of its changes: of the first at once, of all that follow within a
 * second together. Between slices of subscribers the event loop does other work. All subscriptions share one
 * watch of the store. A change looks up its URIs in a map, so its cost does not grow with the number of
 * subscriptions to other URIs.
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
      const subscription: Subscription = { uri, listener, state: 'idle' };
      for (const key of new Set([uri, rootUri])) added.push([key, subscription]);
    }
    for (const [key, subscription] of added) this.#add(key, subscription);
    return () => {
      for (const [key, subscription] of added) {
        subscription.state = 'ended';
        this.#remove(key, subscription);
      }
      if (this.#subscriptions.size === 0) this.#unwatch();
    };
  }

  #notify(changed: readonly string[]): void {
    const due: Subscription[] = [];
    for (const subscription of changed.flatMap((uri) => [...(this.#subscriptions.get(uri) ?? [])])) {
      if (subscription.state === 'resting') subscription.state = 'changed';
      if (subscription.state !== 'idle') continue;
      subscription.state = 'due';
      due.push(subscription);
    }
    void this.#send(due);
  }

  async #send(due: readonly Subscription[]): Promise<void> {
    if (due.length === 0) return;
    await visitInSlices(due, (subscription) => {
      if (subscription.state === 'ended') return;
      subscription.state = 'resting';
      subscription.listener(subscription.uri);
    });
    setTimeout(() => {
      const changed = due.filter(({ state }) => state === 'changed');
      for (const subscription of due)
        if (subscription.state === 'resting') subscription.state = 'idle';
        else if (subscription.state === 'changed') subscription.state = 'due';
      void this.#send(changed);
    }, REST_MS).unref();
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
