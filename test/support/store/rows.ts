import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonlStoreOptions } from '#store/jsonl/jsonl-options.ts';
import { LogAdapter } from '#store/jsonl/log-adapter.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { decodeRows, encodeRows, type RowsFile } from '#store/jsonl/rows/rows-codec.ts';

/** Few lines a file, and no file unless a test asks for it. */
export const FEW_LINES = { linesPerFile: 4, intervalMs: 2 ** 31 - 1 } as const;

interface Place {
  readonly folder: string;
  readonly clock: { now: () => number };
}

/** A process that writes the folder `rows` whenever a test says so, and nothing else. */
export class RowsProcess {
  readonly #adapter: LogAdapter;

  private constructor(adapter: LogAdapter) {
    this.#adapter = adapter;
  }

  static async start(
    { folder, clock }: Place,
    disk: Disk = nodeDisk,
    options: Partial<JsonlStoreOptions> = {},
  ): Promise<RowsProcess> {
    const report = (): void => undefined;
    const whole = { disk, folder, clock, report, keepsKeys: true, rows: FEW_LINES, ...options };
    return new RowsProcess(await LogAdapter.open(whole, () => undefined));
  }

  /** As `LogAdapter.writeRows`. */
  writeOne(): Promise<boolean> {
    return this.#adapter.writeRows(async () => {
      await this.#adapter.read();
      return !this.#adapter.hasMoved();
    });
  }

  /** Writes all files that can be written, of what any process has appended. */
  async writeAll(): Promise<void> {
    await this.#adapter.read();
    while (await this.writeOne());
  }

  close(): Promise<void> {
    return this.#adapter.close();
  }
}

/** Writes all files of the folder `rows` that can be written, as a process that runs for a moment. */
export async function writeRows(place: Place, linesPerFile: number = FEW_LINES.linesPerFile): Promise<void> {
  const process = await RowsProcess.start(place, nodeDisk, { rows: { ...FEW_LINES, linesPerFile } });
  await process.writeAll();
  await process.close();
}

/** @returns the names of the files in the folder `rows`, in order */
export function rowsNames({ folder }: Pick<Place, 'folder'>): string[] {
  try {
    return readdirSync(join(folder, 'rows')).toSorted();
  } catch {
    return [];
  }
}

export function readRowsFile({ folder }: Pick<Place, 'folder'>, name: string): RowsFile {
  const file = decodeRows(new Uint8Array(readFileSync(join(folder, 'rows', name))).buffer);
  if (file === undefined) throw new Error(`${name} is damaged`);
  return file;
}

/** Writes a file with a right checksum, whatever it says. */
export function writeRowsFile({ folder }: Pick<Place, 'folder'>, name: string, file: RowsFile): void {
  mkdirSync(join(folder, 'rows'), { recursive: true });
  writeFileSync(join(folder, 'rows', name), encodeRows(file));
}
