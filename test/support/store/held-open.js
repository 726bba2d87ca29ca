// Preloaded by a process under test: a store does not list its keys, and so does not open, while the file HELD_BY
// exists. Files are opened synchronously.
import { existsSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const { readdir } = files;

files.readdir = async (path, ...rest) => {
  while (String(path).endsWith('keys') && existsSync(process.env['HELD_BY'])) await sleep(5);
  return readdir(path, ...rest);
};
syncBuiltinESMExports();
