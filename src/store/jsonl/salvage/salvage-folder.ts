import { join } from 'node:path';
import { CorruptionError, isError } from '#store/jsonl/fs/errors.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { decodeOperation, recordIn } from '#store/jsonl/log/codec.ts';
import type { StoredOperation } from '#store/jsonl/log/line.ts';
import { isSegmentName, segmentName, segmentNumber } from '#store/jsonl/log/segment-names.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import { FeedSearch } from '#store/memory/feed-search.ts';
import { createReader } from '#store/memory/reader.ts';
import type { Loss, ModerationEntry, Salvage } from '#store/port/store.ts';
import { withoutReadErrors } from './read-blocks.ts';
import { readSegment, type ErasedRecords, type FoundSegment, type PlacedLine } from './read-segment.ts';

interface FoundOperation {
  readonly seq: number;
  readonly stored: StoredOperation;
  readonly place: Pick<Loss, 'file' | 'bytes'>;
}

/**
 * Reads what can be read of a damaged folder, and changes nothing in it. Of an undamaged one the history is
 * that of its store. Nothing that an erase line names is part of it, whether that line counts or not.
 * @throws CorruptionError if the folder holds no segment that can be read
 */
export async function salvageFolder(disk: Disk, folder: string): Promise<Salvage> {
  const names = await disk.list(folder);
  if (!names.some(isSegmentName)) throw new CorruptionError(folder, 'there is no store in this folder');
  const losses: Loss[] = [];
  const erased: ErasedRecords = { ids: new Set(), numbers: new Set() };
  const segments: FoundSegment[] = [];
  const numbers = names.filter(isSegmentName).map(segmentNumber);
  let failure: unknown;
  for (let number = Math.min(...numbers), seal: string | undefined; number < Infinity; ) {
    // The process that began the segment may have died before it gave the segment its name.
    const name = names.includes(segmentName(number)) ? segmentName(number) : seal;
    seal = undefined;
    try {
      const segment = await readFile(disk, folder, name ?? segmentName(number), number, erased);
      segments.push(segment);
      ({ seal } = segment);
    } catch (error) {
      failure ??= error;
      const what = isError(error, 'ENOENT')
        ? 'the segment is missing'
        : `the file is left out: ${String(error)}`;
      losses.push({ file: segmentName(number), what });
    }
    const last = number;
    number = seal === undefined ? Math.min(...numbers.filter((other) => other > last)) : number + 1;
    if (number > last + 1 && number < Infinity)
      losses.push({ file: segmentName(last + 1), what: 'the segment is missing' });
  }
  if (segments.length === 0) throw failure;
  const operations = findOperations(segments, erased, losses);
  return toSalvage(operations, erased, losses);
}

async function readFile(
  disk: Disk,
  folder: string,
  name: string,
  number: number,
  erased: ErasedRecords,
): Promise<FoundSegment> {
  const file = await disk.open(join(folder, name), 'read');
  try {
    return await readSegment(withoutReadErrors(file), name, number, erased);
  } finally {
    await file.close();
  }
}

/** @param losses takes what is damaged or missing */
function findOperations(
  segments: readonly FoundSegment[],
  erased: ErasedRecords,
  losses: Loss[],
): FoundOperation[] {
  const operations: FoundOperation[] = [];
  let last = 0;
  for (const [index, segment] of segments.entries()) {
    const { name: file, header, inserted, lines, size } = segment;
    const lose = (count: number, bytes: [from: number, to: number]): void => {
      const are = count === 1 ? 'line is' : 'lines are';
      losses.push({ file, bytes, what: `${count} ${are} damaged or missing` });
    };
    const firstAt = lines.find(({ stored }) => stored !== undefined)?.at ?? size;
    let end = header === undefined ? firstAt : segment.start;
    if (inserted > 0)
      losses.push({ file, bytes: [0, inserted], what: 'bytes were inserted before the header' });
    if (header === undefined) losses.push({ file, bytes: [0, firstAt], what: 'the header is damaged' });
    // Numbers from there on belong to later segments.
    const stop = Math.min(...segments.slice(index + 1).map(firstNumber));
    const required = stop === Infinity ? segment.proved : stop - 1;
    const first = Math.min(firstNumber(segment), stop);
    // Of a segment of which nothing can be read.
    if (first === Infinity) continue;
    if (first > last + 1) lose(first - 1 - last, [0, firstAt]);
    last = first - 1;
    for (const { seq, at, length, stored } of chooseLines(lines, first, stop, erased)) {
      const gap = seq - 1 - last;
      // Nothing shows that the missing line was synced: a crash may have cut it off, and its number is
      // another line's.
      if (gap > 0 && seq - 1 > required) break;
      if (gap > 0) lose(gap, [end, at]);
      const bytes: Loss['bytes'] = [at, at + length];
      if (stored !== undefined) operations.push({ seq, stored, place: { file, bytes } });
      else losses.push({ file, bytes, what: 'the line of an erased record is damaged' });
      last = seq;
      end = at + length + 1;
    }
    if (required > last) lose(required - last, [end, size]);
    last = Math.max(last, required);
    // Then it does not count, and the folder is not damaged. Nothing shows whether the file was shortened
    // later.
    const isCutOff = index === segments.length - 1 && segment.seal === undefined && segment.fragmentAt < size;
    const what = 'the last line is cut off, by a crash before it was acknowledged or by damage';
    if (isCutOff) losses.push({ file, bytes: [segment.fragmentAt, size], what });
  }
  return operations;
}

/** @returns Infinity if a segment without a header has no whole line */
function firstNumber({ header, lines }: FoundSegment): number {
  if (header !== undefined) return header.from;
  return lines.reduce(
    (first, { seq, stored }) => (stored === undefined ? first : Math.min(first, seq)),
    Infinity,
  );
}

/**
 * Of lines with one number the one counts that follows the line before it; behind damage, the last one.
 * @param first the number of the first one
 * @returns lines with rising numbers; those being erased, whose text may be half overwritten, have no
 *   operation
 */
function chooseLines(
  lines: readonly PlacedLine[],
  first: number,
  stop: number,
  erased: ErasedRecords,
): PlacedLine[] {
  const chain: PlacedLine[] = [];
  let behindDamage: PlacedLine[] = [];
  for (const line of lines) {
    const next = first + chain.length;
    if (line.seq < next || line.seq >= stop) continue;
    if (line.stored === undefined && !erased.numbers.has(line.seq)) {
      // It may have replaced a line that a power cut had left alone.
      const replaced = behindDamage.findLastIndex(({ seq }) => seq === line.seq);
      if (replaced >= 0) behindDamage.splice(replaced, 1);
    } else if (line.seq === next) {
      chain.push(line);
      behindDamage = [];
    } else {
      while ((behindDamage.at(-1)?.seq ?? 0) >= line.seq) behindDamage.pop();
      behindDamage.push(line);
    }
  }
  return [...chain, ...behindDamage];
}

function toSalvage(
  operations: readonly FoundOperation[],
  erased: ErasedRecords,
  losses: readonly Loss[],
): Salvage {
  const found = [...losses];
  const index = new RecordIndex({ read: (lines) => lines.map((line) => recordIn(operations[line]?.stored)) });
  const erasedForSure = new Set(
    operations.flatMap(({ stored }) => ('id' in stored && stored.moderate === 'erase' ? stored.id : [])),
  );
  for (const [line, { seq, stored, place }] of operations.entries()) {
    const operation = decodeOperation(stored, { open: () => undefined });
    if (operation.action === 'erased-add') index.applyErased(operation, 0, line);
    else if (operation.action !== 'add' || !isErased(operation.record.id, seq))
      index.apply(operation, 0, line);
    else if (!erasedForSure.has(operation.record.id))
      found.push({ ...place, what: 'the record is left out, since a line that may not count erases it' });
  }
  // An import refuses to hide a record that it does not have.
  const isOrphaned = ({ action, id }: Pick<ModerationEntry, 'action' | 'id'>): boolean =>
    found.length > 0 && action !== 'erase' && !index.has(id) && !erasedForSure.has(id);
  for (const { stored, place } of operations)
    if ('id' in stored && isOrphaned({ ...stored, action: stored.moderate as ModerationEntry['action'] }))
      found.push({ ...place, what: 'the line hides or shows a record that is lost' });
  const reader = createReader(async () => index, { now: () => 0 }, new FeedSearch(() => index.feed));
  async function* history(): ReturnType<Salvage['history']> {
    for await (const entry of reader.history()) if (!('action' in entry && isOrphaned(entry))) yield entry;
  }
  return { history, losses: found, frozen: index.frozen };

  function isErased(id: string, seq: number): boolean {
    return erased.ids.has(id) || erased.numbers.has(seq);
  }
}
