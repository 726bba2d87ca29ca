import type { RecentWriteAgesLookup, WriteOrigin } from '#store/port/lookups.ts';
import { widenNetwork } from '#store/port/network.ts';
import type { Kind } from '#store/port/records.ts';
import { DAY_MS } from './timestamp.ts';

/** One published write with its origin. Engines persist it for 24 to 48 hours. */
export interface WriteEntry extends Readonly<WriteOrigin> {
  readonly at: number;
  readonly kind: Kind;
  readonly id: string;
}

/** The longest window of any rate limit and of idempotency keys. */
export const RETENTION_MS = DAY_MS;

/** Rate limits ignore a write entry that is further in the future: a wrong clock has made it. */
export const MAX_CLOCK_SKEW_MS = 60 * 1000;

/** The write entries of the last 24 hours, from which rate limits and retries are decided. */
export class WriteHistory {
  /** By `clientOf`, in the order of time. Invariant: no list is empty. */
  readonly #entriesByClient = new Map<string, WriteEntry[]>();
  /** In the order of time. Invariant: the entries of `#entriesByClient`. */
  readonly #entries: WriteEntry[] = [];
  readonly #networks = new WeakMap<WriteEntry, string>();
  /** By `scopedKey` of the idempotency key, the latest entry. `#entriesByClient` has it too. */
  readonly #byKey = new Map<string, WriteEntry>();
  /** The latest entry, by `scopedKey` of the content. Invariant: every value is in `#entriesByClient`. */
  readonly #byContent = new Map<string, WriteEntry>();

  add(entry: WriteEntry): void {
    const client = clientOf(entry);
    const entries = this.#entriesByClient.get(client) ?? [];
    this.#entriesByClient.set(client, entries);
    insert(entries, entry);
    insert(this.#entries, entry);
    if (entry.key !== null) setLatest(this.#byKey, scopedKey(entry, entry.key), entry);
    setLatest(this.#byContent, scopedKey(entry, entry.content), entry);
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
      if (entry === undefined || entry.at <= now - windowMs) break;
      const isCounted = by === null || isOfClient || this.#networkOf(entry) === by.widened;
      if (isCounted && entry.at < now + MAX_CLOCK_SKEW_MS) found.push(entry);
    }
    return found;
  }

  #networkOf(entry: WriteEntry): string {
    const network = this.#networks.get(entry) ?? widenNetwork(entry.clientKey);
    this.#networks.set(entry, network);
    return network;
  }

  findByKey(scope: ClientAndKind, key: string, now: number, windowMs: number): WriteEntry | undefined {
    return withinWindow(this.#byKey.get(scopedKey(scope, key)), now, windowMs);
  }

  /** @returns the latest entry with the content, if it is younger than `windowMs` */
  findByContent(
    scope: ClientAndKind,
    content: string,
    now: number,
    windowMs: number,
  ): WriteEntry | undefined {
    return withinWindow(this.#byContent.get(scopedKey(scope, content)), now, windowMs);
  }

  prune(now: number): void {
    for (const entry of removeBefore(this.#entries, now - RETENTION_MS)) this.#removeFromIndexes(entry);
    for (const [client, entries] of this.#entriesByClient) {
      removeBefore(entries, now - RETENTION_MS);
      if (entries.length === 0) this.#entriesByClient.delete(client);
    }
  }

  entries(): Iterable<WriteEntry> {
    return this.#entries;
  }

  #removeFromIndexes(entry: WriteEntry): void {
    if (entry.key !== null && this.#byKey.get(scopedKey(entry, entry.key)) === entry) {
      this.#byKey.delete(scopedKey(entry, entry.key));
    }
    const key = scopedKey(entry, entry.content);
    if (this.#byContent.get(key) === entry) this.#byContent.delete(key);
  }
}

/** Inserts an entry behind those of the same time. Few are later: only if a clock was set back. */
function insert(entries: WriteEntry[], entry: WriteEntry): void {
  let index = entries.length;
  while (index > 0 && (entries[index - 1]?.at ?? 0) > entry.at) index -= 1;
  if (index === entries.length) entries.push(entry);
  else entries.splice(index, 0, entry);
}

function removeBefore(entries: WriteEntry[], time: number): WriteEntry[] {
  const end = entries.findIndex(({ at }) => at >= time);
  return entries.splice(0, end < 0 ? entries.length : end);
}

function clientOf({ limitScope, clientKey }: Pick<WriteEntry, 'limitScope' | 'clientKey'>): string {
  return `${limitScope} ${clientKey}`;
}

/** Idempotency keys and contents are compared within one client and one kind of record. */
type ClientAndKind = Pick<WriteEntry, 'clientKey' | 'kind'>;

function scopedKey({ clientKey, kind }: ClientAndKind, key: string): string {
  return `${kind} ${key} ${clientKey}`;
}

/** Keeps the later of two entries. If their times are equal, the one added last is later. */
function setLatest(entries: Map<string, WriteEntry>, key: string, entry: WriteEntry): void {
  const known = entries.get(key);
  if (known === undefined || known.at <= entry.at) entries.set(key, entry);
}

function withinWindow(entry: WriteEntry | undefined, now: number, windowMs: number): WriteEntry | undefined {
  return entry !== undefined && entry.at > now - windowMs ? entry : undefined;
}
