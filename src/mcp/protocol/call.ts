import type { IncomingHttpHeaders } from 'node:http';
import {
  isId,
  isObject,
  isShort,
  type Message,
  ProtocolError,
  RPC,
  type RpcRequest,
  Text,
} from './json-rpc.ts';
import { HANDSHAKE_VERSIONS, headersMatchBody, STATELESS_VERSION } from './revisions.ts';
import * as z from 'zod';
import { isAbsent } from '#tool/call-tool.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { canWait, type WaitingTool } from '#tool/run-read.ts';

export type Params = Readonly<Record<string, unknown>>;

/** A request with a valid envelope. */
export interface Call {
  readonly id: string | number;
  readonly method: string;
  /** As the client sent them. The method validates them. */
  readonly params: Params;
  /** Whether the request belongs to STATELESS_VERSION. */
  readonly isStateless: boolean;
}

const RESERVED = 'io.modelcontextprotocol/';

/** The members of `_meta` in every request of STATELESS_VERSION (SEP-2575). */
const ENVELOPE = [`${RESERVED}protocolVersion`, `${RESERVED}clientInfo`, `${RESERVED}clientCapabilities`];

/**
 * Parses a request with the envelope that nearly all clients send.
 * @param headers of the HTTP request; undefined over stdio
 * @returns undefined for any other request, or if a header differs from the message; an SDK then validates it
 */
export function parseUsualCall(message: unknown, headers: IncomingHttpHeaders | undefined): Call | undefined {
  if (!isObject(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0' || !isId(id) || typeof method !== 'string' || !isObject(params)) return undefined;
  if (!isShort(params['name']) || !isShort(params['uri'])) return undefined;
  const { _meta: meta = {} } = params;
  if (!isObject(meta) || !(meta['progressToken'] === undefined || isId(meta['progressToken'])))
    return undefined;
  const reserved = Object.keys(meta).filter((key) => key.startsWith(RESERVED));
  const version = headers?.['mcp-protocol-version'];
  const call = { id, method, params, isStateless: reserved.length > 0 };
  const isUsual = call.isStateless
    ? (headers === undefined || headersMatchBody(headers, call)) && hasEnvelope(meta, reserved)
    : version === undefined || HANDSHAKE_VERSIONS.includes(version as string);
  return isUsual ? call : undefined;
}

/** Creates the call of a request that an SDK has accepted. */
export function toCall({ id, method, params = {} }: RpcRequest, isStateless: boolean): Call {
  return { id, method, params, isStateless };
}

/** @param name of the parameter, for the error @throws ProtocolError invalidParams */
export function requireString(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new ProtocolError(RPC.invalidParams, `params.${name} must be a string.`);
}

function hasEnvelope(meta: Params, reserved: readonly string[]): boolean {
  const [version, client, capabilities] = ENVELOPE.map((key) => meta[key]);
  return (
    reserved.length === ENVELOPE.length &&
    version === STATELESS_VERSION &&
    isPlainClient(client) &&
    isPlainCapabilities(capabilities)
  );
}

const Client = z.strictObject({ name: Text, version: Text, title: Text.optional() });

/** Whether `clientInfo` has only a name, a version and perhaps a title. An SDK validates others. */
export const isPlainClient = (client: unknown): boolean => Client.safeParse(client).success;

const Roots = z.strictObject({ listChanged: z.boolean().optional() });
const Capabilities = z.object({ roots: Roots.optional() }).catchall(z.strictObject({}));

/** Whether every capability is empty, except a boolean `listChanged` in `roots`. An SDK validates others. */
export const isPlainCapabilities = (capabilities: unknown): boolean =>
  Capabilities.safeParse(capabilities).success;

export function hasOnly(value: Params, names: readonly string[]): boolean {
  return Object.keys(value).every((key) => names.includes(key));
}

/** How long a call may wait, and where its progress notifications go. */
export interface Wait {
  /** The maximum wait, above 0. */
  readonly seconds: number;
  /** Undefined if the client requests no progress notifications. */
  readonly progressToken: string | number | undefined;
}

/** @returns a function that returns the wait of a message; undefined unless it is a call that may wait */
export function createWaitParser(tools: readonly AnyTool[]): (message: unknown) => Wait | undefined {
  const waiting = new Map(tools.filter(canWait).map((tool) => [tool.name, tool]));
  return (message) => {
    const { id, method, params } = toParams(message);
    if (method !== 'tools/call' || id === undefined) return undefined;
    const { name, arguments: args, _meta: meta } = toParams(params);
    const tool = waiting.get(name as string);
    // A call with arguments that are not an object fails at once.
    if (tool === undefined || !isObject(args ?? {})) return undefined;
    const seconds = parseSeconds(tool, toParams(args));
    const { progressToken } = toParams(meta);
    return seconds > 0 ? { seconds, progressToken: progressToken as Wait['progressToken'] } : undefined;
  };
}

/** @returns 0 for a value that the tool refuses, because such a call fails at once */
function parseSeconds({ input, waiting: { secondsArgument } }: WaitingTool, args: Params): number {
  const field = (input.shape as Readonly<Record<string, z.ZodType>>)[secondsArgument];
  const sent = args[secondsArgument];
  return (field?.safeParse(isAbsent(sent, field) ? undefined : sent).data ?? 0) as number;
}

function toParams(value: unknown): Params {
  return isObject(value) ? value : {};
}

/** Creates the progress notification of a waiting call. @returns undefined if the client requested none */
export function progressNotice(
  { progressToken, seconds }: Wait,
  elapsedSeconds: number,
): Message | undefined {
  if (progressToken === undefined) return undefined;
  const params = { progressToken, progress: elapsedSeconds, total: seconds };
  return { jsonrpc: '2.0', method: 'notifications/progress', params };
}
