import { createReadStream } from 'node:fs';
import type { Store } from '#store/store.ts';
import { checkHeader, decodeExportLine, ExportLineError } from '#workspace/export-format.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { BatchImporter, type ExportEntry } from './batch-importer.ts';
import { describeSystemError } from './system-error.ts';

/**
 * Reads the file twice: the first pass validates every line, the second stores each as a write of its own. If the
 * second pass fails, the same command imports the rest, since it skips the entries that the store has.
 */
export const importAll: Command = {
  summary: 'import an export; skips entries that the store has',
  positionals: ['FILE'],
  makesStore: true,
  checkArguments: ([file = '']) => checkFirstLines(file),
  run: async (store, { positionals: [file = ''] }, { logStatus, progress }) => {
    const total = await verify(store, file, progress);
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
      for await (const { entry } of entriesOf(file, 'Lines before it may be imported.'))
        await importer.add(entry);
      await importer.finish();
    } finally {
      bar.done();
    }
    logStatus(`Imported ${importer.counts.imported}, skipped ${importer.counts.skipped} that were there.`);
  },
};

/** Rejects a file that is missing or not an export before a store is created for it. @throws CommandError */
async function checkFirstLines(file: string): Promise<void> {
  for await (const _ of entriesOf(file)) return;
}

/** @returns the number of entries. @throws CommandError that names the first invalid line */
async function verify({ read }: Store, file: string, progress: CommandOutput['progress']): Promise<number> {
  const bar = progress({ unit: 'lines verified', interrupted: () => 'Interrupted. Nothing was imported.' });
  const seen = new SeenEntries();
  let lines = 0;
  try {
    for await (const entry of read.history()) seen.add(entry);
    for await (const { entry, number } of entriesOf(file)) {
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

/** @param outcome what was imported if the file is refused */
async function* entriesOf(
  file: string,
  outcome = 'Nothing was imported.',
): AsyncIterable<{ entry: ExportEntry; number: number }> {
  let number = 0;
  for await (const line of linesOf(file)) {
    number += 1;
    try {
      if (number === 1) checkHeader(line);
      else yield { entry: decodeExportLine(line), number };
    } catch (error) {
      if (error instanceof ExportLineError)
        throw new CommandError(`Line ${number} ${error.message}. ${outcome}`);
      throw error;
    }
  }
  if (number === 0) throw new CommandError(`The file is empty. ${outcome}`);
}

/** Splits at line feeds only; node:readline would also split at U+2028 and U+2029. */
async function* linesOf(file: string): AsyncIterable<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw new CommandError(`The file to import cannot be read: ${describeSystemError(error)}.`);
  }
  if (rest !== '') yield rest;
}
