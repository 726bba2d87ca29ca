import { createReadStream } from 'node:fs';
import type { Store } from '#store/store.ts';
import { checkHeader, decodeExportLine, ExportLineError } from '#workspace/export-format.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { BatchImporter, type ExportEntry } from './batch-importer.ts';
import { describeSystemError } from './system-error.ts';

/**
 * The file is read twice: nothing is kept before every line was found good. A crash in the second reading leaves a part,
 * and the same command then brings the rest, since what is known is skipped.
 */
export const importAll: Command = {
  summary: 'bring in an export; what is known already is skipped',
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
    const intake = new BatchImporter(store, (by) => {
      bar.advance(by);
    });
    try {
      for await (const { entry } of entriesOf(file)) await intake.add(entry);
      await intake.finish();
    } finally {
      bar.done();
    }
    logStatus(`Imported ${intake.counts.kept}, skipped ${intake.counts.known} that were known.`);
  },
};

/** A file that is absent or of another kind is refused before a store is made for it. */
async function checkFirstLines(file: string): Promise<void> {
  for await (const _ of entriesOf(file)) return;
}

/** @returns how many lines there are. @throws Refusal that names the first line that is not good */
async function verify({ read }: Store, file: string, progress: CommandOutput['progress']): Promise<number> {
  const bar = progress({ unit: 'lines verified', interrupted: () => 'Interrupted. Nothing was imported.' });
  const seen = new SeenEntries();
  let lines = 0;
  try {
    for await (const entry of read.history()) seen.note(entry);
    for await (const { entry, number } of entriesOf(file)) {
      const flaw = seen.validate(entry);
      if (flaw !== null) throw new CommandError(`Line ${number} ${flaw}. Nothing was imported.`);
      seen.note(entry);
      lines += 1;
      bar.advance(1);
    }
  } finally {
    bar.done();
  }
  return lines;
}

/** What is here already, or stands further up in the file. */
class SeenEntries {
  /** Ids by kind and stamp. */
  readonly #stamps = new Map<string, string>();
  readonly #ids = new Set<string>();

  note(entry: ExportEntry): void {
    if ('action' in entry) {
      this.#ids.add(entry.id);
      return;
    }
    this.#ids.add(entry.record.id);
    this.#stamps.set(`${entry.kind} ${entry.record.createdAt}`, entry.record.id);
  }

  validate(entry: ExportEntry): string | null {
    if ('action' in entry)
      return this.#ids.has(entry.id) || entry.action === 'erase'
        ? null
        : 'moderates a record that is not there';
    const { kind, record } = entry;
    const taken = this.#stamps.get(`${kind} ${record.createdAt}`);
    if (taken !== undefined && taken !== record.id) return 'has the createdAt of another record';
    return null;
  }
}

async function* entriesOf(file: string): AsyncIterable<{ entry: ExportEntry; number: number }> {
  let number = 0;
  for await (const line of linesOf(file)) {
    number += 1;
    try {
      if (number === 1) checkHeader(line);
      else yield { entry: decodeExportLine(line), number };
    } catch (error) {
      if (error instanceof ExportLineError)
        throw new CommandError(`Line ${number} ${error.message}. Nothing was imported.`);
      throw error;
    }
  }
  if (number === 0) throw new CommandError('The file is empty. Nothing was imported.');
}

/** Cut at line feeds and nothing else: to node:readline the separators U+2028 and U+2029 end a line too. */
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
