import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { toLines } from '#workspace/archive.ts';
import type { Command } from './command.ts';

/** `-` is standard output. */
export const exportAll: Command = {
  summary: 'write everything as JSON Lines, hidden records too, nothing about visitors',
  usage: 'FILE|-',
  words: 1,
  run: async ({ read }, { words: [file = '-'] }, { tell, progress }) => {
    const stream = file === '-' ? process.stdout : createWriteStream(file, { flags: 'wx', mode: 0o600 });
    if (file !== '-') await once(stream, 'open');
    const bar = progress('lines');
    let lines = 0;
    for await (const line of toLines(read.history())) {
      if (!stream.write(`${line}\n`)) await once(stream, 'drain');
      lines += 1;
      bar.advance(1);
    }
    if (file !== '-') {
      stream.end();
      await once(stream, 'close');
    }
    bar.done();
    tell(`Exported ${lines - 1} records and moderations.`);
  },
};
