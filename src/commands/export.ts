import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { StoreFailure, type Reader } from '#store/port/store.ts';
import { encodeExport } from '#workspace/log/export-format.ts';
import { CommandError, describeSystemError, type Command, type CommandOutput } from './command.ts';

export const exportAll: Command = {
  summary: 'write all records and moderations as JSON Lines; porchlight import reads them',
  positionals: ['FILE|-'],
  run: async (store, { positionals: [file = '-'], privateStore, now }, output) => {
    const entries =
      file === '-'
        ? await writeLines(store.read.history(), process.stdout, output)
        : await writeExportFile(store.read.history(), file, output);
    output.logStatus(`Exported ${entries} records and moderations.`);
    // An operator without write access to the store can also export it.
    await privateStore.append({ type: 'exported', at: now() }).catch((error: unknown) => {
      if (!(error instanceof StoreFailure)) throw error;
      output.logStatus(`porchlight status does not count this export: ${error.message}.`);
    });
  },
};

type History = ReturnType<Reader['history']>;

/**
 * Writes an export to a new file. Until the file is complete and synced it has another name, since an
 * incomplete export could be mistaken for a backup.
 * @returns the number of entries
 * @throws CommandError if the file exists or cannot be created; no part of it is left
 */
export async function writeExportFile(
  history: History,
  file: string,
  output: CommandOutput,
): Promise<number> {
  if ((await lstat(file).catch(() => undefined)) !== undefined)
    throw new CommandError('The export file cannot be created: file already exists (EEXIST).');
  const unfinished = `${file}.unfinished`;
  const stream = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  try {
    await once(stream, 'open');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST')
      throw new CommandError(
        'The export file exists with .unfinished at the end of its name: another export is writing it, ' +
          'or was interrupted. Remove that file, and export again.',
      );
    throw new CommandError(`The export file cannot be created: ${describeSystemError(error)}.`);
  }
  try {
    const entries = await writeLines(history, stream, output);
    stream.end();
    await once(stream, 'close');
    await rename(unfinished, file);
    await nodeDisk.syncFolder(dirname(file));
    return entries;
  } catch (error) {
    // Pending writes fail after `destroy`.
    stream.on('error', () => undefined).destroy();
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeLines(history: History, stream: Writable, { progress }: CommandOutput): Promise<number> {
  const interrupted = (): string => 'Interrupted. The export is incomplete.';
  return progress({ unit: 'lines', interrupted }, async (advance) => {
    let lines = 0;
    for await (const line of encodeExport(history)) {
      if (!stream.write(`${line}\n`)) await once(stream, 'drain');
      lines += 1;
      advance(1);
    }
    // The header and the end are no entries.
    return lines - 2;
  });
}
