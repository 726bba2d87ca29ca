import type { McpHandlers } from './handlers.ts';
import type { Params } from './methods.ts';
import { ProtocolError, RPC } from './errors.ts';

/** Of one `subscriptions/listen`, or of one stdio connection of the revisions that open with `initialize`. */
export const MAX_SUBSCRIBED_URIS = 100;

/** No resource of this server has a longer URI; a longer one would be held in memory as long as the stream. */
const MAX_URI_CHARACTERS = 200;

const PATH = 'notifications.resourceSubscriptions';

/**
 * The URIs that a `subscriptions/listen` names. A list that is not one of strings counts as empty, since the SDK refuses it.
 * @throws ProtocolError invalid params
 */
export function subscribedUris(params: Params | undefined, catalogue: McpHandlers): ReadonlySet<string> {
  const notifications = params?.['notifications'] as Params | null | undefined;
  const uris = notifications?.['resourceSubscriptions'];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return new Set();
  checkSubscriptionCount(uris.length, PATH);
  const unknown = uris.findIndex((uri) => uri.length > MAX_URI_CHARACTERS || !catalogue.hasResource(uri));
  if (unknown >= 0) {
    throw invalidSubscription(
      'A subscription names resources of this server; resources/list and resources/templates/list name them all.',
      { path: `${PATH}.${unknown}`, message: 'must be the URI of a resource' },
    );
  }
  return new Set(uris);
}

/**
 * @param path names the argument in the error
 * @throws ProtocolError invalid params
 */
export function checkSubscriptionCount(count: number, path: string): void {
  if (count <= MAX_SUBSCRIBED_URIS) return;
  throw invalidSubscription(
    `A subscription names at most ${MAX_SUBSCRIBED_URIS} resources; subscribe to porchlight://feed to hear of every post.`,
    { path, message: `must be at most ${MAX_SUBSCRIBED_URIS} URIs` },
  );
}

function invalidSubscription(detail: string, error: { path: string; message: string }): ProtocolError {
  return new ProtocolError(RPC.invalidParams, detail, { code: 'invalid_request', detail, errors: [error] });
}
