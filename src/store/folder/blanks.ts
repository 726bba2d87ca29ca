import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';
import type { Disk, DiskFile } from './fs/disk.ts';
import {
  blankedBytes,
  decodeLine,
  FIRST_LINE,
  holdsNothing,
  LOG,
  withoutText,
  type EraseTarget,
} from './line.ts';
import { removeCopies } from './open-log.ts';
import { readFully, readPieces, type Piece } from './pieces.ts';

/** Stands in every line that erases another one, and in no other. */
const ERASES = '"line":{"at":';

interface Range {
  readonly from: number;
  /** Behind the last byte. */
  to: number;
}

/** Bytes that are overwritten without a pause. */
const PIECE_BYTES = 512 * 1024;

/**
 * What is written in place: blanks over dead bytes, which no text may stay in, and over texts of erased
 * lines.
 */
export class Blanks {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #file: DiskFile;
  #dead: Range[] = [];
  /** Erased lines that were not seen blank. */
  #unfinished: EraseTarget[] = [];
  /** By first byte, the lines that erase lines name, up to the byte `#erasuresTo`. */
  readonly #erased = new Map<number, EraseTarget>();
  #erasuresTo = FIRST_LINE.length;

  /** @param file the log, open to be read */
  constructor(disk: Disk, folder: string, file: DiskFile) {
    this.#disk = disk;
    this.#folder = folder;
    this.#file = file;
  }

  get hasUnfinished(): boolean {
    return this.#unfinished.length > 0;
  }

  get hasDead(): boolean {
    return this.#dead.length > 0;
  }

  /** @param piece behind those that were added before */
  addDead({ at, bytes, length }: Piece): void {
    if (bytes !== undefined && holdsNothing(bytes)) return;
    const last = this.#dead.at(-1);
    // Neighbours are one range, with the line feed between them.
    if (last?.to === at - 1) last.to = at + length;
    else this.#dead.push({ from: at, to: at + length });
  }

  /**
   * Adds the line that an erase line names, unless its text is blank.
   * @param isOwn whether this process erases it: a text that another process has blanked since may still be
   *   on the disk, and has to be synced
   */
  addErased(target: EraseTarget, isOwn: boolean): void {
    const bytes = Buffer.alloc(target.length);
    this.#file.readNow(bytes, target.at);
    if (isOwn || !withoutText(bytes, target.span).equals(bytes)) this.#unfinished.push(target);
  }

  /** @returns what an erase line, which may stand anywhere behind it, says of the line at a byte */
  async findErased(at: number): Promise<EraseTarget | undefined> {
    const size = this.#file.size();
    for (let isFurther = true; isFurther; ) {
      const { pieces, end } = await readPieces(this.#file, this.#erasuresTo, size);
      for (const { at: from, bytes } of pieces) {
        const line = bytes?.includes(ERASES) === true ? decodeLine(bytes) : undefined;
        const target = line?.at === from && 'moderate' in line.do ? line.do.line : undefined;
        if (target !== undefined) this.#erased.set(target.at, target);
      }
      isFurther = end > this.#erasuresTo;
      this.#erasuresTo = end;
    }
    return this.#erased.get(at);
  }

  /**
   * Writes and syncs the blanks. Only for the holder of the lock: what is dead stays dead, since no byte in
   * front of it changes.
   * @param sync of the log: an erase line that is lost after its text would leave a line that does not count
   * @throws StoreFailure
   */
  async write(sync: () => Promise<void>): Promise<void> {
    const erased = this.#unfinished;
    if (this.#dead.length === 0 && erased.length === 0) return;
    if (erased.length > 0) {
      await sync();
      await removeCopies(this.#disk, this.#folder);
    }
    await this.#overwrite(erased);
    // Dead bytes may hold a text that is erased elsewhere.
    await sync();
    this.#dead = [];
    this.#unfinished = [];
  }

  async #overwrite(erased: readonly EraseTarget[]): Promise<void> {
    const file = await this.#disk.open(join(this.#folder, LOG), 'overwrite');
    const [own, found] = [this.#file.status(), file.status()];
    if (own.inode !== found.inode || own.device !== found.device) {
      await file.close();
      throw new StoreFailure('unknown', 'the log of the folder was replaced; restart this process');
    }
    const overwrite = async (
      from: number,
      length: number,
      blank: (bytes: Buffer) => Buffer,
    ): Promise<void> => {
      const found = await readFully(file, from, length);
      const bytes = blank(found);
      if (bytes.equals(found)) return;
      for (let done = 0; done < length; ) done += await file.overwrite(bytes.subarray(done), from + done);
    };
    try {
      for (const { from, to } of this.#dead)
        for (let at = from; at < to; at += PIECE_BYTES)
          await overwrite(at, Math.min(PIECE_BYTES, to - at), blankedBytes);
      for (const { at, length, span } of erased)
        await overwrite(at, length, (bytes) => withoutText(bytes, span));
    } finally {
      await file.close();
    }
  }
}
