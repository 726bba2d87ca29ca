import type { IncomingHttpHeaders } from 'node:http';
import { HANDSHAKE_VERSIONS, PER_REQUEST_VERSION } from '#mcp/versions.ts';

const RESERVED = 'io.modelcontextprotocol/';
const ENVELOPE = [`${RESERVED}protocolVersion`, `${RESERVED}clientInfo`, `${RESERVED}clientCapabilities`];

type Members = Readonly<Record<string, unknown>>;

/** A request that is well-formed in every part, so that an SDK would pass it on as it is. */
export interface PlainCall {
  readonly id: string | number;
  readonly method: string;
  readonly params: Members;
  /** Whether it is of the revision that has no handshake. */
  readonly perRequest: boolean;
}

/** The parameter that the header Mcp-Name repeats, and the only one that a call has besides `arguments` and `_meta`. */
export const NAMED_PARAMETER: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * @param headers of the HTTP request; undefined over stdio, which has none
 * @returns undefined where anything is missing, unknown or of another type: an SDK words the refusal
 */
export function toPlainCall(
  message: unknown,
  headers: IncomingHttpHeaders | undefined,
): PlainCall | undefined {
  if (!isObject(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0' || !isId(id) || typeof method !== 'string' || !isObject(params)) return undefined;
  const name = NAMED_PARAMETER[method];
  if (!hasOnly(params, [name ?? '_meta', 'arguments', '_meta'])) return undefined;
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
  const isNamed =
    headers === undefined || namesCall(headers, method, name === undefined ? undefined : params[name]);
  return isNamed && hasEnvelope(meta, reserved) ? { ...call, perRequest: true } : undefined;
}

/** Whether the headers repeat the message letter by letter. */
function namesCall(headers: IncomingHttpHeaders, method: string, name: unknown): boolean {
  return (
    headers['mcp-protocol-version'] === PER_REQUEST_VERSION &&
    headers['mcp-method'] === method &&
    headers['mcp-name'] === name &&
    // An encoded name (SEP-2243) is for the SDK to decode.
    !String(name).startsWith('=')
  );
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

/** Empty, or `listChanged` alone: every other content is for the SDK to judge. */
function isPlainCapability(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(([key, inner]) => key === 'listChanged' && typeof inner === 'boolean')
  );
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function hasOnly(value: Members, names: readonly string[]): boolean {
  return Object.keys(value).every((key) => names.includes(key));
}
