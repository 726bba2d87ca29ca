import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { Store } from '#store/store.ts';
import { encodeExport } from '#workspace/export-format.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { describeSystemError } from './system-error.ts';

/** `-` is standard output. */
export const exportAll: Command = {
  summary: 'write everything as JSON Lines, hidden records too, nothing about visitors',
  positionals: ['FILE|-'],
  run: async (store, { positionals: [file = '-'] }, console) => {
    const lines =
      file === '-' ? await writeLines(store, process.stdout, console) : await writeFile(store, file, console);
    console.logStatus(`Exported ${lines - 1} records and moderations.`);
  },
};

async function writeFile(store: Store, file: string, console: CommandOutput): Promise<number> {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await once(stream, 'open');
  } catch (error) {
    throw new CommandError(`The file to export to cannot be made: ${describeSystemError(error)}.`);
  }
  try {
    const lines = await writeLines(store, stream, console);
    stream.end();
    await once(stream, 'close');
    return lines;
  } catch (error) {
    // An incomplete export would look like a backup.
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
