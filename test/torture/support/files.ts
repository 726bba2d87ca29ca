import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LOG } from '#store/folder/line.ts';
import { LOCK } from '#store/folder/lock.ts';
import { waitUntil } from './time.ts';

/** @returns the content of every file below a folder, by relative path */
export function snapshot(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (statSync(join(folder, name)).isFile()) files.set(name, readFileSync(join(folder, name)));
  }
  return files;
}

export function areSame(one: Map<string, Buffer>, other: Map<string, Buffer>): boolean {
  return one.size === other.size && [...one].every(([name, bytes]) => other.get(name)?.equals(bytes));
}

/** @returns the path of the log of a folder */
export function logOf(folder: string): string {
  return join(folder, LOG);
}

/** Waits until no process holds the lock of a folder: from then on a server without requests writes nothing. */
export async function untilUnlocked(folder: string): Promise<void> {
  if (!(await waitUntil(20, async () => !existsSync(join(folder, LOCK)))))
    throw new Error('the lock of the folder stays');
}
