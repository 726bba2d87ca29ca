import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, DiskFile } from './disk.ts';
import { isError } from './errors.ts';

/** Names that begin so are never read: a crash may leave one behind. */
export const TEMPORARY = '.tmp-';

/** @returns what the file holds, or undefined where there is none. */
export async function readWhole(disk: Disk, path: string): Promise<Buffer | undefined> {
  try {
    const file = await disk.open(path, 'read');
    try {
      const bytes = Buffer.alloc(file.size());
      return bytes.subarray(0, await file.read(bytes, 0));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Writes all of the bytes at the end of a file. */
export async function writeAll(file: DiskFile, bytes: Buffer): Promise<void> {
  for (let rest = bytes; rest.length > 0; rest = rest.subarray(await file.append(rest)));
}

/** Writes a whole, synced file under a temporary name. @returns the path of the file */
async function writeTemporary(
  disk: Disk,
  folder: string,
  name: string,
  fill: (file: DiskFile) => Promise<void>,
): Promise<string> {
  const path = join(folder, `${TEMPORARY}${name}-${randomUUID()}`);
  const file = await disk.open(path, 'create');
  try {
    await fill(file);
    await file.sync();
  } catch (error) {
    await removeFile(disk, path);
    throw error;
  } finally {
    await file.close();
  }
  return path;
}

/** Puts a whole, synced file in place if the name is free. @returns whether it was. */
export async function placeFile(disk: Disk, folder: string, name: string, bytes: Buffer): Promise<boolean> {
  const temporary = await writeTemporary(disk, folder, name, (file) => writeAll(file, bytes));
  try {
    await disk.link(temporary, join(folder, name));
    return true;
  } catch (error) {
    // ENOENT: the process that was first may have removed the temporary files of others.
    if (isError(error, 'EEXIST') || isError(error, 'ENOENT')) return false;
    throw error;
  } finally {
    await removeFile(disk, temporary);
    await disk.syncFolder(folder);
  }
}

/**
 * Puts a whole, synced file in place of whatever had the name.
 * @param fill writes what the file holds
 */
export async function replaceFileBy(
  disk: Disk,
  folder: string,
  name: string,
  fill: (file: DiskFile) => Promise<void>,
): Promise<void> {
  const temporary = await writeTemporary(disk, folder, name, fill);
  try {
    await disk.rename(temporary, join(folder, name));
  } catch (error) {
    await removeFile(disk, temporary);
    throw error;
  }
  await disk.syncFolder(folder);
}

/** Removes a file, if another process has not done so before. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch((error: unknown) => {
    if (!isError(error, 'ENOENT')) throw error;
  });
}
