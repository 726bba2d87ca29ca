import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @returns why the program cannot run; undefined if it is installed */
export function missingProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name))) ? undefined : `${name} is not installed`;
}

/** The Python of the PATH, and that of the system, for which distributions package modules. */
const PYTHONS = ['python3', '/usr/bin/python3'];

/** @returns the first Python that has these modules; undefined if none has */
export const pythonWith = (...modules: readonly string[]): string | undefined =>
  PYTHONS.find((python) => spawnSync(python, ['-c', `import ${modules.join(', ')}`]).status === 0);
