import { join } from 'node:path';
import { isError, removeFile, replaceFileBy, TEMPORARY } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { fillNow } from '#store/jsonl/log/read-pieces.ts';
import { isInLog } from './described-line.ts';
import { decodeRows, encodeRows, type RowsFile } from './rows-codec.ts';

/**
 * A file describes so many lines, or fewer at the end of an older segment. Making one keeps the
 * event loop for some 9 ms. Removals go by it, so another number needs another name of the folder.
 */
export const LINES_PER_FILE = 4096;

const NAME = /^(\d{6,})-(\d{10,})\.rows$/;

/** The segment and the first line of a file. */
export type RowsPlace = Pick<RowsFile, 'log' | 'from'>;

/** @returns the name of a file in the folder */
export const nameOf = ({ log, from }: RowsPlace): string =>
  `${String(log).padStart(6, '0')}-${String(from).padStart(10, '0')}.rows`;

interface RowsFolderOptions {
  readonly disk: Disk;
  /** The data folder. */
  readonly folder: string;
  readonly report: (message: string) => void;
  /** `LINES_PER_FILE` if it is left out. */
  readonly linesPerFile?: number | undefined;
  /** Whether a start uses the files. */
  readonly isRead?: boolean;
}

/**
 * The folder `rows`: what a start needs of each line of the log, so that it need not read them. All of it follows from the
 * log, and may be deleted at any time.
 */
export class RowsFolder {
  readonly linesPerFile: number;
  readonly isRead: boolean;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  readonly #report: (message: string) => void;
  /** Names of the files that the start has taken whole, and of which it has read nothing else. */
  readonly #taken = new Set<string>();
  /** Temporary names, as of the last look. */
  #beingWritten = new Set<string>();
  #isReported = false;

  constructor({ disk, folder, report, linesPerFile = LINES_PER_FILE, isRead = true }: RowsFolderOptions) {
    this.#disk = disk;
    this.#folder = folder;
    this.#path = join(folder, 'rows');
    this.#report = report;
    this.linesPerFile = linesPerFile;
    this.isRead = isRead;
  }

  /** The log is read from its beginning. */
  begin(): void {
    this.#taken.clear();
  }

  noteTaken(file: RowsPlace): void {
    this.#taken.add(nameOf(file));
  }

  isTaken(file: RowsPlace): boolean {
    return this.#taken.has(nameOf(file));
  }

  /** @returns undefined if there is no whole file whose first line is that one */
  async read(log: number, from: number): Promise<RowsFile | undefined> {
    try {
      const file = await this.#disk.open(join(this.#path, nameOf({ log, from })), 'read');
      try {
        // A buffer of its own, in which columns are aligned.
        const bytes = new ArrayBuffer(file.size());
        fillNow(Buffer.from(bytes), file, 0);
        return decodeRows(bytes);
      } finally {
        await file.close();
      }
    } catch (error) {
      this.#note(error);
      return undefined;
    }
  }

  /** @returns the last file, if its last line stands in the log */
  async readLast(): Promise<RowsFile | undefined> {
    const place = (await this.listAll()).at(-1);
    const last = place && (await this.read(place.log, place.from));
    return last !== undefined && (await isInLog(this.#disk, this.#folder, last)) ? last : undefined;
  }

  /** @returns all files, in order */
  async listAll(): Promise<RowsPlace[]> {
    const names = (await this.#list()).filter((name) => NAME.test(name)).sort();
    return names
      .map((name) => NAME.exec(name))
      .map((parts) => ({ log: Number(parts?.[1]), from: Number(parts?.[2]) }));
  }

  /**
   * Writes a file.
   * @param place of the file
   * @param make is called once a file with a temporary name is there. A later erase removes that file, so the rows must reflect
   *   every erase that was durable at the time of the call; undefined: nothing is written
   * @returns whether the file was written
   */
  async write(place: RowsPlace, make: () => Promise<RowsFile | undefined>): Promise<boolean> {
    try {
      await this.#disk.makeFolder(this.#path);
      return await replaceFileBy(this.#disk, this.#path, nameOf(place), async () => {
        const rows = await make();
        return rows && encodeRows(rows);
      });
    } catch (error) {
      this.#note(error);
      return false;
    }
  }

  /**
   * Removes the files that describe some lines, and what was being written, and makes that durable: what they say of an erased
   * text has to go with it.
   * @param lines numbers of lines
   * @throws Error if a file may still be there
   */
  async removeCovering(lines: readonly number[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#remove((name) => {
      const from = Number(NAME.exec(name)?.[2]);
      return (
        name.startsWith(TEMPORARY) || lines.some((line) => line >= from && line < from + this.linesPerFile)
      );
    });
  }

  /** @throws Error if a file may still be there */
  async removeFiles(places: readonly RowsPlace[]): Promise<void> {
    if (places.length === 0) return;
    const names = new Set(places.map((place) => nameOf(place)));
    await this.#remove((name) => names.has(name));
  }

  /** Removes what was being written at the last call already: its writer has died. One that has not begins again. */
  async removeAbandoned(): Promise<void> {
    const found = (await this.#list()).filter((name) => name.startsWith(TEMPORARY));
    const abandoned = found.filter((name) => this.#beingWritten.has(name));
    this.#beingWritten = new Set(found);
    for (const name of abandoned) await removeFile(this.#disk, join(this.#path, name));
  }

  /**
   * Removes the files of earlier segments that describe lines which count in a segment only. A start leaves these lines out.
   * @param from the first line of the segment
   * @throws Error if a file may still be there
   */
  async removeBefore(log: number, from: number): Promise<void> {
    await this.#remove((name) => {
      const parts = NAME.exec(name);
      return Number(parts?.[1]) < log && Number(parts?.[2]) + this.linesPerFile > from;
    });
  }

  /** Syncs the folder even if nothing is there to be removed: a process may have died between the removal and the sync. */
  async #remove(isUnwanted: (name: string) => boolean): Promise<void> {
    for (;;) {
      let names: string[];
      try {
        names = await this.#disk.list(this.#path);
      } catch (error) {
        if (isError(error, 'ENOENT') || isError(error, 'ENOTDIR')) return;
        throw error;
      }
      const unwanted = names.filter((name) => isUnwanted(name));
      for (const name of unwanted) await removeFile(this.#disk, join(this.#path, name));
      await this.#disk.syncFolder(this.#path);
      // What was being written may have got its name meanwhile.
      if (unwanted.length === 0) return;
    }
  }

  /** Empty if the folder cannot be listed. */
  async #list(): Promise<string[]> {
    try {
      return await this.#disk.list(this.#path);
    } catch (error) {
      this.#note(error);
      return [];
    }
  }

  /** Reports the first failure: a store opens without these files, if slower. */
  #note(error: unknown): void {
    if (this.#isReported || isError(error, 'ENOENT')) return;
    this.#isReported = true;
    this.#report(`the folder rows cannot be used, starts take longer: ${String(error)}`);
  }
}
