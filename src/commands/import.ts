import type { FileHandle } from 'node:fs/promises';
import type { Store } from '#store/port/store.ts';
import { BatchImporter, type ExportEntry } from './batch-importer.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { readEntries, openImportFile } from './import-file.ts';
import { ThreadLinks } from './thread-links.ts';

/**
 * Reads the file twice: the first pass validates every line, the second stores each line as a separate write.
 * If the second pass fails, the same command imports the rest, since it skips entries that the store has.
 */
export const importAll: Command = {
  summary: 'import an export; skips entries that the store has',
  positionals: ['FILE|-'],
  createsStore: true,
  openInput: async ([name = ''], now) => {
    const file = await openImportFile(name);
    try {
      await checkFirstLines(file, now);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  run: async (store, { input, now }, { logStatus, progress }) => {
    if (input === undefined) throw new CommandError('Name the file to import.');
    const startedAt = now();
    const total = await verify(store, input, startedAt, progress);
    const interrupted = (done: number): string =>
      `${done} of ${total} lines are imported. To import the rest, run the same command again.`;
    const { imported, skipped } = await progress({ unit: 'lines', total, interrupted }, async (advance) => {
      const importer = new BatchImporter(store, advance);
      for await (const { entry } of readEntries(input, startedAt, 'Lines before it may be imported.'))
        await importer.add(entry);
      await importer.finish();
      return importer.counts;
    });
    logStatus(`Imported ${imported}, skipped ${skipped} existing.`);
  },
};

/** Rejects a file that is missing or not an export before a store is created for it. @throws CommandError */
async function checkFirstLines(file: FileHandle, now: number): Promise<void> {
  for await (const _ of readEntries(file, now)) return;
}

/** @returns the number of entries. @throws CommandError that names the first invalid line */
async function verify(
  { read }: Store,
  file: FileHandle,
  now: number,
  progress: CommandOutput['progress'],
): Promise<number> {
  const interrupted = (): string => 'Interrupted. Nothing was imported.';
  const seen = new SeenEntries();
  const links = new ThreadLinks();
  return progress({ unit: 'lines verified', interrupted }, async (advance) => {
    let lines = 0;
    for await (const entry of read.history()) {
      seen.add(entry);
      links.add(entry);
    }
    for await (const { entry, number } of readEntries(file, now)) {
      if (seen.hasStampOfAnother(entry))
        throw new CommandError(`Line ${number} has the createdAt of another record. Nothing was imported.`);
      seen.add(entry);
      links.add(entry, number);
      lines += 1;
      advance(1);
    }
    const link = links.firstImpossible();
    if (link !== undefined)
      throw new CommandError(`Line ${link.line} is a post that ${link.fault}. Nothing was imported.`);
    return lines;
  });
}

/** The timestamps of the records of the store and of the lines read so far. */
export class SeenEntries {
  readonly #idsByStamp = new Map<string, string>();

  add(entry: ExportEntry): void {
    if (!('action' in entry))
      this.#idsByStamp.set(`${entry.kind} ${entry.record.createdAt}`, entry.record.id);
  }

  hasStampOfAnother(entry: ExportEntry): boolean {
    if ('action' in entry) return false;
    const owner = this.#idsByStamp.get(`${entry.kind} ${entry.record.createdAt}`);
    return owner !== undefined && owner !== entry.record.id;
  }
}
