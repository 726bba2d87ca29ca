import { crc32 } from 'node:zlib';
import type { DiskFile } from '#store/jsonl/fs/disk.ts';
import { readPieces } from '#store/jsonl/log/read-pieces.ts';

const SUM = /,"sum":"([0-9a-f]{8})"\}$/;
const SUM_LENGTH = ',"sum":"00000000"}'.length;

/** The table of the CRC, by its lowest byte: what a CRC of 0 becomes by one byte. */
const TABLE = Array.from({ length: 256 }, (_, byte) => ~crc32(Buffer.of(byte), 0xffffffff) >>> 0);
/** The place in the table by the highest byte of its value. Each byte occurs once. */
const PLACES = new Map(TABLE.map((value, place) => [value >>> 24, place]));

/**
 * Finds the seed of a segment whose header is damaged. The seed of a CRC follows from the bytes and the
 * checksum; the seed that two lines have in common is that of the segment.
 * @returns undefined if fewer than two lines are whole
 */
export async function recoverSeed(file: Pick<DiskFile, 'size' | 'read'>): Promise<number | undefined> {
  const seen = new Set<number>();
  let found: number | undefined;
  await readPieces(file, 0, ({ at, bytes }) => {
    if (!bytes?.toString('latin1', 0, 30).startsWith(`{"at":${at},`)) return true;
    const seed = toSeed(bytes);
    if (seed !== undefined && seen.has(seed)) found = seed;
    else if (seed !== undefined) seen.add(seed);
    return found === undefined;
  });
  return found;
}

/** @returns the seed with which the checksum of a line fits; undefined if there is no checksum */
function toSeed(line: Buffer): number | undefined {
  const sum = SUM.exec(line.toString('latin1', Math.max(0, line.length - SUM_LENGTH)))?.[1];
  if (sum === undefined) return undefined;
  let crc = ~parseInt(sum, 16) >>> 0;
  for (let index = line.length - SUM_LENGTH - 1; index >= 0; index--) {
    const place = PLACES.get(crc >>> 24) ?? 0;
    crc = (((crc ^ (TABLE[place] ?? 0)) << 8) | (place ^ (line[index] ?? 0))) >>> 0;
  }
  return ~crc >>> 0;
}
