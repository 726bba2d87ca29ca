import type { McpHandlers } from './mcp-handlers.ts';
import type { Params } from '#mcp/protocol/call.ts';
import { isRequest, type Message, ProtocolError, RPC, type RpcRequest } from '#mcp/protocol/json-rpc.ts';
import { LISTEN } from '#mcp/protocol/revisions.ts';
import { visitInSlices } from '#runtime/slice.ts';

/** The maximum number of URIs in one `subscriptions/listen`, or on one stdio connection with `initialize`. */
const MAX_SUBSCRIBED_URIS = 100;

export const NOT_VISIBLE =
  'There is no visible record with this id to subscribe to; take ids from the feed or from the list of ' +
  'projects.';

const PATH = 'notifications.resourceSubscriptions';

export const isListen = (message: Message): message is RpcRequest =>
  isRequest(message) && message.method === LISTEN;

/**
 * @returns an empty set unless the list contains only strings; the SDK refuses other messages
 * @throws ProtocolError invalidParams if there are too many URIs, or one is unknown
 */
function subscribedUris(params: Params | undefined, handlers: McpHandlers): ReadonlySet<string> {
  const notifications = params?.['notifications'] as Params | null | undefined;
  const uris = notifications?.['resourceSubscriptions'];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return new Set();
  checkSubscriptionCount(uris.length, PATH);
  const unknown = uris.findIndex((uri) => !handlers.hasResource(uri));
  if (unknown >= 0) {
    throw invalidSubscription(
      'A subscription must name resources of this server; resources/list and resources/templates/list list them.',
      { path: `${PATH}.${unknown}`, message: 'must be the URI of a resource' },
    );
  }
  return new Set(uris);
}

/** @returns each URI of a `subscriptions/listen` with the URI of its root, or the error response */
export async function readSubscription(
  { id, params }: RpcRequest,
  handlers: McpHandlers,
): Promise<{ uris: ReadonlyMap<string, string> } | { error: Message }> {
  try {
    const uris = new Map<string, string>();
    // One after the other, because a hundred parallel reads would block other callers of the database.
    for (const [index, uri] of [...subscribedUris(params, handlers)].entries()) {
      const rootUri = await handlers.findRootUri(uri);
      if (rootUri === undefined) {
        throw invalidSubscription(NOT_VISIBLE, {
          path: `${PATH}.${index}`,
          message: 'must name a visible record',
        });
      }
      uris.set(uri, rootUri);
    }
    return { uris };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    return { error: { jsonrpc: '2.0', id, error: { code, message, data } } };
  }
}

/** @param path of the parameter, for the error @throws ProtocolError invalidParams */
export function checkSubscriptionCount(count: number, path: string): void {
  if (count <= MAX_SUBSCRIBED_URIS) return;
  throw invalidSubscription(
    `A subscription may name at most ${MAX_SUBSCRIBED_URIS} resources; porchlight://feed notifies of ` +
      'every post.',
    { path, message: `must be at most ${MAX_SUBSCRIBED_URIS} URIs` },
  );
}

function invalidSubscription(detail: string, error: { path: string; message: string }): ProtocolError {
  return new ProtocolError(RPC.invalidParams, detail, { code: 'invalid_request', detail, errors: [error] });
}

/** The minimum time between two notifications of one subscription. */
const REST_MS = 1_000;

type Listener = (uri: string) => void;

interface Subscription {
  readonly uri: string;
  readonly listener: Listener;
  /** `changed` means resting, with a change that the listener has not been told of. */
  state: 'idle' | 'due' | 'resting' | 'changed' | 'ended';
}

/**
 * Notifies the subscribers of a URI at once of its first change, and then once for all changes of the
 * following second. Each change looks up its URIs in a map, so subscriptions to other URIs add no cost.
 * @returns a function that subscribes to a resource, and returns one that ends the subscription
 */
export function createResourceWatcher({ watchResources }: Pick<McpHandlers, 'watchResources'>) {
  // By the URIs of the resource and of its root. No set is empty. The store is watched while there is a set.
  const subscriptions = new Map<string, Set<Subscription>>();
  let unwatch = (): void => undefined;

  function notify(changed: readonly string[]): void {
    const due: Subscription[] = [];
    for (const subscription of changed.flatMap((uri) => [...(subscriptions.get(uri) ?? [])])) {
      if (subscription.state === 'resting') subscription.state = 'changed';
      if (subscription.state !== 'idle') continue;
      subscription.state = 'due';
      due.push(subscription);
    }
    void send(due);
  }

  async function send(due: readonly Subscription[]): Promise<void> {
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
      void send(changed);
    }, REST_MS).unref();
  }

  /** @param rootUri the result of `McpHandlers.findRootUri`, which changes whenever `uri` does */
  return (uri: string, rootUri: string, listener: Listener): (() => void) => {
    if (subscriptions.size === 0) unwatch = watchResources(notify);
    const subscription: Subscription = { uri, listener, state: 'idle' };
    const keys = new Set([uri, rootUri]);
    for (const key of keys) subscriptions.set(key, (subscriptions.get(key) ?? new Set()).add(subscription));
    return () => {
      subscription.state = 'ended';
      for (const key of keys) {
        const others = subscriptions.get(key);
        if (others?.delete(subscription) === true && others.size === 0) subscriptions.delete(key);
      }
      if (subscriptions.size === 0) unwatch();
    };
  };
}
