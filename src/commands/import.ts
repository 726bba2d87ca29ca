import type { FileHandle } from 'node:fs/promises';
import type { Store } from '#store/port/store.ts';
import type { Service } from '#workspace/service/service.ts';
import { textRefusal } from '#workspace/publishing/text-refusal.ts';
import { BatchImporter, type ExportEntry } from './batch-importer.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { openImportFile, readChunks, readEntries } from './import-file.ts';
import { ThreadLinks } from './thread-links.ts';

/**
 * Reads the file twice: the first pass validates every line, the second stores each line as a separate write.
 * If the second pass fails, the same command imports the rest, since it skips entries that the store has.
 */
export const importAll: Command = {
  summary: 'import an export; skips entries that the store has',
  positionals: ['FILE|-'],
  optionalFlags: ['strict'],
  createsStore: true,
  openInput: ([name = ''], folders, now) => openImportFile(name, folders, now),
  run: async (store, { input, now, service, strict = false }, { logStatus, progress }) => {
    if (input === undefined) throw new CommandError('Name the file to import.');
    const startedAt = now();
    const { total, refused, firstRefusal } = await verify(
      store,
      input,
      { now: startedAt, service },
      progress,
    );
    const refusals =
      `${refused} records have a text or name that new ones may not have. The first is in line ` +
      `${firstRefusal}.`;
    if (strict && refused > 0) throw new CommandError(`${refusals} Nothing was imported.`);
    const interrupted = (done: number): string =>
      `${done} of ${total} lines are imported. To import the rest, run the same command again.`;
    const { imported, skipped } = await progress({ unit: 'lines', total, interrupted }, async (advance) => {
      const importer = new BatchImporter(store, advance);
      const entries = readEntries(readChunks(input), startedAt, 'Lines before it may be imported.');
      for await (const { entry } of entries) await importer.add(entry);
      await importer.finish();
      return importer.counts;
    });
    logStatus(`Imported ${imported}, skipped ${skipped} existing.`);
    if (refused > 0) logStatus(refusals);
  },
};

/**
 * @returns the number of entries, of records that the rules for new ones refuse, and the line of the first of
 *   them with the reason
 * @throws CommandError that names the first invalid line
 */
async function verify(
  { read }: Store,
  file: FileHandle,
  { now, service }: { readonly now: number; readonly service: Pick<Service, 'name'> },
  progress: CommandOutput['progress'],
): Promise<{ total: number; refused: number; firstRefusal: string }> {
  const interrupted = (): string => 'Interrupted. Nothing was imported.';
  const seen = new SeenEntries();
  const links = new ThreadLinks();
  return progress({ unit: 'lines verified', interrupted }, async (advance) => {
    const found = { total: 0, refused: 0, firstRefusal: '' };
    for await (const entry of read.history()) {
      seen.add(entry);
      links.add(entry);
    }
    for await (const { entry, number } of readEntries(readChunks(file), now)) {
      if (seen.hasStampOfAnother(entry))
        throw new CommandError(`Line ${number} has the createdAt of another record. Nothing was imported.`);
      seen.add(entry);
      links.add(entry, number);
      const refusal = 'action' in entry ? null : textRefusal(entry, service);
      if (refusal !== null) {
        found.refused += 1;
        found.firstRefusal ||= `${number}: ${refusal}`;
      }
      found.total += 1;
      advance(1);
    }
    const link = links.firstImpossible();
    if (link !== undefined)
      throw new CommandError(`Line ${link.line} is a post that ${link.fault}. Nothing was imported.`);
    return found;
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
