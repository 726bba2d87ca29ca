import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';
import { isSameFile, type Disk, type DiskFile, type FileStatus } from './fs/disk.ts';
import {
  blankedBytes,
  CHUNK_BYTES,
  decodeLine,
  type EraseTarget,
  FIRST_LINE,
  holdsNothing,
  LOG,
  type Piece,
  readFully,
  readPieces,
  withoutText,
} from './line.ts';
import { removeCopies } from './open-log.ts';

/** Every line that erases another one contains this text, and no other line does. */
const ERASES = '"line":{"at":';

interface Range {
  readonly from: number;
  to: number;
}

/** Overwrites the texts of erased lines, and dead bytes, which may hold a copy of an erased text. */
export class Blanks {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #file: DiskFile;
  #dead: Range[] = [];
  #unfinished: EraseTarget[] = [];
  /** Erased lines by their offset, as recorded by the erase lines before `#erasuresTo`. */
  readonly #erased = new Map<number, EraseTarget>();
  #erasuresTo = FIRST_LINE.length;

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

  /** @param piece must be after all pieces added before */
  addDead({ offset, bytes, length }: Piece): void {
    if (bytes !== undefined && holdsNothing(bytes)) return;
    const last = this.#dead.at(-1);
    // Two pieces with only a line feed between them are one range.
    if (last?.to === offset - 1) last.to = offset + length;
    else this.#dead.push({ from: offset, to: offset + length });
  }

  /**
   * Adds an erased line, unless its text is already blank.
   * @param isOwn whether this process erased it. Then it is added even if its text is blank, since another
   *   process may have blanked it without a sync
   */
  addErased(target: EraseTarget, isOwn: boolean): void {
    const bytes = Buffer.alloc(target.length);
    this.#file.readNow(bytes, target.at);
    if (isOwn || !withoutText(bytes, target.span).equals(bytes)) this.#unfinished.push(target);
  }

  /** @returns what any line of the log, applied or not, erases at an offset */
  async findErased(offset: number): Promise<EraseTarget | undefined> {
    const size = this.#file.size();
    for (let isFurther = true; isFurther; ) {
      const { pieces, end } = await readPieces(this.#file, this.#erasuresTo, size);
      for (const { offset: from, bytes } of pieces) {
        const line = bytes?.includes(ERASES) === true ? decodeLine(bytes) : undefined;
        const target = line?.offset === from && 'moderate' in line.do ? line.do.line : undefined;
        if (target !== undefined) this.#erased.set(target.at, target);
      }
      isFurther = end > this.#erasuresTo;
      this.#erasuresTo = end;
    }
    return this.#erased.get(offset);
  }

  /**
   * Overwrites what was added, and syncs the file. Only for the holder of the lock.
   * @param sync is called before a text is overwritten: if the erase line were lost, the line without its
   *   text would not count
   * @throws StoreFailure
   */
  async write(sync: () => Promise<void>): Promise<void> {
    const erased = this.#unfinished;
    if (erased.length > 0) {
      await sync();
      await removeCopies(this.#disk, this.#folder);
    }
    await this.#overwrite(erased);
    await sync();
    if (erased.length > 0) {
      // A repair of another process may have copied the text before it was overwritten.
      await removeCopies(this.#disk, this.#folder);
      this.#requireName(await this.#disk.status(join(this.#folder, LOG)));
    }
    this.#dead = [];
    this.#unfinished = [];
  }

  async #overwrite(erased: readonly EraseTarget[]): Promise<void> {
    const file = await this.#disk.open(join(this.#folder, LOG), 'overwrite');
    const overwrite = async (from: number, length: number, blank: (bytes: Buffer) => Buffer) => {
      const found = await readFully(file, from, length);
      const bytes = blank(found);
      if (bytes.equals(found)) return;
      for (let done = 0; done < length; ) done += await file.overwrite(bytes.subarray(done), from + done);
    };
    try {
      this.#requireName(file.status());
      for (const { from, to } of this.#dead)
        for (let offset = from; offset < to; offset += CHUNK_BYTES)
          await overwrite(offset, Math.min(CHUNK_BYTES, to - offset), blankedBytes);
      for (const { at, length, span } of erased)
        await overwrite(at, length, (bytes) => withoutText(bytes, span));
    } finally {
      await file.close();
    }
  }

  /** @throws StoreFailure if another file now has the name of the log */
  #requireName(found: FileStatus | undefined): void {
    if (!isSameFile(this.#file.status(), found))
      throw new StoreFailure('unknown', 'the log of the folder was replaced; restart this process');
  }
}
