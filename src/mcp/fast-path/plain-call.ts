import { isObject } from '#mcp/protocol/json-rpc.ts';
import type { IncomingHttpHeaders } from 'node:http';
import {
  headersMatchBody,
  NAMED_PARAMETER,
  HANDSHAKE_VERSIONS,
  PER_REQUEST_VERSION,
} from '#mcp/protocol/revisions.ts';

const RESERVED = 'io.modelcontextprotocol/';

/** The members of `_meta` that every request of PER_REQUEST_VERSION has (SEP-2575). */
const ENVELOPE = [`${RESERVED}protocolVersion`, `${RESERVED}clientInfo`, `${RESERVED}clientCapabilities`];

type Members = Readonly<Record<string, unknown>>;

/**
 * A request with a valid envelope, which an SDK would pass to its handler unchanged. Of `params` only the
 * names of members are checked.
 */
export interface PlainCall {
  readonly id: string | number;
  readonly method: string;
  readonly params: Members;
  /** Whether the request is of PER_REQUEST_VERSION. */
  readonly perRequest: boolean;
}

/**
 * Reads a message that needs no SDK.
 * @param headers of the HTTP request; undefined over stdio
 * @returns undefined if a member is unknown or of another type, if the revision is not served, or if a
 *   header differs from the message: an SDK handles it
 */
export function toPlainCall(
  message: unknown,
  headers: IncomingHttpHeaders | undefined,
): PlainCall | undefined {
  if (!isObject(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0' || !isId(id) || typeof method !== 'string' || !isObject(params)) return undefined;
  if (!hasOnly(params, [NAMED_PARAMETER[method] ?? '_meta', 'arguments', '_meta'])) return undefined;
  const { _meta: meta = {} } = params;
  if (!isObject(meta) || !(meta['progressToken'] === undefined || isId(meta['progressToken'])))
    return undefined;
  const reserved = Object.keys(meta).filter((key) => key.startsWith(RESERVED));
  const version = headers?.['mcp-protocol-version'];
  const call = { id, method, params };
  if (reserved.length === 0) {
    const isServed = version === undefined || HANDSHAKE_VERSIONS.includes(version as string);
    return isServed ? { ...call, perRequest: false } : undefined;
  }
  const isConsistent = headers === undefined || headersMatchBody(headers, call);
  return isConsistent && hasEnvelope(meta, reserved) ? { ...call, perRequest: true } : undefined;
}

function hasEnvelope(meta: Members, reserved: readonly string[]): boolean {
  const [version, client, capabilities] = ENVELOPE.map((key) => meta[key]);
  return (
    reserved.length === ENVELOPE.length &&
    version === PER_REQUEST_VERSION &&
    isObject(client) &&
    typeof client['name'] === 'string' &&
    typeof client['version'] === 'string' &&
    Object.values(client).every((value) => typeof value === 'string') &&
    hasOnly(client, ['name', 'version', 'title']) &&
    isObject(capabilities) &&
    Object.values(capabilities).every(isPlainCapability)
  );
}

/** Whether a capability is empty or has only the boolean `listChanged`; the SDK validates all others. */
function isPlainCapability(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(([key, inner]) => key === 'listChanged' && typeof inner === 'boolean')
  );
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function hasOnly(value: Members, names: readonly string[]): boolean {
  return Object.keys(value).every((key) => names.includes(key));
}
