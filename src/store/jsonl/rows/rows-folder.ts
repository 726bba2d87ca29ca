import { join } from 'node:path';
import { isError, removeFile, replaceFile, TEMPORARY } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { fillNow } from '#store/jsonl/log/read-pieces.ts';
import { decodeRows, encodeRows, type RowsFile } from './rows-codec.ts';

/**
 * A file describes so many lines, or fewer at the end of an older segment. Making one keeps the
 * event loop for some 9 ms. Removals go by it, so another number needs another name of the folder.
 */
export const LINES_PER_FILE = 4096;

const NAME = /^(\d{6,})-(\d{10,})\.rows$/;

/** @returns the name of a file in the folder */
export const nameOf = ({ log, from }: Pick<RowsFile, 'log' | 'from'>): string =>
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
  readonly #path: string;
  readonly #report: (message: string) => void;
  #isReported = false;

  constructor({ disk, folder, report, linesPerFile = LINES_PER_FILE, isRead = true }: RowsFolderOptions) {
    this.#disk = disk;
    this.#path = join(folder, 'rows');
    this.#report = report;
    this.linesPerFile = linesPerFile;
    this.isRead = isRead;
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

  /** @returns the last file that can be read */
  async readLast(): Promise<RowsFile | undefined> {
    const last = (await this.listAll()).at(-1);
    return last && this.read(last.log, last.from);
  }

  /** @returns the numbers of the first lines of the files of a segment */
  async list(log: number): Promise<Set<number>> {
    const found = await this.listAll();
    return new Set(found.filter((file) => file.log === log).map(({ from }) => from));
  }

  /** @returns all files, in order */
  async listAll(): Promise<Pick<RowsFile, 'log' | 'from'>[]> {
    const found = (await this.#names()).sort().map((name) => NAME.exec(name));
    return found.map((parts) => ({ log: Number(parts?.[1]), from: Number(parts?.[2]) }));
  }

  /** @returns whether the file was written */
  async write(rows: RowsFile): Promise<boolean> {
    try {
      await this.#disk.makeFolder(this.#path);
      await replaceFile(this.#disk, this.#path, nameOf(rows), encodeRows(rows));
      return true;
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

  async #remove(isUnwanted: (name: string) => boolean): Promise<void> {
    let names: string[];
    try {
      names = await this.#disk.list(this.#path);
    } catch (error) {
      if (isError(error, 'ENOENT') || isError(error, 'ENOTDIR')) return;
      throw error;
    }
    const unwanted = names.filter((name) => isUnwanted(name));
    for (const name of unwanted) await removeFile(this.#disk, join(this.#path, name));
    if (unwanted.length > 0) await this.#disk.syncFolder(this.#path);
  }

  async #names(): Promise<string[]> {
    try {
      return (await this.#disk.list(this.#path)).filter((name) => NAME.test(name));
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
