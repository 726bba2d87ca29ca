import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchContext } from './bench-context.ts';

const ROOT = join(import.meta.dirname, '..');

/** Builds the files of the npm package in a new folder. @returns the path of the launcher */
export function buildPackage(context: BenchContext): string {
  const folder = context.path('package');
  execFileSync(process.execPath, [join(ROOT, 'bin', 'build.js')], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const part of ['bin/porchlight.js', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  return join(folder, 'bin', 'porchlight.js');
}
