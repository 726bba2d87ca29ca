import type { FileHandle } from 'node:fs/promises';
import type { Store } from '#store/port/store.ts';
import { BatchImporter } from './batch-importer.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { readEntries, openImportFile } from './import-file.ts';
import { SeenEntries } from './seen-entries.ts';
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
    const bar = progress({
      unit: 'lines',
      total,
      interrupted: (done) =>
        `${done} of ${total} lines are imported. To import the rest, run the same command again.`,
    });
    const importer = new BatchImporter(store, (by) => {
      bar.advance(by);
    });
    try {
      for await (const { entry } of readEntries(input, startedAt, 'Lines before it may be imported.'))
        await importer.add(entry);
      await importer.finish();
    } finally {
      bar.done();
    }
    logStatus(`Imported ${importer.counts.imported}, skipped ${importer.counts.skipped} existing.`);
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
  const bar = progress({ unit: 'lines verified', interrupted: () => 'Interrupted. Nothing was imported.' });
  const seen = new SeenEntries();
  const links = new ThreadLinks();
  let lines = 0;
  try {
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
      bar.advance(1);
    }
    const link = links.firstImpossible();
    if (link !== undefined)
      throw new CommandError(`Line ${link.line} is a post that ${link.fault}. Nothing was imported.`);
  } finally {
    bar.done();
  }
  return lines;
}
