import { join } from 'node:path';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { decodeOperation, recordIn } from '#store/jsonl/log/codec.ts';
import type { StoredOperation } from '#store/jsonl/log/line.ts';
import { isSegmentName, numberOfTemporary } from '#store/jsonl/log/segment-names.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import { FeedSearch } from '#store/memory/feed/feed-search.ts';
import { createReader } from '#store/memory/reader.ts';
import type { Loss, ModerationEntry, Salvage } from '#store/store.ts';
import { chooseSegments, type NumberedSegment } from './choose-segments.ts';
import { findCountingLines, linesAre } from './counting-lines.ts';
import { withoutReadErrors } from './read-blocks.ts';
import { readSegment, type ErasedRecords, type FoundSegment } from './read-segment.ts';

/** An operation that counts, and where it stands. */
interface FoundOperation {
  readonly seq: number;
  readonly stored: StoredOperation;
  readonly place: Pick<Loss, 'file' | 'bytes'>;
}

/**
 * Reads what can be read of a damaged folder, and changes nothing in it. Of an undamaged one the history is
 * that of its store. Nothing that an erase line names is part of it; if anything is damaged, even if that line
 * does not count.
 * @throws CorruptionError if the folder holds no log, or one of a newer format
 */
export async function salvageFolder(disk: Disk, folder: string): Promise<Salvage> {
  const names = (await disk.list(folder)).filter(
    (name) => isSegmentName(name) || numberOfTemporary(name) !== undefined,
  );
  if (!names.some(isSegmentName)) throw new CorruptionError(folder, 'there is no store in this folder');
  const found = new Map<string, FoundSegment>();
  for (const name of names) found.set(name, await readFile(disk, folder, name));
  const { segments, losses: missing } = chooseSegments(found);
  const { operations, losses } = findOperations(segments);
  losses.unshift(...missing);
  // An undamaged folder shows which erase lines count.
  const erased = losses.length === 0 ? [] : [...found.values()].map((segment) => segment.erased);
  const salvaged = toSalvage(operations, erased, losses);
  const placed = [...salvaged.losses, ...cutOffLine(segments.at(-1))];
  const inFiles = placed.map((loss) => inFile(loss, found.get(loss.file)?.inserted ?? 0));
  return { ...salvaged, losses: [...segments.flatMap(insertedBytes), ...inFiles] };
}

/**
 * A crash may have cut off the last line before it was acknowledged; then it does not count, and the folder is not damaged.
 * Nothing shows whether the file was shortened later.
 */
function cutOffLine(last: NumberedSegment | undefined): Loss[] {
  if (last === undefined || last.seal !== undefined || last.fragmentAt === last.size) return [];
  const what = 'the last line is cut off, by a crash before it was acknowledged or by damage';
  return [{ file: last.name, bytes: [last.fragmentAt, last.size], what }];
}

function insertedBytes({ name, inserted }: FoundSegment): Loss[] {
  return inserted === 0
    ? []
    : [{ file: name, bytes: [0, inserted], what: 'bytes were inserted before the header' }];
}

/** @param inserted bytes of the file before the segment */
function inFile(loss: Loss, inserted: number): Loss {
  if (loss.bytes === undefined) return loss;
  const [from, to] = loss.bytes;
  return { ...loss, bytes: [from + inserted, to + inserted] };
}

async function readFile(disk: Disk, folder: string, name: string): Promise<FoundSegment> {
  const file = await disk.open(join(folder, name), 'read');
  try {
    return await readSegment(withoutReadErrors(file), name);
  } finally {
    await file.close();
  }
}

function findOperations(segments: readonly NumberedSegment[]): {
  operations: FoundOperation[];
  losses: Loss[];
} {
  const operations: FoundOperation[] = [];
  const losses: Loss[] = [];
  const erasures = segments.flatMap((segment) => segment.erasures);
  let last = 0;
  for (const [index, segment] of segments.entries()) {
    const { name, from, size, number, isHeaderDamaged } = segment;
    const firstAt = segment.lines.find(({ damaged }) => damaged === undefined)?.at ?? size;
    if (isHeaderDamaged) losses.push({ file: name, bytes: [0, firstAt], what: 'the header is damaged' });
    // Nothing of it can be read.
    if (from === Infinity) continue;
    if (from > last + 1)
      losses.push({ file: name, what: linesAre(from - 1 - last, 'missing before its first one') });
    const stop = Math.min(...segments.slice(index + 1).map((later) => later.from));
    const next = segments[index + 1];
    const isFollowed = next?.number === number + 1 && !next.isHeaderDamaged;
    const counting = findCountingLines(segment, { number, stop, isFollowed, erasures });
    losses.push(...counting.losses);
    last = counting.last;
    for (const { seq, at, length, stored } of counting.lines)
      if (stored !== undefined)
        operations.push({ seq, stored, place: { file: name, bytes: [at, at + length] } });
  }
  return { operations, losses };
}

/** @param erased what erase lines name that may not count; empty if nothing is damaged */
function toSalvage(
  operations: readonly FoundOperation[],
  erased: readonly ErasedRecords[],
  found: readonly Loss[],
): Salvage {
  const losses = [...found];
  const index = new RecordIndex({ read: (rows) => rows.map((row) => recordIn(operations[row]?.stored)) });
  const erasedForSure = new Set(
    operations.flatMap(({ stored }) => ('id' in stored && stored.moderate === 'erase' ? stored.id : [])),
  );
  for (const [row, { seq, stored, place }] of operations.entries()) {
    const operation = decodeOperation(stored, { open: () => undefined });
    if (operation.action === 'erased-add') index.applyErased(operation, 0, row);
    else if (operation.action !== 'add' || !isNamed(operation.record.id, seq, erased)) {
      index.apply(operation, 0, row);
    } else if (!erasedForSure.has(operation.record.id))
      losses.push({ ...place, what: 'the record is left out, since a line that may not count erases it' });
  }
  // An import refuses to hide a record that it does not have.
  const isOrphaned = ({ action, id }: Pick<ModerationEntry, 'action' | 'id'>): boolean =>
    found.length > 0 && action !== 'erase' && !index.has(id) && !erasedForSure.has(id);
  for (const { stored, place } of operations)
    if ('id' in stored && isOrphaned({ ...stored, action: stored.moderate as ModerationEntry['action'] }))
      losses.push({ ...place, what: 'the line hides or shows a record that is lost' });
  const reader = createReader(async () => index, { now: () => 0 }, new FeedSearch(() => index.feed));
  async function* history(): ReturnType<Salvage['history']> {
    for await (const entry of reader.history()) if (!('action' in entry && isOrphaned(entry))) yield entry;
  }
  return { history, losses, frozen: index.frozen };
}

function isNamed(id: string, seq: number, erased: readonly ErasedRecords[]): boolean {
  return erased.some(({ ids, numbers }) => ids.has(id) || numbers.has(seq));
}
