import { closeSync, cpSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies a folder and syncs the copy, which the first sync of a program that uses it would otherwise have to
 * write.
 */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) syncFile(join(entry.parentPath, entry.name));
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
