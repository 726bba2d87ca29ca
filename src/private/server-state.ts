import * as z from 'zod';

const count = z.int().min(0);
/** Milliseconds since 1970. */
const time = z.number();

/** The numbers that a server writes every five seconds. They hold no text and no address of a client. */
export const ServerState = z.strictObject({
  id: z.string().regex(/^[0-9a-f-]{36}$/),
  at: time,
  startedAt: time,
  version: z.string().max(40),
  listening: z.string().max(200),
  health: z.strictObject({
    writable: z.boolean(),
    reason: z.string().max(1000).nullable(),
    notifying: z.boolean(),
    frozen: z.boolean().nullable(),
  }),
  /** By how much the wall clock was moved since the start, in milliseconds. */
  clockMovedMs: z.number(),
  /** The latest timestamp of a record; null in an empty store. */
  newest: z.string().max(40).nullable(),
  /** Since midnight UTC, at most 10,000. */
  postsToday: count,
  /** Since the start, by the name of the limit. */
  refused: z.record(z.string().max(60), count),
  waits: count,
  readsWaiting: count,
  /** Records that were reported, are visible and were not kept. */
  reports: z.strictObject({ open: count, illegal: count, oldest: z.string().max(10).nullable() }),
  /** Records that reports of several networks hide for a day. */
  held: count,
  valveClosed: z.boolean(),
  denials: count,
  lastExport: time.nullable(),
  sizeInBytes: count.nullable(),
  /** 0: no limit. */
  maxBytes: count,
});

export type ServerState = z.infer<typeof ServerState>;
