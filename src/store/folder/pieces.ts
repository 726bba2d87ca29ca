import type { DiskFile } from './fs/disk.ts';
import { MAX_LINE_BYTES } from './line.ts';

/** Applying lines of this size takes some 10 ms. The event loop does other work between two chunks. */
const CHUNK_BYTES = 2 * MAX_LINE_BYTES;
const LINE_FEED = 0x0a;

/** Bytes between two line feeds. */
export interface Piece {
  readonly at: number;
  /** Undefined if the piece is longer than a line may be. */
  readonly bytes: Buffer | undefined;
  /** In bytes, without the line feed. */
  readonly length: number;
}

/**
 * Reads the next pieces of a file: about 512 KiB of them, or one longer piece.
 * @param from the offset at which a piece begins
 * @param limit the offset up to which is read, exclusive
 * @returns the pieces, and as `end` the offset behind the last whole one; `from` if there is none
 * @throws Error if the file ends before the limit
 */
export async function readPieces(
  file: Pick<DiskFile, 'read'>,
  from: number,
  limit: number,
): Promise<{ pieces: Piece[]; end: number }> {
  const bytes = await readFully(file, from, Math.min(CHUNK_BYTES, limit - from));
  const pieces: Piece[] = [];
  let start = 0;
  for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, start)) {
    const length = feed - start;
    const isLine = length <= MAX_LINE_BYTES;
    pieces.push({ at: from + start, bytes: isLine ? bytes.subarray(start, feed) : undefined, length });
    start = feed + 1;
  }
  if (start > 0 || from + bytes.length === limit) return { pieces, end: from + start };
  for (let next = from + bytes.length; next < limit; ) {
    const more = await readFully(file, next, Math.min(CHUNK_BYTES, limit - next));
    const feed = more.indexOf(LINE_FEED);
    next += feed < 0 ? more.length : feed + 1;
    if (feed >= 0) return { pieces: [{ at: from, bytes: undefined, length: next - 1 - from }], end: next };
  }
  return { pieces, end: from };
}

/** Fills a buffer. @throws Error if the file ends before that */
export async function readFully(file: Pick<DiskFile, 'read'>, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const read = await file.read(bytes.subarray(filled), at + filled);
    if (read === 0) throw new Error(`the file ends at byte ${at + filled}`);
    filled += read;
  }
  return bytes;
}
