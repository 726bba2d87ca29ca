import type { McpHandlers } from './handlers.ts';
import type { Params } from '#mcp/protocol/call.ts';
import { isRequest, type Message, ProtocolError, RPC, type RpcRequest } from '#mcp/protocol/json-rpc.ts';
import { MAX_URI_CHARACTERS } from '#mcp/methods/resources.ts';
import { LISTEN } from '#mcp/protocol/revisions.ts';

/** In one `subscriptions/listen`, or on one stdio connection of a revision with `initialize`. */
const MAX_SUBSCRIBED_URIS = 100;

export const NOT_VISIBLE =
  'There is no visible record with this id to subscribe to; take ids from the feed or from the list of ' +
  'projects.';

const PATH = 'notifications.resourceSubscriptions';

export const isListen = (message: Message): message is RpcRequest =>
  isRequest(message) && message.method === LISTEN;

/**
 * The URIs in a `subscriptions/listen`.
 * @returns none if the list does not consist of strings, which the SDK refuses
 * @throws ProtocolError invalidParams if there are too many or one is unknown
 */
function subscribedUris(params: Params | undefined, handlers: McpHandlers): ReadonlySet<string> {
  const notifications = params?.['notifications'] as Params | null | undefined;
  const uris = notifications?.['resourceSubscriptions'];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return new Set();
  checkSubscriptionCount(uris.length, PATH);
  // The length is limited because a subscription keeps its URIs in memory.
  const unknown = uris.findIndex((uri) => uri.length > MAX_URI_CHARACTERS || !handlers.hasResource(uri));
  if (unknown >= 0) {
    throw invalidSubscription(
      'A subscription names resources of this server; resources/list and resources/templates/list list them.',
      { path: `${PATH}.${unknown}`, message: 'must be the URI of a resource' },
    );
  }
  return new Set(uris);
}

/**
 * Reads a `subscriptions/listen`.
 * @returns its URIs, each with the URI of its root, or the error response if it names too many resources,
 *   unknown ones, or records that are not visible
 */
export async function readSubscription(
  { id, params }: RpcRequest,
  handlers: McpHandlers,
): Promise<{ uris: ReadonlyMap<string, string> } | { error: Message }> {
  try {
    const uris = new Map<string, string>();
    // Sequential, because a hundred parallel reads would block other callers of the database.
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

/**
 * @param path of the parameter, for the error
 * @throws ProtocolError invalidParams
 */
export function checkSubscriptionCount(count: number, path: string): void {
  if (count <= MAX_SUBSCRIBED_URIS) return;
  throw invalidSubscription(
    `A subscription names at most ${MAX_SUBSCRIBED_URIS} resources; porchlight://feed notifies of every ` +
      'post.',
    { path, message: `must be at most ${MAX_SUBSCRIBED_URIS} URIs` },
  );
}

function invalidSubscription(detail: string, error: { path: string; message: string }): ProtocolError {
  return new ProtocolError(RPC.invalidParams, detail, { code: 'invalid_request', detail, errors: [error] });
}
