import type { IncomingHttpHeaders } from 'node:http';
import type { RpcRequest } from './json-rpc.ts';

type MethodCall = Pick<RpcRequest, 'method' | 'params'>;

/** The first revision without a handshake. Every request names its revision in `_meta` (SEP-2575). */
export const STATELESS_VERSION = '2026-07-28';

/** The revisions with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The revisions that the SDKs serve. Listed here, because an SDK is loaded only when it is needed. */
export const PROTOCOL_VERSIONS = [STATELESS_VERSION, ...HANDSHAKE_VERSIONS];

/** The method of STATELESS_VERSION whose response is a stream of notifications (SEP-2575). */
export const LISTEN = 'subscriptions/listen';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** @returns the id of the `subscriptions/listen` that a notification acknowledges; undefined for any other */
export function acknowledgedId({ method, params }: MethodCall): unknown {
  const meta = params?._meta;
  return method === ACKNOWLEDGED ? meta?.['io.modelcontextprotocol/subscriptionId'] : undefined;
}

/** The cache hint of results that change only with a new version of the program. */
export const STATIC_HINT = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
const LIVE_HINT = { ttlMs: 1_000, cacheScope: 'public' } as const;

/** How long a client may reuse a result of 2026-07-28 (SEP-2549), by method. `ttlMs` is in milliseconds. */
export const CACHE_HINTS: Readonly<Record<string, typeof STATIC_HINT | typeof LIVE_HINT>> = {
  'tools/list': STATIC_HINT,
  'prompts/list': STATIC_HINT,
  'resources/list': STATIC_HINT,
  'resources/templates/list': STATIC_HINT,
  'resources/read': LIVE_HINT,
};

/** The parameter that the header Mcp-Name repeats (SEP-2243), by method. */
const NAMED_PARAMETER: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Whether the standard headers (SEP-2243) repeat the body character by character. An SDK decodes others. */
export function headersMatchBody(headers: IncomingHttpHeaders, { method, params }: MethodCall): boolean {
  const parameter = NAMED_PARAMETER.get(method);
  const name = parameter === undefined ? undefined : params?.[parameter];
  return (
    headers['mcp-protocol-version'] === STATELESS_VERSION &&
    headers['mcp-method'] === method &&
    headers['mcp-name'] === name &&
    !String(name).startsWith('=')
  );
}
