import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { readWhole, removeFile, replaceFile, writeAll } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { encodeBody } from './codec.ts';
import {
  encodeLine,
  FORMAT,
  headerLine,
  withoutText,
  WRITE_START,
  textSpan,
  type StoredOperation,
} from './line.ts';
import { scanSegment, type ScanResult } from './scan.ts';
import { SegmentFile } from './segment-file.ts';
import { shortWriteError } from './short-write-error.ts';
import { generationOf, isLogName, nameOfGeneration } from './segment-names.ts';

/*
 * Format 1, which the first edition wrote: `CURRENT` names the log. A line holds a list of operations, all
 * checksums start from 0, and a seal is an object with the name of the log that replaced this one. Its
 * programs refuse a log whose header names another format.
 */
const HEADER_1 = encodeLine({ at: 0, seq: 0, base: 0 }, '"log":{"format":1}', 0);
const CURRENT = 'CURRENT';
/** An import wrote 500 records as one line. */
const MAX_LENGTH_1 = 64 * 1024 * 1024;

interface Seal1 {
  readonly log: string;
}

/**
 * Carries a log of format 1 over to a segment, once: the segment is whole and durable before the old log is
 * sealed. Of several processes that do so, the one whose seal stands wins.
 * @param name of the log, or of a first segment
 * @returns the name of the first segment
 * @throws CorruptionError
 */
export async function upgradeLog(disk: Disk, folder: string, name: string): Promise<string> {
  if (!isLogName(name)) throw new CorruptionError(join(folder, CURRENT), 'it names no log');
  if (!(await disk.list(folder)).includes(name))
    throw new CorruptionError(join(folder, name), 'the log is missing; restore it from a backup');
  const file = await SegmentFile.open(disk, folder, name);
  try {
    const { header, end } = await file.readHeader();
    if (header.format === FORMAT) {
      await removeRivals(disk, folder, name);
      return name;
    }
    const next = await sealedSuccessor(disk, folder, { file, name, end });
    if (next === undefined) return await upgradeLog(disk, folder, name);
    await settle(disk, folder, name, next);
    return await upgradeLog(disk, folder, next);
  } finally {
    await file.close();
  }
}

interface Log1 {
  readonly file: SegmentFile;
  readonly name: string;
  /** Of the header line. */
  readonly end: number;
}

/** @returns the name in the seal that stands; undefined if another process wrote meanwhile */
async function sealedSuccessor(disk: Disk, folder: string, log: Log1): Promise<string | undefined> {
  const operations: StoredOperation[] = [];
  const found = await scan(log, operations);
  // In format 1 a seal is an object, and a line holds a list of operations.
  if (found.seal !== undefined) return (found.seal as unknown as Seal1).log;
  await log.file.sync();
  const generation = generationOf(log.name) + 1;
  const name = nameOfGeneration(generation, randomBytes(8).toString('hex'));
  const file = await disk.open(join(folder, name), 'create');
  let mayBeNamed = false;
  try {
    await writeAll(file, encodeSegment(operations, generation));
    await file.sync();
    await disk.syncFolder(folder);
    // If the append throws, the old log may name the new one nevertheless.
    mayBeNamed = true;
    mayBeNamed = await appendSeal(log, found, name);
    return mayBeNamed ? name : undefined;
  } finally {
    await file.close();
    if (!mayBeNamed) await removeFile(disk, join(folder, name));
  }
}

/** The rules of format 2 find every line that those of format 1 find. */
async function scan({ file, end }: Log1, operations: StoredOperation[]): Promise<ScanResult> {
  const source = {
    file,
    maxLength: MAX_LENGTH_1,
    header: { format: FORMAT, number: 0, from: 1, upto: 0, seed: 0 } as const,
    stop: Infinity,
    erasures: async () => [],
    isContinued: async () => false,
  };
  return scanSegment(source, { offset: end, seq: 0 }, (row) => {
    // As above: a list.
    for (const stored of row.do as unknown as StoredOperation[]) operations.push(stored);
  });
}

/** An erased record loses its text, if the first edition was stopped before it removed it. */
function* encodeSegment(operations: readonly StoredOperation[], number: number): Iterable<Buffer> {
  const seed = randomInt(2 ** 32);
  const erased = new Set(
    operations.flatMap((stored) => ('id' in stored && stored.moderate === 'erase' ? stored.id : [])),
  );
  const header = headerLine({ format: FORMAT, number, from: 1, upto: operations.length, seed });
  yield header;
  let at = header.length;
  for (const [index, stored] of operations.entries()) {
    let line = encodeLine({ at, seq: index + 1, base: 0 }, encodeBody(stored), seed);
    if ('add' in stored && erased.has(stored.record.id)) {
      const text = line.subarray(0, -1);
      line = Buffer.concat([withoutText(text, textSpan(text), seed).bytes, line.subarray(-1)]);
    }
    yield line;
    at += line.length;
  }
}

async function appendSeal({ file }: Log1, { position, size }: ScanResult, name: string): Promise<boolean> {
  const place = { at: size + WRITE_START.length, seq: position.seq + 1, base: position.seq };
  const seal: Seal1 = { log: name };
  const bytes = Buffer.concat([WRITE_START, encodeLine(place, `"seal":${JSON.stringify(seal)}`, 0)]);
  if (file.size !== size) return false;
  if ((await file.append(bytes)) < bytes.length) throw shortWriteError();
  return file.size === size + bytes.length || (await file.read(size, bytes.length)).equals(bytes);
}

/**
 * Leaves in the old log nothing but a pointer, for programs of the first edition, and makes the switch to the
 * new one. `CURRENT` comes last: an opener that finds the old log in it repeats all of this.
 */
async function settle(disk: Disk, folder: string, from: string, to: string): Promise<void> {
  const place = { at: HEADER_1.length, seq: 1, base: 0 };
  const pointer = encodeLine(place, `"seal":${JSON.stringify({ log: to })}`, 0);
  await replaceFile(disk, folder, from, Buffer.concat([HEADER_1, pointer]));
  const current = await readWhole(disk, join(folder, CURRENT));
  if (current === undefined || current.toString() === `${from}\n`)
    await replaceFile(disk, folder, CURRENT, Buffer.from(`${to}\n`));
}

/** Removes what processes left that carried the same log over and were late: it holds all texts. */
async function removeRivals(disk: Disk, folder: string, name: string): Promise<void> {
  const rivals = (await disk.list(folder)).filter(
    (other) => isLogName(other) && generationOf(other) === generationOf(name) && other !== name,
  );
  for (const rival of rivals) await removeFile(disk, join(folder, rival));
  if (rivals.length > 0) await disk.syncFolder(folder);
}
