import type { EarlierWriteLookup, RecentWriteAgesLookup, WriteOrigin } from '#store/port/lookups.ts';
import { widenNetwork } from '#store/port/network.ts';
import type { Kind } from '#store/port/records.ts';
import { DAY_MS } from './timestamp.ts';

/** One published write with its origin. Engines persist it for 24 to 48 hours. */
export interface WriteEntry extends Readonly<WriteOrigin> {
  readonly atMs: number;
  readonly kind: Kind;
  readonly id: string;
}

/** The longest window of any rate limit and of idempotency keys. */
export const RETENTION_MS = DAY_MS;
/** Rate limits ignore a write entry that is further in the future than this, since its clock was wrong. */
export const MAX_CLOCK_SKEW_MS = 60 * 1000;
/** Which field of an earlier write equals that of the write that looks it up. */
export const SAME = { idempotentHit: 'key', recentDuplicate: 'content' } as const;

/** The write entries of the last 24 hours, from which rate limits and retries are decided. */
export class WriteHistory {
  /** By `clientOf`, in the order of time. Invariant: no list is empty. */
  readonly #entriesByClient = new Map<string, WriteEntry[]>();
  /** In the order of time. Invariant: the entries of `#entriesByClient`. */
  readonly #entries: WriteEntry[] = [];
  readonly #networks = new WeakMap<WriteEntry, string>();
  /** The latest entry, by each of its `keysOf`. Invariant: every value is in `#entriesByClient`. */
  readonly #latest = new Map<string, WriteEntry>();

  add(entry: WriteEntry): void {
    const client = clientOf(entry);
    const entries = this.#entriesByClient.get(client) ?? [];
    this.#entriesByClient.set(client, entries);
    insert(entries, entry);
    insert(this.#entries, entry);
    // Of two with the same time, the one added last is the later one.
    for (const key of keysOf(entry))
      if ((this.#latest.get(key)?.atMs ?? -Infinity) <= entry.atMs) this.#latest.set(key, entry);
  }

  /** @param now milliseconds since 1970 @returns at most `limit`, younger than `windowMs`, newest first */
  recentWrites(
    { by, windowMs, limit }: Pick<RecentWriteAgesLookup, 'by' | 'windowMs' | 'limit'>,
    now: number,
  ): WriteEntry[] {
    const isOfClient = by !== null && !('widened' in by);
    const entries = isOfClient ? (this.#entriesByClient.get(clientOf(by)) ?? []) : this.#entries;
    const found: WriteEntry[] = [];
    for (let index = entries.length - 1; index >= 0 && found.length < limit; index--) {
      const entry = entries[index];
      if (entry === undefined || entry.atMs <= now - windowMs) break;
      const isCounted = by === null || isOfClient || this.#networkOf(entry) === by.widened;
      if (isCounted && entry.atMs < now + MAX_CLOCK_SKEW_MS) found.push(entry);
    }
    return found;
  }

  #networkOf(entry: WriteEntry): string {
    const network = this.#networks.get(entry) ?? widenNetwork(entry.clientKey);
    this.#networks.set(entry, network);
    return network;
  }

  find({ type, kind, origin, windowMs }: EarlierWriteLookup, now: number): WriteEntry | undefined {
    const value = origin[SAME[type]];
    const entry = value === null ? undefined : this.#latest.get(keyOf(type, kind, origin.clientKey, value));
    return entry !== undefined && entry.atMs > now - windowMs ? entry : undefined;
  }

  prune(now: number): void {
    for (const entry of removeBefore(this.#entries, now - RETENTION_MS))
      for (const key of keysOf(entry)) if (this.#latest.get(key) === entry) this.#latest.delete(key);
    for (const [client, entries] of this.#entriesByClient) {
      removeBefore(entries, now - RETENTION_MS);
      if (entries.length === 0) this.#entriesByClient.delete(client);
    }
  }

  entries(): Iterable<WriteEntry> {
    return this.#entries;
  }
}

/** Inserts an entry after those with the same time. Entries are later only if a clock was set back. */
function insert(entries: WriteEntry[], entry: WriteEntry): void {
  let index = entries.length;
  while (index > 0 && (entries[index - 1]?.atMs ?? 0) > entry.atMs) index -= 1;
  if (index === entries.length) entries.push(entry);
  else entries.splice(index, 0, entry);
}

function removeBefore(entries: WriteEntry[], time: number): WriteEntry[] {
  const end = entries.findIndex(({ atMs }) => atMs >= time);
  return entries.splice(0, end < 0 ? entries.length : end);
}

function clientOf({ limitScope, clientKey }: Pick<WriteEntry, 'limitScope' | 'clientKey'>): string {
  return `${limitScope} ${clientKey}`;
}

function keyOf(type: EarlierWriteLookup['type'], kind: Kind, clientKey: string, value: string): string {
  return `${type} ${kind} ${value} ${clientKey}`;
}

/** @returns the keys by which lookups find an entry */
function keysOf({ kind, clientKey, key, content }: WriteEntry): string[] {
  const byContent = keyOf('recentDuplicate', kind, clientKey, content);
  return key === null ? [byContent] : [byContent, keyOf('idempotentHit', kind, clientKey, key)];
}
