// Preloaded by a process under test: the log is not opened while the file HELD_BY exists.
import { existsSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const { open } = files;

files.open = async (path, ...rest) => {
  while (String(path).endsWith('log.jsonl') && existsSync(process.env['HELD_BY'])) await sleep(5);
  return open(path, ...rest);
};
syncBuiltinESMExports();
