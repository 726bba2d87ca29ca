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
  readonly to: number;
}

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

  addDead({ at, bytes, length }: Piece): void {
    if (bytes === undefined || !holdsNothing(bytes)) this.#dead.push({ from: at, to: at + length });
  }

  /** Adds the line that an erase line names, unless its text is blank. */
  addErased(target: EraseTarget): void {
    const bytes = Buffer.alloc(target.length);
    this.#file.readNow(bytes, target.at);
    if (!withoutText(bytes, target.span).equals(bytes)) this.#unfinished.push(target);
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
   * Writes and syncs the blanks. Only for the holder of the lock.
   * @param before the byte before which all that is dead stays dead
   * @param sync of the log: an erase line that is lost after its text would leave a line that does not count
   * @throws StoreFailure
   */
  async write(before: number, sync: () => Promise<void>): Promise<void> {
    const erased = this.#unfinished;
    const dead = this.#dead.filter(({ to }) => to <= before);
    if (dead.length === 0 && erased.length === 0) return;
    if (erased.length > 0) await sync();
    try {
      if (erased.length > 0) await removeCopies(this.#disk, this.#folder);
      await this.#overwrite(dead, erased);
    } catch (error) {
      throw new StoreFailure('unknown', 'an erased text could not be overwritten', { cause: error });
    }
    if (erased.length > 0) await sync();
    this.#dead = this.#dead.filter((range) => !dead.includes(range));
    this.#unfinished = [];
  }

  async #overwrite(dead: readonly Range[], erased: readonly EraseTarget[]): Promise<void> {
    const file = await this.#disk.open(join(this.#folder, LOG), 'overwrite');
    const overwrite = async ({ from, to }: Range, blank: (bytes: Buffer) => Buffer): Promise<void> => {
      const bytes = blank(await readFully(file, from, to - from));
      for (let done = 0; done < bytes.length; )
        done += await file.overwrite(bytes.subarray(done), from + done);
    };
    try {
      for (const range of dead) await overwrite(range, blankedBytes);
      for (const line of erased) await overwrite(toRange(line), (bytes) => withoutText(bytes, line.span));
    } finally {
      await file.close();
    }
  }
}

function toRange({ at, length }: EraseTarget): Range {
  return { from: at, to: at + length };
}
