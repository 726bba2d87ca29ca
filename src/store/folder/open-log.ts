import { join } from 'node:path';
import { listNames, placeFile, removeFile, TEMPORARY } from './fs/atomic-files.ts';
import { CorruptionError, type Disk, type DiskFile, isError } from './fs/disk.ts';
import { FIRST_LINE, LOG } from './line.ts';
import { LOCK } from './lock.ts';
import type { LockHost } from './host.ts';

/** Files of early versions, which wrote several logs. */
const EARLY_VERSION = /^(?:CURRENT|log-.+\.jsonl)$/;

/** The temporary name of a log while it is written. */
const COPY = `${TEMPORARY}${LOG}-`;

export interface FolderStoreOptions {
  readonly disk: Disk;
  readonly folder: string;
  /** Wall-clock time in milliseconds since 1970. */
  readonly clock: { now: () => number };
  /** The folder of the keys, outside of backups. Default: `keys` in the folder of the store. */
  readonly keysFolder?: string | undefined;
  /** Rejects a folder without a store instead of creating the store. */
  readonly mustExist?: boolean;
  /**
   * Whether an operator command opens the store. It creates no key, since it stores no client, and destroys
   * none, since its clock may be wrong.
   */
  readonly isCommand?: boolean;
  /** Logs a message for the operator, without texts of posts and client addresses. */
  readonly report: (message: string) => void;
  readonly host: LockHost;
}

export interface LogFile {
  readonly file: DiskFile;
  /** Whether this process may write to it. */
  readonly isWritable: boolean;
}

/**
 * Opens the log, or creates it. A process without write access opens it for reading.
 * @throws CorruptionError if the folder has other content; nothing is changed
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
  // Another process may have just created the log, so its name may not be durable yet.
  await disk.syncFolder(folder);
  const path = join(folder, LOG);
  let isWritable = true;
  const file = await disk.open(path, 'append').catch((error: unknown) => {
    if (!isError(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
    isWritable = false;
    return disk.open(path, 'read');
  });
  try {
    // A new log gets its name once it has its first line, so a crash leaves no empty log.
    if (file.size() === 0)
      throw new CorruptionError(path, 'the file is empty; restore a backup, or remove it to start over', 0);
    const bytes = Buffer.alloc(FIRST_LINE.length);
    await file.read(bytes, 0);
    if (bytes.equals(FIRST_LINE)) return { file, isWritable };
    throw new CorruptionError(path, 'this is not the first line of a log; run porchlight salvage', 0);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** @throws CorruptionError if an early version wrote the store, or if a store must exist and does not */
export function checkNames(folder: string, names: readonly string[], mustExist: boolean): void {
  if (names.includes(LOG)) return;
  if (names.some((name) => EARLY_VERSION.test(name)))
    throw new CorruptionError(
      folder,
      'an early version of Porchlight wrote this store; export it with that version, and import the file ' +
        'into another folder',
    );
  if (mustExist) throw new CorruptionError(folder, 'there is no store in this folder');
}

/** Durably removes copies of the log that a repair or an interrupted first opening left. */
export async function removeCopies(disk: Disk, folder: string): Promise<void> {
  const copies = (await disk.list(folder)).filter((name) => name.startsWith(COPY));
  for (const name of copies)
    await removeFile(disk, join(folder, name)).catch((error: unknown) => {
      // This program makes no folder with such a name.
      if (!isError(error, 'EISDIR')) throw error;
    });
  // Another process may have removed a copy and ended before it synced the folder.
  await disk.syncFolder(folder);
}

/** Removes temporary files that a crash left. @param before newer ones may be in use @returns failures */
export async function removeLeftovers(disk: Disk, folder: string, before: number): Promise<Error[]> {
  const failures: Error[] = [];
  for (const name of await listNames(disk, folder)) {
    if (!name.startsWith(`${LOCK}.`) && !name.startsWith(TEMPORARY)) continue;
    const path = join(folder, name);
    const found = await disk.status(path);
    if (found === undefined || found.modified >= before) continue;
    await removeFile(disk, path).catch((error: unknown) => failures.push(error as Error));
  }
  return failures;
}
