import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from './bench-context.ts';

const ROOT = join(import.meta.dirname, '..');

/** @returns the launcher of a copy that has what the package has, and no source beside it */
export function packagedIn(lab: Lab): string {
  const folder = lab.path('package');
  execFileSync(process.execPath, [join(ROOT, 'bin', 'build.js')], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const part of ['bin/porchlight.js', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  return join(folder, 'bin', 'porchlight.js');
}
