import { MAX_CLOCK_SKEW_MS, RETENTION_MS } from '#store/engine/write-history.ts';
import { NONE } from '#store/memory/columns/column.ts';
import { BEFORE_ALL, timeKeyAt, toTimestamp, type TimeKey } from '#store/memory/columns/time-key.ts';
import { UUID_WORDS } from '#store/memory/columns/uuid.ts';
import type { RecordIndex } from '#store/memory/record-index.ts';
import { nextSlice, startSlice } from '#runtime/slice.ts';
import { expiryTime } from './day-keys.ts';
import { decodeLine, sumOf } from './log/line.ts';
import type { LogState } from './log/log-state.ts';
import type { Snapshot } from './log/snapshot.ts';

/**
 * Describes the lines that the last line proves as synced, with the ids that their records need and no
 * others. Lines that add no record, an erased one, or one with an id that is no UUID, are left to be read.
 * @param index that holds all lines of the log
 * @returns undefined if there is no line, or another segment was begun in the meantime
 */
export async function makeSnapshot(state: LogState, index: RecordIndex): Promise<Snapshot | undefined> {
  const { current, segments, places } = state;
  const last = readLastLine(state);
  if (last === undefined) return undefined;
  const { count, witness } = last;
  const { table, links } = index;
  const { ids } = table;
  const lines = {
    at: new Float64Array(count),
    length: new Int32Array(count),
    isSigned: new Uint8Array(count),
    id: new Int32Array(count).fill(NONE),
    time: new Float64Array(count),
    parent: new Int32Array(count),
    root: new Int32Array(count),
    prefix: new Int32Array(count),
    referenceEnd: new Int32Array(count),
  };
  const prefixes: (string | null)[] = [];
  const references: number[] = [];
  const uuids = new Int32Array(ids.size * UUID_WORDS);
  const kinds = new Uint8Array(ids.size);
  /** By number of an id, the id in the snapshot plus one. */
  const known = new Int32Array(ids.size);
  let idCount = 0;

  const toId = (number: number): number => {
    if (number === NONE) return NONE;
    const id = (known[number] ||= ++idCount) - 1;
    kinds[id] = ids.kindCodeOf(number);
    ids.copyUuid(number, uuids, id * UUID_WORDS);
    return id;
  };
  const describe = (line: number, record: number): void => {
    const [parent, root] = [table.parentOf(record), table.rootOf(record)];
    const targets: number[] = [];
    links.takers.forEachReference(record, (_, target) => targets.push(target));
    if ([record, parent, root, ...targets].some((number) => number !== NONE && ids.kindCodeOf(number) === 0))
      return;
    const prefix = table.prefixOf(record);
    if (!prefixes.includes(prefix)) prefixes.push(prefix);
    lines.id[line] = toId(record);
    lines.time[line] = table.timeOf(record);
    lines.parent[line] = toId(parent);
    lines.root[line] = toId(root);
    lines.prefix[line] = prefixes.indexOf(prefix);
    for (const target of targets) references.push(toId(target));
  };

  let isSliceOver = startSlice();
  for (let line = 0; line < count; line++) {
    const place = places.get(line + 1);
    lines.at[line] = place?.at ?? 0;
    lines.length[line] = place?.length ?? 0;
    lines.isSigned[line] = place?.isSigned === true ? 1 : 0;
    const record = table.numberAt(line + 1);
    if (table.isThere(record)) describe(line, record);
    lines.referenceEnd[line] = references.length;
    if (!isSliceOver()) continue;
    await nextSlice();
    isSliceOver = startSlice();
  }
  // The next segment may hold lines that were elsewhere before.
  if (segments.at(-1) !== current) return undefined;
  return {
    count,
    witness,
    segments: segments.flatMap(({ header: { number, from, seed } }) =>
      number > witness.log ? [] : { number, from, seed },
    ),
    lines,
    prefixes,
    references: Int32Array.from(references),
    uuids: uuids.slice(0, idCount * UUID_WORDS),
    kinds: kinds.slice(0, idCount),
  };
}

function readLastLine({ seq, places, segments }: LogState): Pick<Snapshot, 'count' | 'witness'> | undefined {
  const place = places.get(seq);
  const segment = segments.find(({ header }) => header.number === place?.log);
  if (place === undefined || segment === undefined) return undefined;
  const bytes = segment.file.readNow(place.at, place.length);
  const line = bytes && decodeLine(bytes, segment.header.seed);
  return bytes && line && { count: line.base, witness: { ...place, seq, sum: sumOf(bytes) } };
}

/** Whether a snapshot says something of a record that was erased since, as one that was put back may. */
export function describesErased({ lines }: Snapshot, { table }: RecordIndex): boolean {
  return lines.id.some((id, line) => id !== NONE && !table.isThere(table.numberAt(line + 1)));
}

/** Takes records from a snapshot into a new index. */
export class RecordRestorer {
  readonly #snapshot: Snapshot;
  readonly #index: RecordIndex;
  /** By id in the snapshot, its number in the index plus one. */
  readonly #numbers: Int32Array;
  /** Older lines hold no write entry that counts. */
  readonly #recentFrom: TimeKey;

  /** @param now wall-clock time, milliseconds since 1970 */
  constructor(snapshot: Snapshot, index: RecordIndex, now: number) {
    this.#snapshot = snapshot;
    this.#index = index;
    this.#numbers = new Int32Array(snapshot.kinds.length);
    const newest = snapshot.lines.time.reduce((latest, time) => Math.max(latest, time), 0);
    this.#recentFrom = timeKeyAt(expiryTime(now, toTimestamp(newest)) - RETENTION_MS - MAX_CLOCK_SKEW_MS);
  }

  /** Adds the record of a line. @returns false if the line has to be read */
  restore(seq: number): boolean {
    const { lines, prefixes, references } = this.#snapshot;
    const line = seq - 1;
    const [id, time] = [lines.id[line] ?? NONE, lines.time[line] ?? BEFORE_ALL];
    if (id === NONE || (lines.isSigned[line] === 1 && time > this.#recentFrom)) return false;
    const head = {
      line: seq,
      time,
      parent: this.#reserve(lines.parent[line]),
      root: this.#reserve(lines.root[line]),
      prefix: prefixes[lines.prefix[line] ?? 0] ?? null,
    };
    const targets: number[] = [];
    const end = lines.referenceEnd[line] ?? 0;
    for (let next = lines.referenceEnd[line - 1] ?? 0; next < end; next++)
      targets.push(this.#reserve(references[next]));
    this.#index.restore(this.#reserve(id), head, targets);
    return true;
  }

  #reserve(id = NONE): number {
    if (id === NONE) return NONE;
    const known = this.#numbers[id] ?? 0;
    if (known > 0) return known - 1;
    const { kinds, uuids } = this.#snapshot;
    const number = this.#index.table.ids.reserveUuid(kinds[id] ?? 0, uuids, id * UUID_WORDS);
    this.#numbers[id] = number + 1;
    return number;
  }
}
