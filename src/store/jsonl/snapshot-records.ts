import { MAX_CLOCK_SKEW_MS, RETENTION_MS } from '#store/engine/write-history.ts';
import { NONE } from '#store/memory/columns/column.ts';
import { BEFORE_ALL, timeKeyAt, toTimestamp, type TimeKey } from '#store/memory/columns/time-key.ts';
import { UUID_WORDS } from '#store/memory/columns/uuid.ts';
import type { RecordIndex } from '#store/memory/record-index.ts';
import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { DiskFile } from './fs/disk.ts';
import { expiryTime } from './day-keys.ts';
import { decodeLine, sumOf } from './log/line.ts';
import type { LinePlaces } from './log/line-places.ts';
import type { LogState } from './log/log-state.ts';
import {
  clearLines,
  indexInPart,
  newLineColumns,
  PART_LINES,
  partNumber,
  SnapshotWriter,
  type LineColumns,
  type Snapshot,
  type SnapshotPart,
} from './log/snapshot.ts';

/**
 * Describes the lines that the last line proves as synced, with the ids that their records need and no
 * others. Lines that add no record, an erased one, or one with an id that is no UUID, are left to be read.
 * @param index that holds all lines of the log
 * @returns whether the file holds a snapshot: not without a line, nor if another segment was begun meanwhile
 */
export async function fillSnapshot(file: DiskFile, state: LogState, index: RecordIndex): Promise<boolean> {
  const { current, segments } = state;
  const last = readLastLine(state);
  if (last === undefined) return false;
  const { count, witness } = last;
  const writer = new SnapshotWriter(file);
  const describer = new LineDescriber(state, index);
  for (let line = 0; line < count; line += PART_LINES)
    await writer.add(await describer.describe(line, Math.min(PART_LINES, count - line)));
  // The next segment may hold lines that were elsewhere before.
  if (segments.at(-1) !== current) return false;
  await writer.end({
    count,
    witness,
    segments: segments.flatMap(({ header: { number, from, seed } }) =>
      number > witness.log ? [] : { number, from, seed },
    ),
    idCount: describer.idCount,
    newest: describer.newest,
    prefixes: describer.prefixes,
  });
  return true;
}

/** Makes the parts of a snapshot, one after the other. */
class LineDescriber {
  readonly prefixes: (string | null)[] = [];
  idCount = 0;
  /** As in the head of a snapshot. */
  newest = 0;
  readonly #places: LinePlaces;
  readonly #index: RecordIndex;
  /** By number of an id, the id in the snapshot plus one. */
  readonly #known: Int32Array;
  /** Of every part, one after the other. */
  readonly #lines = newLineColumns();

  constructor({ places }: LogState, index: RecordIndex) {
    this.#places = places;
    this.#index = index;
    this.#known = new Int32Array(index.table.ids.size);
  }

  /** @param from how many lines come before the part */
  async describe(from: number, count: number): Promise<SnapshotPart> {
    const { table } = this.#index;
    const lines = clearLines(this.#lines, count);
    lines.id.fill(NONE);
    const references: number[] = [];
    /** Numbers of the ids that occur in no earlier part. */
    const added: number[] = [];
    let isSliceOver = startSlice();
    for (let line = 0; line < count; line++) {
      const place = this.#places.get(from + line + 1);
      lines.at[line] = place?.at ?? 0;
      lines.length[line] = place?.length ?? 0;
      lines.isSigned[line] = place?.isSigned === true ? 1 : 0;
      const record = table.numberAt(from + line + 1);
      if (table.isThere(record)) this.#describeRecord(record, line, lines, { references, added });
      lines.referenceEnd[line] = references.length;
      if (!isSliceOver()) continue;
      await nextSlice();
      isSliceOver = startSlice();
    }
    return { ...lines, references: Int32Array.from(references), ...this.#toIds(added) };
  }

  #describeRecord(
    record: number,
    line: number,
    lines: LineColumns,
    { references, added }: Readonly<Record<'references' | 'added', number[]>>,
  ): void {
    const { table, takers } = this.#index;
    const [parent, root] = [table.parentOf(record), table.rootOf(record)];
    const targets: number[] = [];
    takers.forEachReference(record, (_, target) => targets.push(target));
    if (
      [record, parent, root, ...targets].some(
        (number) => number !== NONE && table.ids.kindCodeOf(number) === 0,
      )
    )
      return;
    const toId = (number: number): number => {
      if (number === NONE) return NONE;
      if (this.#known[number] === 0) {
        this.#known[number] = ++this.idCount;
        added.push(number);
      }
      return (this.#known[number] ?? 0) - 1;
    };
    const prefix = table.prefixOf(record);
    if (!this.prefixes.includes(prefix)) this.prefixes.push(prefix);
    const time = table.timeOf(record);
    this.newest = Math.max(this.newest, time);
    lines.id[line] = toId(record);
    lines.time[line] = time;
    lines.parent[line] = toId(parent);
    lines.root[line] = toId(root);
    lines.prefix[line] = this.prefixes.indexOf(prefix);
    for (const target of targets) references.push(toId(target));
  }

  #toIds(numbers: readonly number[]): Pick<SnapshotPart, 'uuids' | 'kinds'> {
    const { ids } = this.#index.table;
    const uuids = new Int32Array(numbers.length * UUID_WORDS);
    for (const [id, number] of numbers.entries()) ids.copyUuid(number, uuids, id * UUID_WORDS);
    return { uuids, kinds: Uint8Array.from(numbers, (number) => ids.kindCodeOf(number)) };
  }
}

function readLastLine({
  seq,
  places,
  segments,
}: LogState): Pick<Snapshot['head'], 'count' | 'witness'> | undefined {
  const place = places.get(seq);
  const segment = segments.find(({ header }) => header.number === place?.log);
  if (place === undefined || segment === undefined) return undefined;
  const bytes = segment.file.readNow(place.at, place.length);
  const line = bytes && decodeLine(bytes, segment.header.seed);
  return bytes && line && { count: line.base, witness: { ...place, seq, sum: sumOf(bytes) } };
}

/** Whether a snapshot says something of a record that was erased since, as one that was put back may. */
export function describesErased(snapshot: Snapshot, { table }: RecordIndex): boolean {
  for (let seq = 1; seq <= snapshot.head.count; seq++) {
    const id = snapshot.part(partNumber(seq)).id[indexInPart(seq)];
    if (id !== NONE && !table.isThere(table.numberAt(seq))) return true;
  }
  return false;
}

/** Takes records from a snapshot into a new index. */
export class RecordRestorer {
  readonly #snapshot: Snapshot;
  readonly #index: RecordIndex;
  /** By id in the snapshot, its number in the index. */
  readonly #numbers: Int32Array;
  #idCount = 0;
  /** Of the parts before it the ids have numbers. */
  #nextPart = 0;
  /** Older lines hold no write entry that counts. */
  readonly #recentFrom: TimeKey;

  /** @param now wall-clock time, milliseconds since 1970 */
  constructor(snapshot: Snapshot, index: RecordIndex, now: number) {
    const { idCount, newest } = snapshot.head;
    this.#snapshot = snapshot;
    this.#index = index;
    this.#numbers = new Int32Array(idCount);
    this.#recentFrom = timeKeyAt(expiryTime(now, toTimestamp(newest)) - RETENTION_MS - MAX_CLOCK_SKEW_MS);
  }

  /** Adds the record of a line. @returns false if the line has to be read */
  restore(seq: number): boolean {
    for (; this.#nextPart <= partNumber(seq); this.#nextPart++) this.#reserveIds(this.#nextPart);
    const part = this.#snapshot.part(partNumber(seq));
    const line = indexInPart(seq);
    const [id, time] = [part.id[line] ?? NONE, part.time[line] ?? BEFORE_ALL];
    if (id === NONE || (part.isSigned[line] === 1 && time > this.#recentFrom)) return false;
    const head = {
      line: seq,
      time,
      parent: this.#toNumber(part.parent[line]),
      root: this.#toNumber(part.root[line]),
      prefix: this.#snapshot.head.prefixes[part.prefix[line] ?? 0] ?? null,
    };
    const targets: number[] = [];
    const end = part.referenceEnd[line] ?? 0;
    for (let next = part.referenceEnd[line - 1] ?? 0; next < end; next++)
      targets.push(this.#toNumber(part.references[next]));
    this.#index.restore(this.#toNumber(id), head, targets);
    return true;
  }

  #toNumber(id = NONE): number {
    return id === NONE ? NONE : (this.#numbers[id] ?? NONE);
  }

  #reserveIds(part: number): void {
    const { uuids, kinds } = this.#snapshot.part(part);
    for (const [id, kind] of kinds.entries())
      this.#numbers[this.#idCount++] = this.#index.table.ids.reserveUuid(kind, uuids, id * UUID_WORDS);
  }
}
