import type { FileHandle } from 'node:fs/promises';
import type { Store } from '#store/store.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { BatchImporter, type ExportEntry } from './batch-importer.ts';
import { entriesOf, openImportFile } from './import-file.ts';

/**
 * Reads the file twice: the first pass validates every line, the second stores each as a write of its own. If the
 * second pass fails, the same command imports the rest, since it skips the entries that the store has.
 */
export const importAll: Command = {
  summary: 'import an export; skips entries that the store has',
  positionals: ['FILE|-'],
  makesStore: true,
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
      for await (const { entry } of entriesOf(input, startedAt, 'Lines before it may be imported.'))
        await importer.add(entry);
      await importer.finish();
    } finally {
      bar.done();
    }
    logStatus(`Imported ${importer.counts.imported}, skipped ${importer.counts.skipped} that were there.`);
  },
};

/** Rejects a file that is missing or not an export before a store is created for it. @throws CommandError */
async function checkFirstLines(file: FileHandle, now: number): Promise<void> {
  for await (const _ of entriesOf(file, now)) return;
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
  let lines = 0;
  try {
    for await (const entry of read.history()) seen.add(entry);
    for await (const { entry, number } of entriesOf(file, now)) {
      const problem = seen.validate(entry);
      if (problem !== null) throw new CommandError(`Line ${number} ${problem}. Nothing was imported.`);
      seen.add(entry);
      lines += 1;
      bar.advance(1);
    }
  } finally {
    bar.done();
  }
  return lines;
}

/** The entries of the store and of the lines read so far. */
class SeenEntries {
  /** Ids by kind and createdAt. */
  readonly #idsByStamp = new Map<string, string>();
  readonly #ids = new Set<string>();

  add(entry: ExportEntry): void {
    if ('action' in entry) {
      this.#ids.add(entry.id);
      return;
    }
    this.#ids.add(entry.record.id);
    this.#idsByStamp.set(`${entry.kind} ${entry.record.createdAt}`, entry.record.id);
  }

  /** @returns what is wrong with the entry; null if it may be imported */
  validate(entry: ExportEntry): string | null {
    if ('action' in entry)
      return this.#ids.has(entry.id) || entry.action === 'erase'
        ? null
        : 'moderates a record that is not there';
    const { kind, record } = entry;
    const owner = this.#idsByStamp.get(`${kind} ${record.createdAt}`);
    if (owner !== undefined && owner !== record.id) return 'has the createdAt of another record';
    return null;
  }
}
