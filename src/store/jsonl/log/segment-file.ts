import { basename, join } from 'node:path';
import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import type { Disk, DiskFile, FileIdentity } from '#store/jsonl/fs/disk.ts';
import { decodeLine, FORMAT, OLDER_FORMAT, type SegmentHeader } from './line.ts';
import { fillNow, readFully, readPieces, type Piece } from './read-pieces.ts';
import { segmentNumber } from './segment-names.ts';

/** A header is shorter, whatever version wrote it. An erase reads that of every segment. */
const MAX_HEADER_BYTES = 4096;

/** An open segment, with a descriptor that appends and one that overwrites. */
export class SegmentFile {
  readonly path: string;
  readonly #disk: Disk;
  readonly #appending: DiskFile;
  readonly #overwriting: DiskFile;

  private constructor(disk: Disk, path: string, appending: DiskFile, overwriting: DiskFile) {
    this.path = path;
    this.#disk = disk;
    this.#appending = appending;
    this.#overwriting = overwriting;
  }

  /**
   * @param created the file, if this process has just made it: its descriptor learns of every failed sync
   *   since then, and is used for appending
   * @throws Error if another file gets the name at the same time
   */
  static async open(disk: Disk, folder: string, name: string, created?: DiskFile): Promise<SegmentFile> {
    const path = join(folder, name);
    const appending = created ?? (await disk.open(path, 'append'));
    let overwriting: DiskFile | undefined;
    try {
      overwriting = await disk.open(path, 'overwrite');
      if (!isSame(appending.identity(), overwriting.identity())) throw new Error(`${path} was replaced`);
      return new SegmentFile(disk, path, appending, overwriting);
    } catch (error) {
      await overwriting?.close();
      if (created === undefined) await appending.close();
      throw error;
    }
  }

  get size(): number {
    return this.#appending.size();
  }

  /** Whether the name of the segment still leads to this file. */
  async isInPlace(): Promise<boolean> {
    return isSame(this.#appending.identity(), await this.#disk.identity(this.path));
  }

  /** @throws CorruptionError unless the file begins with the header of the segment in its name */
  async readHeader(): Promise<{ header: SegmentHeader; end: number }> {
    let header: SegmentHeader | undefined;
    let end = 0;
    const visit = ({ bytes, length }: Piece): boolean => {
      const line = bytes && decodeLine(bytes, 0);
      if (line !== undefined && 'log' in line && line.at === 0) header = line.log;
      end = length + 1;
      return false;
    };
    await readPieces(this.#appending, 0, visit, MAX_HEADER_BYTES, 0);
    if (header === undefined) throw new CorruptionError(this.path, 'the segment has no header', 0);
    if (header.format > FORMAT)
      throw new CorruptionError(this.path, 'a newer version of this program wrote it', 0);
    if (header.format < FORMAT) throw new CorruptionError(this.path, OLDER_FORMAT, 0);
    // A copy of an earlier segment leads back to its successor, which is itself.
    if (header.number !== segmentNumber(basename(this.path)))
      throw new CorruptionError(this.path, 'the segment has another number than its name', 0);
    return { header, end };
  }

  async readPieces(from: number, visit: (piece: Piece) => boolean): Promise<{ end: number; size: number }> {
    if (this.size < from) throw new CorruptionError(this.path, 'the segment has become shorter', this.size);
    return readPieces(this.#appending, from, visit);
  }

  /** @throws Error if the file ends before the range does */
  read(at: number, length: number): Promise<Buffer> {
    return readFully(this.#appending, at, length);
  }

  /** Reads synchronously. @returns undefined if the file ends before the range does, or the disk fails */
  readNow(at: number, length: number): Buffer | undefined {
    try {
      // A wrong length may be more than there is memory for.
      const bytes = Buffer.allocUnsafe(length);
      fillNow(bytes, this.#appending, at);
      return bytes;
    } catch {
      return undefined;
    }
  }

  /** One system call. @returns the number of bytes that were written */
  append(bytes: Buffer): Promise<number> {
    return this.#appending.append(bytes);
  }

  sync(): Promise<void> {
    return this.#appending.sync();
  }

  async overwrite(bytes: Buffer, at: number): Promise<void> {
    for (let written = 0; written < bytes.length; )
      written += await this.#overwriting.overwrite(bytes.subarray(written), at + written);
  }

  syncOverwrites(): Promise<void> {
    return this.#overwriting.sync();
  }

  async close(): Promise<void> {
    await Promise.all([this.#appending.close(), this.#overwriting.close()]);
  }
}

function isSame(a: FileIdentity | undefined, b: FileIdentity | undefined): boolean {
  return a?.inode !== undefined && a.inode === b?.inode && a.device === b.device;
}
