import { join } from 'node:path';
import { placeFile, removeFile, TEMPORARY } from './fs/atomic-files.ts';
import type { Disk, DiskFile } from './fs/disk.ts';
import { CorruptionError, isError } from './fs/errors.ts';
import { FIRST_LINE, LOG } from './line.ts';
import { LOCK } from './lock.ts';
import type { FolderStoreOptions } from './options.ts';

/** A log that was not put in place. */
const COPY = `${TEMPORARY}${LOG}-`;

export interface LogFile {
  readonly file: DiskFile;
  /** Whether this process may write to it. */
  readonly isWritable: boolean;
}

/**
 * Opens the log of a folder to be written, or to be read if nothing may be written, and makes it if there is
 * none.
 * @throws CorruptionError if the folder holds something else; nothing is changed
 */
export async function openLogFile({
  disk,
  folder,
  mustExist = false,
}: Pick<FolderStoreOptions, 'disk' | 'folder' | 'mustExist'>): Promise<LogFile> {
  const names = await listNames(disk, folder);
  checkNames(folder, names, mustExist);
  if (!names.includes(LOG)) {
    await disk.makeFolder(folder);
    await placeFile(disk, folder, LOG, FIRST_LINE);
  }
  // Another process may have put the log in place, and the name may not be durable yet.
  await disk.syncFolder(folder);
  const path = join(folder, LOG);
  let isWritable = true;
  const file = await disk.open(path, 'append').catch((error: unknown) => {
    if (!['EACCES', 'EPERM', 'EROFS'].some((code) => isError(error, code))) throw error;
    isWritable = false;
    return disk.open(path, 'read');
  });
  try {
    if (file.size() === 0 && !mustExist) await file.append(FIRST_LINE);
    const bytes = Buffer.alloc(FIRST_LINE.length);
    await file.read(bytes, 0);
    if (bytes.equals(FIRST_LINE)) return { file, isWritable };
    throw new CorruptionError(path, 'this is not the first line of a log that this version writes', 0);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** @throws CorruptionError if the folder holds no store though it must */
export function checkNames(folder: string, names: readonly string[], mustExist: boolean): void {
  if (mustExist && !names.includes(LOG))
    throw new CorruptionError(folder, 'there is no store in this folder');
}

/** @returns no names without the folder */
export async function listNames(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (isError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Removes what an interrupted repair, or an interrupted first opening, left of a log. */
export async function removeCopies(disk: Disk, folder: string): Promise<void> {
  for (const name of (await disk.list(folder)).filter((one) => one.startsWith(COPY)))
    await removeFile(disk, join(folder, name)).catch((error: unknown) => {
      // This program makes no folder of such a name.
      if (!isError(error, 'EISDIR')) throw error;
    });
}

/**
 * Removes what a crash left before it was put in place. A process that may not write removes nothing.
 * @param before milliseconds since 1970; what is younger may be in use
 */
export async function removeLeftovers(disk: Disk, folder: string, before: number): Promise<void> {
  for (const name of await listNames(disk, folder)) {
    if (!name.startsWith(`${LOCK}.`) && !name.startsWith(TEMPORARY)) continue;
    const path = join(folder, name);
    const found = await disk.status(path);
    if (found !== undefined && found.modified < before) await removeFile(disk, path).catch(() => undefined);
  }
}
