import { parseJson } from '#runtime/json.ts';
import * as z from 'zod';
import { DAY_MS, toDay } from '#store/engine/timestamp.ts';
import { StoreFailure } from '#store/port/store.ts';

export const REASONS = ['illegal', 'private_data', 'injection', 'spam', 'abuse', 'other'] as const;

export type ReportReason = (typeof REASONS)[number];

/** Events that a server sends to HOOK_URL besides reports, by the names in its messages. */
const SERVICE_EVENTS = [
  'hold',
  'holds_used_up',
  'valve_closed',
  'valve_open',
  'storage_full',
  'storage_ok',
  'writes_failed',
  'writes_ok',
] as const;

export type ServiceEvent = (typeof SERVICE_EVENTS)[number];

const id = z.string().regex(/^(?:post|guest|project|note)_[a-zA-Z0-9-]{1,80}$/);
const day = z.iso.date();
/** Milliseconds since 1970. */
const at = z.number();
/** The key of an event, the id of a process, or the name of a class of messages. */
const key = z.string().max(200);
/** At most 500 code points, each of which `printable` may have escaped as six characters. */
const reason = z.string().max(3000);
const timestamp = z.string().max(40);
/** A longer URL does not fit into a request. */
const address = z.string().max(16_384);

/** One line of the journal, which contains no text of a record and no client address. */
export const Entry = z.discriminatedUnion('type', [
  /**
   * `tag` is an HMAC of the id and the widened network under the key of the day. The entry has no time of
   * day. `isQuiet`: no message is sent for the report, since its network has reached its limit for the hour.
   */
  z.strictObject({
    type: z.literal('report'),
    day,
    id,
    reason: z.enum(REASONS),
    tag: z.string().max(40),
    isQuiet: z.boolean().optional(),
  }),
  /** An operator has decided that the record may stay, whatever was reported before. */
  z.strictObject({ type: z.literal('keep'), at, id, reason }),
  z.strictObject({ type: z.literal('event'), at, key, event: z.enum(SERVICE_EVENTS), id: id.optional() }),
  /** A server is about to send the event with the key. */
  z.strictObject({ type: z.literal('claim'), at, key, by: key }),
  /** A server has sent one message of the class, about the first of the keys, with a count of the others. */
  z.strictObject({ type: z.literal('sent'), at, class: key, keys: z.array(key) }),
  /** An operator has denied a network. Counted here, since a denial that is lifted is removed. */
  z.strictObject({ type: z.literal('denied'), day }),
  z.strictObject({ type: z.literal('exported'), at }),
  /** An operator was sent a link with a secret for the record. `hash` is the SHA-256 of the secret. */
  z.strictObject({ type: z.literal('link'), at, id, hash: z.string().max(44) }),
  /** The link was used. Only the first use counts. */
  z.strictObject({ type: z.literal('verdict'), at, key, id, hash: z.string().max(44), hides: z.boolean() }),
]);

export type Entry = z.infer<typeof Entry>;

/** How far a reader has read, in the form of its engine. */
export type Position = Readonly<Record<string, number>>;

export interface EntryBatch {
  /** Parsed one by one, so that a reader can pause between them, and has few of them in memory. */
  readonly entries: Iterable<Entry>;
  readonly position: Position;
}

export const MirrorPosition = z.strictObject({
  /** The URL of the origin, without a trailing slash. */
  origin: address,
  /** The last line of its log that the store has; null before the first. */
  line: z.strictObject({ n: z.number(), id, at: timestamp.optional() }).nullable(),
  /** What that line does to its record; null if it adds it. */
  moderation: z
    .strictObject({
      action: z.enum(['hide', 'unhide', 'erase']),
      id,
      at: timestamp,
      reason,
      mark: z.string().max(12).optional(),
    })
    .nullable(),
});

export type MirrorPosition = z.infer<typeof MirrorPosition>;

/** @param source the file or row, for the error @throws StoreFailure that says how to repair it */
export function parseMirrorPosition(text: string, source: string): MirrorPosition {
  const position = MirrorPosition.safeParse(parseJson(text)).data;
  if (position !== undefined) return position;
  throw new StoreFailure(
    'nothing',
    `${source} is damaged: it does not name the service that this store mirrors. Replace it with ` +
      '{"origin":"https://…","line":null,"moderation":null} with the address of that service, and the ' +
      'mirror reads its log from the beginning. Delete it if this store is no mirror.',
  );
}

/** A denial as it is stored: of a range that an operator typed, or of the network behind a post. */
export const DenialData = z.strictObject({
  at,
  until: at,
  reason,
  /** In CIDR notation, or one address. */
  range: z.string().max(60).optional(),
  /** The client key of a write, or its widened network, in the form in which the engine stores it. */
  behind: z.strictObject({ id, at, sealed: z.string().max(2000), isWide: z.boolean() }).optional(),
});

export type DenialData = z.infer<typeof DenialData>;

export interface Denial extends DenialData {
  readonly n: number;
  /** The bits of the denied network, by `toBits`, or its tag. Undefined once its key is destroyed. */
  readonly denied: string | undefined;
}

const count = z.int().min(0);

/** The numbers that a server writes every five seconds, without texts and client addresses. */
export const ServerState = z.strictObject({
  id: z.string().regex(/^[0-9a-f-]{36}$/),
  at,
  startedAt: at,
  version: z.string().max(40),
  listening: z.string().max(200),
  health: z.strictObject({
    writable: z.boolean(),
    reason: z.string().max(1000).nullable(),
    notifying: z.boolean(),
    frozen: z.boolean().nullable(),
  }),
  /** How far the wall clock was moved since the start, in milliseconds. */
  clockMovedMs: z.number(),
  newest: timestamp.nullable(),
  /** Since midnight UTC, at most 10,000. */
  postsToday: count,
  /** Since the start, by the name of the limit. */
  refused: z.record(z.string().max(60), count),
  waits: count,
  readsWaiting: count,
  /** Records that were reported, are visible and were not kept. */
  reports: z.strictObject({ open: count, illegal: count, oldest: z.string().max(10).nullable() }),
  held: count,
  valveClosed: z.boolean(),
  denials: count,
  lastExport: at.nullable(),
  sizeInBytes: count.nullable(),
  maxBytes: count,
});

export type ServerState = z.infer<typeof ServerState>;

/**
 * Data that is never public. It is stored beside the records, so that logs, exports and copies do not contain
 * it. Entries are removed after `RETENTION_DAYS`. Methods other than `close` fail with a StoreFailure.
 */
export interface PrivateStore {
  /** Durable once it resolves. */
  append(entry: Entry): Promise<void>;
  /** The undamaged entries after a position, in the order of arrival, some thousands at a time. */
  read(from: Position | undefined): AsyncIterable<EntryBatch>;
  /** @param network in CIDR notation @returns a tag, which is comparable only for the same record and day */
  reportTag(id: string, network: string): Promise<string>;
  putServer(state: ServerState): Promise<void>;
  removeServer(id: string): Promise<void>;
  /** The numbers of all servers that have not stopped, including killed ones. */
  servers(): Promise<ServerState[]>;
  /** @returns all denials, also expired ones; the same array while nothing changes */
  denials(): Promise<readonly Denial[]>;
  /** @returns the tags by which a denial may name the client. Absent if the engine can read client keys */
  tagsOf?(clientKey: string): string[];
  /** @returns its number */
  addDenial(denial: DenialData): Promise<number>;
  /** @returns false if there is none with this number */
  removeDenial(n: number): Promise<boolean>;
  /** @returns undefined if the store is no mirror */
  readMirrorPosition(): Promise<MirrorPosition | undefined>;
  /** Durable once it resolves. */
  writeMirrorPosition(position: MirrorPosition): Promise<void>;
  /** Removes entries older than `RETENTION_DAYS`, servers killed over a day ago, and expired denials. */
  prune(): Promise<void>;
  close(): Promise<void>;
}

/** @returns a function that runs a job, and turns each error into a `StoreFailure` worded for the operator */
export function explainBy(toFailure: (error: unknown) => StoreFailure) {
  return async <Result>(job: () => Promise<Result>): Promise<Result> => {
    try {
      return await job();
    } catch (error) {
      throw toFailure(error);
    }
  };
}

export const RETENTION_DAYS = 30;

/** @returns the first day whose entries have not expired */
export function oldestDay(now: number): string {
  return toDay(now - RETENTION_DAYS * DAY_MS);
}
