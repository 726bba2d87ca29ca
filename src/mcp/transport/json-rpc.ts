import { z } from 'zod';

const Id = z.union([z.string(), z.number().int()]);

const Meta = z.looseObject({
  progressToken: Id.optional(),
  'io.modelcontextprotocol/related-task': z.object({ taskId: z.string() }).optional(),
});

const notification = {
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: z.looseObject({ _meta: Meta.optional() }).optional(),
};

const Request = z.strictObject({ ...notification, id: Id });
const Notification = z.strictObject(notification);
const Result = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id,
  result: z.looseObject({ _meta: Meta.optional() }),
});
const Failure = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id.optional(),
  error: z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() }),
});
const Message = z.union([Request, Notification, Result, Failure]);

export type Request = z.infer<typeof Request>;

/** A message of JSON-RPC 2.0, as every era of the protocol sends them. */
export type Message = z.infer<typeof Message>;

/** Whether a parsed text is one message. A batch is none. */
export const isMessage = (value: unknown): value is Message => Message.safeParse(value).success;

export const isRequest = (message: Message): message is Request => 'method' in message && 'id' in message;

export const isNotification = (message: Message): boolean => 'method' in message && !('id' in message);

/** Whether a message names the revision it is written in, as those do that need no handshake. */
export function namesRevision(message: Message): boolean {
  const meta = 'method' in message ? message.params?._meta : undefined;
  return meta !== undefined && 'io.modelcontextprotocol/protocolVersion' in meta;
}
