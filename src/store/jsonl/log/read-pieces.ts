import type { DiskFile } from '#store/jsonl/fs/disk.ts';
import { MAX_LINE_BYTES } from './line.ts';

/** Applying lines of this size takes some 10 ms. The event loop does other work between two chunks. */
const CHUNK_BYTES = 512 * 1024;
const LINE_FEED = 0x0a;

/** Bytes between two line feeds. */
export interface Piece {
  readonly at: number;
  /** Undefined if the piece is too long. */
  readonly bytes: Buffer | undefined;
  /** In bytes, without the line feed. */
  readonly length: number;
}

/**
 * Visits the pieces of a file from an offset, which is the beginning of one, up to the size that the file has
 * when it is called.
 * @param visit returns false to stop
 * @param maxLength of a piece; longer ones are visited without their bytes
 * @param chunkBytes how much is read at once
 * @returns `end`: the offset behind the last piece that was visited; `size`: of the file
 * @throws Error if the file becomes shorter during the call
 */
export async function readPieces(
  file: Pick<DiskFile, 'size' | 'read'>,
  from: number,
  visit: (piece: Piece) => boolean,
  maxLength = MAX_LINE_BYTES,
  chunkBytes = CHUNK_BYTES,
): Promise<{ end: number; size: number }> {
  const size = file.size();
  // A chunk holds at least one whole piece, wherever that begins.
  const bytesAtOnce = Math.max(chunkBytes, 2 * maxLength);
  let end = from;
  // `next` is where the next read begins: behind `end` only within a piece that is too long.
  for (let next = from; next < size; ) {
    const bytes = await readFully(file, next, Math.min(bytesAtOnce, size - next));
    let start = 0;
    for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, start)) {
      const length = next + feed - end;
      const piece = length > maxLength ? undefined : bytes.subarray(start, feed);
      if (!visit({ at: end, bytes: piece, length })) return { end, size };
      end += length + 1;
      start = feed + 1;
    }
    const rest = next + bytes.length - end;
    // A piece that may still be a line is read again from its beginning, with what follows it.
    next = rest > maxLength ? next + bytes.length : end;
    if (next === end && end + rest === size) break;
  }
  return { end, size };
}

/** @throws Error if the file ends before */
export async function readFully(file: Pick<DiskFile, 'read'>, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  await fill(bytes, file, at);
  return bytes;
}

async function fill(bytes: Buffer, file: Pick<DiskFile, 'read'>, at: number): Promise<void> {
  const { length } = bytes;
  for (let filled = 0; filled < length; ) {
    const read = await file.read(bytes.subarray(filled), at + filled);
    if (read === 0) throw new Error(`the file ends at byte ${at + filled}`);
    filled += read;
  }
}

/** Fills a buffer from an offset of a file, at once. @throws Error if the file ends before */
export function fillNow(bytes: Buffer, file: Pick<DiskFile, 'readNow'>, at: number): void {
  const { length } = bytes;
  for (let filled = 0; filled < length; ) {
    const read = file.readNow(bytes.subarray(filled), at + filled);
    if (read === 0) throw new Error(`the file ends at byte ${at + filled}`);
    filled += read;
  }
}
