import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { Store } from '#store/store.ts';
import { encodeExport } from '#workspace/export-format.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { describeSystemError } from './system-error.ts';

/** `-` writes to standard output. */
export const exportAll: Command = {
  summary: 'write all records and moderations as JSON Lines, without client keys',
  positionals: ['FILE|-'],
  run: async (store, { positionals: [file = '-'] }, output) => {
    const lines =
      file === '-' ? await writeLines(store, process.stdout, output) : await writeFile(store, file, output);
    output.logStatus(`Exported ${lines - 1} records and moderations.`);
  },
};

async function writeFile(store: Store, file: string, output: CommandOutput): Promise<number> {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await once(stream, 'open');
  } catch (error) {
    throw new CommandError(`The file to export to cannot be created: ${describeSystemError(error)}.`);
  }
  try {
    const lines = await writeLines(store, stream, output);
    stream.end();
    await once(stream, 'close');
    return lines;
  } catch (error) {
    // An incomplete export could be mistaken for a backup.
    stream.destroy();
    await rm(file);
    throw error;
  }
}

async function writeLines({ read }: Store, stream: Writable, { progress }: CommandOutput): Promise<number> {
  const bar = progress({ unit: 'lines', interrupted: () => 'Interrupted. The export is incomplete.' });
  let lines = 0;
  try {
    for await (const line of encodeExport(read.history())) {
      if (!stream.write(`${line}\n`)) await once(stream, 'drain');
      lines += 1;
      bar.advance(1);
    }
  } finally {
    bar.done();
  }
  return lines;
}
