import * as z from 'zod';

/** Error codes of JSON-RPC 2.0 (section 5.1), and MCP's own for an unknown resource until 2025-11-25. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  /** In STATELESS_VERSION, the client did not declare a capability (SEP-2575). The HTTP status is 400. */
  missingCapability: -32021,
} as const;

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The maximum length, in UTF-16 code units, of an id or other value that a response or an SDK repeats. */
const MAX_CHARACTERS = 256;

export const Text = z.string().max(MAX_CHARACTERS);

const Id = z.union([Text, z.number().int()]);

/** A value that an SDK repeats in its error if it is wrong. */
const Repeated = z.unknown().refine(isShort).optional();

const Meta = z.looseObject({
  progressToken: Id.optional(),
  'io.modelcontextprotocol/related-task': z.object({ taskId: Text }).optional(),
  'io.modelcontextprotocol/protocolVersion': Repeated,
});

const params = { _meta: Meta.optional(), name: Repeated, uri: Repeated };

const envelope = { jsonrpc: z.literal('2.0'), method: Text };

const RpcRequest = z.strictObject({ ...envelope, params: z.looseObject(params).optional(), id: Id });
const Notification = z.strictObject({
  ...envelope,
  // `requestId` belongs to a cancellation.
  params: z.looseObject({ ...params, requestId: Repeated }).optional(),
});
const Result = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id,
  result: z.looseObject({ _meta: Meta.optional() }),
});
const Failure = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id.optional(),
  error: z.object({ code: z.number().int(), message: Text, data: z.unknown().optional() }),
});
export const Message = z.union([RpcRequest, Notification, Result, Failure]);

export type RpcRequest = z.infer<typeof RpcRequest>;

type Notification = z.infer<typeof Notification>;

/** A JSON-RPC 2.0 message, the same in every protocol revision. */
export type Message = z.infer<typeof Message>;

/** Whether parsed JSON is one message. A batch is not. */
export const isMessage = (value: unknown): value is Message => Message.safeParse(value).success;

export const INVALID_MESSAGE =
  'This is not a JSON-RPC 2.0 message: send jsonrpc "2.0", an id (a string or a whole number), a method ' +
  'and params (an object, whose _meta is an object too), and no other member. An id, a progressToken, a ' +
  `method, a name and a uri have at most ${MAX_CHARACTERS} characters.`;

/**
 * Finds the id of a message that looks like a request, even if the message is invalid.
 * @returns null if the id is invalid (JSON-RPC 2.0 section 5); undefined without an id or a method
 */
export function parseRequestId(value: unknown): RpcRequest['id'] | null | undefined {
  const isRequest = typeof value === 'object' && value !== null && 'id' in value && 'method' in value;
  return isRequest ? (Id.safeParse(value.id).data ?? null) : undefined;
}

export const isRequest = (message: Message): message is RpcRequest => 'method' in message && 'id' in message;

export const isNotification = (message: Message): message is Notification =>
  'method' in message && !('id' in message);

export const isInitialize = (message: Message): boolean =>
  'method' in message && message.method === 'initialize';

/** Whether `_meta` names the revision, which every request without a handshake does (SEP-2575). */
export function namesRevision(message: Message): boolean {
  const meta = 'method' in message ? message.params?._meta : undefined;
  return meta !== undefined && 'io.modelcontextprotocol/protocolVersion' in meta;
}

/** Whether a value can be a request id or a progress token, which have the same types. */
export function isId(value: unknown): value is RpcRequest['id'] {
  return (typeof value === 'string' && isShort(value)) || Number.isSafeInteger(value);
}

/** Whether a value may be repeated: any value but a long string. */
export function isShort(value: unknown): boolean {
  return typeof value !== 'string' || value.length <= MAX_CHARACTERS;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
