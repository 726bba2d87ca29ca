import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { StoreFailure, type Reader } from '#store/port/store.ts';
import { encodeExport } from '#workspace/log/export-format.ts';
import { CommandError, describeSystemError, type Command, type CommandOutput } from './command.ts';

export const exportAll: Command = {
  summary: 'write all records and moderations as JSON Lines; | porchlight import - copies them',
  positionals: ['FILE|-'],
  run: async (store, { positionals: [file = '-'], privateStore, now }, output) => {
    const lines =
      file === '-'
        ? await writeLines(store.read.history(), process.stdout, output)
        : await writeExportFile(store.read.history(), file, output);
    output.logStatus(`Exported ${lines - 1} records and moderations.`);
    // An operator without permission to write to the store can export it too.
    await privateStore.append({ type: 'exported', at: now() }).catch((error: unknown) => {
      if (!(error instanceof StoreFailure)) throw error;
      output.logStatus(`porchlight status does not count this export: ${error.message}.`);
    });
  },
};

type History = ReturnType<Reader['history']>;

/**
 * Writes an export to a new file, and removes the file after a failure.
 * @returns the number of lines
 * @throws CommandError if the file exists or cannot be created
 */
export async function writeExportFile(
  history: History,
  file: string,
  output: CommandOutput,
): Promise<number> {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await once(stream, 'open');
  } catch (error) {
    throw new CommandError(`The file to export to cannot be created: ${describeSystemError(error)}.`);
  }
  try {
    const lines = await writeLines(history, stream, output);
    stream.end();
    await once(stream, 'close');
    return lines;
  } catch (error) {
    // An incomplete export could be mistaken for a backup. Pending writes fail after `destroy`.
    stream.on('error', () => undefined).destroy();
    await rm(file);
    throw error;
  }
}

async function writeLines(history: History, stream: Writable, { progress }: CommandOutput): Promise<number> {
  const interrupted = (): string => 'Interrupted. The export is incomplete.';
  return progress({ unit: 'lines', interrupted }, async (advance) => {
    let lines = 0;
    for await (const line of encodeExport(history)) {
      // `import` takes standard input that ends without a line feed for an export that was cut off.
      if (!stream.write(lines === 0 ? line : `\n${line}`)) await once(stream, 'drain');
      lines += 1;
      advance(1);
    }
    stream.write('\n');
    return lines;
  });
}
