import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Disk, type DiskFile, isError } from './disk.ts';

/** The prefix of temporary names. A file with such a name is never read, since a crash may have left it. */
export const TEMPORARY = '.tmp-';

/** @returns the bytes of a small file; undefined if there is none */
export async function readWhole(disk: Disk, path: string): Promise<Buffer | undefined> {
  try {
    const file = await disk.open(path, 'read');
    try {
      const bytes = Buffer.alloc(file.size());
      return bytes.subarray(0, file.readNow(bytes, 0));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** @returns the names in a folder; none without the folder */
export async function listNames(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (isError(error, 'ENOENT')) return [];
    throw error;
  }
}

export async function writeAll(file: DiskFile, bytes: Buffer): Promise<void> {
  for (let rest = bytes; rest.length > 0; rest = rest.subarray(await file.append(rest)));
}

/** Writes a whole file under a temporary name. @returns the path of the file */
async function writeTemporary(
  disk: Disk,
  folder: string,
  name: string,
  fill: (file: DiskFile) => Promise<void>,
  isSynced: boolean,
): Promise<string> {
  const path = join(folder, `${TEMPORARY}${name}-${randomUUID()}`);
  const file = await disk.open(path, 'create');
  try {
    await fill(file);
    if (isSynced) await file.sync();
  } catch (error) {
    await removeFile(disk, path);
    throw error;
  } finally {
    await file.close();
  }
  return path;
}

/** Creates a synced file with its whole content if the name is free. @returns whether it was free */
export async function placeFile(disk: Disk, folder: string, name: string, bytes: Buffer): Promise<boolean> {
  const temporary = await writeTemporary(disk, folder, name, (file) => writeAll(file, bytes), true);
  try {
    await disk.link(temporary, join(folder, name));
    return true;
  } catch (error) {
    // ENOENT: another process was first, and has removed the temporary files of other processes.
    if (isError(error, 'EEXIST', 'ENOENT')) return false;
    throw error;
  } finally {
    await removeFile(disk, temporary);
    await disk.syncFolder(folder);
  }
}

/** Creates or replaces a file at once, synced by default. @param fill writes the content */
export async function replaceFileBy(
  disk: Disk,
  folder: string,
  name: string,
  fill: (file: DiskFile) => Promise<void>,
  { isSynced = true } = {},
): Promise<void> {
  const temporary = await writeTemporary(disk, folder, name, fill, isSynced);
  try {
    await disk.rename(temporary, join(folder, name));
  } catch (error) {
    await removeFile(disk, temporary);
    throw error;
  }
  if (isSynced) await disk.syncFolder(folder);
}

/** Creates or replaces a synced file with a value as JSON. */
export async function replaceJson(disk: Disk, folder: string, name: string, value: unknown): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(value));
  await replaceFileBy(disk, folder, name, (file) => writeAll(file, bytes));
}

/** Removes a file, unless another process has already removed it. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch((error: unknown) => {
    if (!isError(error, 'ENOENT')) throw error;
  });
}
