import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  linkSync,
  lstatSync,
  lutimesSync,
  openSync,
  read,
  readSync,
  unlinkSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CorruptionError } from './errors.ts';

/** What is known of a file without reading it. Device and inode identify it, whatever its name. */
export interface FileStatus {
  readonly device: number;
  readonly inode: number;
  /** When it was last written or touched: milliseconds since 1970, by the clock of the file system. */
  readonly modified: number;
}

/** An open file. Each method but `size` and `status` is one system call: tests stop processes between. */
export interface DiskFile {
  /** In bytes, as it is now: one fstat, cheap enough for every read of the store. */
  size(): number;
  status(): FileStatus;
  /** Fills as much of the buffer as there is. @returns the number of bytes that were read */
  read(into: Buffer, at: number): Promise<number>;
  /** Reads synchronously: cached bytes take a fifth of the time that another thread takes. */
  readNow(into: Buffer, at: number): number;
  /** Writes at the end, wherever that is by then. @returns the number of bytes that were written */
  append(bytes: Buffer): Promise<number>;
  /**
   * Writes at an offset. Only for a file that was opened with `overwrite`.
   * @returns the number of bytes that were written
   */
  overwrite(bytes: Buffer, at: number): Promise<number>;
  sync(): Promise<void>;
  /** Only once no other call is under way. */
  close(): Promise<void>;
}

export type OpenMode = keyof typeof FLAGS;

/** The system calls that the folder engine makes. Failures carry a `code` such as ENOSPC. */
export interface Disk {
  /**
   * `create` fails with EEXIST if the file exists, the other modes with ENOENT if it does not.
   * @throws CorruptionError if something else than a file has the name, a symbolic link included
   */
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** @returns what has the name now, a link itself; undefined if there is nothing */
  status(path: string): Promise<FileStatus | undefined>;
  /** Sets when a file was modified. @param time in milliseconds since 1970 */
  setTime(path: string, time: number): Promise<void>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  /** Makes a folder and those above it, and their names durable. */
  makeFolder(path: string): Promise<void>;
  /** Makes names that were put into the folder, or taken from it, durable. */
  syncFolder(path: string): Promise<void>;
}

// A pipe would block the open until it has a writer, and a link may lead out of the folder. Windows has
// neither flag.
const FILES_ONLY = constants.O_NONBLOCK | constants.O_NOFOLLOW;
const UPDATE = FILES_ONLY | constants.O_RDWR | constants.O_APPEND;
const FLAGS = {
  create: UPDATE | constants.O_CREAT | constants.O_EXCL,
  append: UPDATE,
  // Without O_APPEND: with it, Linux appends whatever offset a write names.
  overwrite: FILES_ONLY | constants.O_RDWR,
  read: FILES_ONLY | constants.O_RDONLY,
};

const NO_FILE = 'this is a link, a folder, a pipe or a device; only a file may have this name';

const readLater = promisify(read);
const syncLater = promisify(fdatasync);

const toStatus = ({ dev: device, ino: inode, mtimeMs: modified }: Stats): FileStatus => ({
  device,
  inode,
  modified,
});

/** @throws CorruptionError if something else than a file has the name */
function openRegularFile(path: string, mode: OpenMode): number {
  let fd: number;
  try {
    fd = openSync(path, FLAGS[mode], 0o600);
  } catch (error) {
    const isOther = lstatSync(path, { throwIfNoEntry: false })?.isFile() === false;
    throw isOther ? new CorruptionError(path, NO_FILE) : error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new CorruptionError(path, NO_FILE);
}

/** @param created called with the descriptor of a file that was just made, before it is used */
export async function openFile(
  path: string,
  mode: OpenMode,
  created?: (descriptor: number) => Promise<void>,
): Promise<DiskFile> {
  const fd = openRegularFile(path, mode);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    // Also of a close that fails: the next file that is opened gets the number of this one.
    isOpen = false;
    closeSync(fd);
  };
  try {
    if (mode === 'create') await created?.(fd);
  } catch (error) {
    await close();
    unlinkSync(path);
    throw error;
  }
  return {
    size: () => fstatSync(fd).size,
    status: () => toStatus(fstatSync(fd)),
    readNow: (into, at) => readSync(fd, into, 0, into.length, at),
    read: async (into, at) => (await readLater(fd, into, 0, into.length, at)).bytesRead,
    // Synchronous: it writes into the memory of the system, in a tenth of the time that another thread would
    // take. The sync is what waits for the disk.
    append: async (bytes) => writeSync(fd, bytes),
    overwrite: async (bytes, at) => writeSync(fd, bytes, 0, bytes.length, at),
    sync: () => syncLater(fd),
    close,
  };
}

/**
 * Makes a folder and those above it, and their names durable.
 * @param created called with the topmost folder that was made, before the names are synced
 */
export async function makeFolders(path: string, created?: (first: string) => Promise<void>): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  await created?.(first);
  const top = dirname(resolve(first));
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    await syncFolder(folder);
    if (folder === top) return;
  }
}

/**
 * The disk of this machine. Local file systems only: on a network file system O_APPEND does not append. What
 * each use of the lock needs is synchronous: another thread would take longer, and other processes wait.
 */
export const nodeDisk: Disk = {
  open: (path, mode) => openFile(path, mode),
  status: async (path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found && toStatus(found);
  },
  setTime: async (path, time) => {
    lutimesSync(path, time / 1000, time / 1000);
  },
  link: async (from, to) => {
    try {
      linkSync(from, to);
    } catch (error) {
      throw nameLack(error, NO_LINKS, 'hard links');
    }
  },
  rename,
  unlink: async (path) => {
    unlinkSync(path);
  },
  list: (folder) => readdir(folder),
  makeFolder: (path) => makeFolders(path),
  syncFolder: (path) => syncFolder(path),
};

/**
 * Windows opens no folder for reading, or refuses FlushFileBuffers because the handle may not write. NTFS
 * journals changes of names by itself.
 */
const WINDOWS_REFUSALS: readonly unknown[] = ['EPERM', 'EISDIR', 'EACCES'];

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (process.platform === 'win32' && WINDOWS_REFUSALS.includes(code)) return;
    throw nameLack(error, NO_SYNC, 'a sync of folders');
  }
}

const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];
const NO_SYNC: readonly unknown[] = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/**
 * Adds to the message of a failed call that the file system may be of a kind on which no folder can be kept.
 * @param codes of the call where the file system lacks something
 */
export function nameLack(error: unknown, codes: readonly unknown[], lack: string): unknown {
  if (error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code))
    error.message += `. The file system of the data folder has no ${lack}, it seems: use another one`;
  return error;
}
