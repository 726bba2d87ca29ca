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
import { chmod, mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { StoreFailure } from '#store/port/store.ts';

export interface FileStatus {
  readonly device: number;
  readonly inode: number;
  /** Modification time in milliseconds since 1970, by the clock of the file system. */
  readonly modified: number;
}

/** Whether two names, or a name and an open file, are of the same file. */
export function isSameFile(a: FileStatus | undefined, b: FileStatus | undefined): boolean {
  return a !== undefined && a.inode === b?.inode && a.device === b.device;
}

/** Each method except `size` and `status` is one system call, so that tests can stop between them. */
export interface DiskFile {
  /** The current size in bytes. It costs one fstat, which is cheap enough for every read of the store. */
  size(): number;
  status(): FileStatus;
  /** @returns the number of bytes that were read */
  read(into: Buffer, offset: number): Promise<number>;
  /** Reads synchronously. Cached bytes take a fifth of the time of a read in another thread. */
  readNow(into: Buffer, offset: number): number;
  /** Writes at the end. @returns the number of bytes that were written */
  append(bytes: Buffer): Promise<number>;
  /** For a file that was opened with `overwrite`. @returns the number of bytes that were written */
  overwrite(bytes: Buffer, offset: number): Promise<number>;
  sync(): Promise<void>;
  /** Must be called after all other calls have returned. */
  close(): Promise<void>;
}

export type OpenMode = keyof typeof FLAGS;

/** The system calls that the folder engine makes. Failures carry a `code` such as ENOSPC. */
export interface Disk {
  /**
   * `create` fails with EEXIST if the file exists, the other modes with ENOENT if it does not.
   * @throws CorruptionError if a link, a folder, a pipe or a device has the name
   */
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** @returns the status of what has the name, for a link its own; undefined if nothing has the name */
  status(path: string): Promise<FileStatus | undefined>;
  /** Sets the modification time. @param time in milliseconds since 1970 */
  setTime(path: string, time: number): Promise<void>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  /** Creates a folder and its missing parents, and makes their names durable. */
  makeFolder(path: string): Promise<void>;
  /** Removes the access rights of group and others from a folder. */
  restrictFolder(path: string): Promise<void>;
  /** Makes additions, removals and renames in the folder durable. */
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

const FOLDER_MODE = 0o700;

const NO_FILE = 'this is a link, a folder, a pipe or a device; only a file may have this name';

const readLater = promisify(read);
const syncLater = promisify(fdatasync);

const toStatus = ({ dev: device, ino: inode, mtimeMs: modified }: Stats) => ({
  device,
  inode,
  modified,
});

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

/** @param created is called with the descriptor of a new file before the file is used */
export async function openFile(
  path: string,
  mode: OpenMode,
  created?: (descriptor: number) => Promise<void>,
): Promise<DiskFile> {
  const fd = openRegularFile(path, mode);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    // Set before the close, which may fail: the next file that is opened gets the same descriptor.
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
    readNow: (into, offset) => readSync(fd, into, 0, into.length, offset),
    read: async (into, offset) => (await readLater(fd, into, 0, into.length, offset)).bytesRead,
    // Synchronous: a write to the page cache takes a tenth of the time of a write in another thread. Only the
    // sync waits for the disk.
    append: async (bytes) => writeSync(fd, bytes),
    overwrite: async (bytes, offset) => writeSync(fd, bytes, 0, bytes.length, offset),
    sync: () => syncLater(fd),
    close,
  };
}

/** @param created is called with the topmost new folder before the names are synced */
export async function makeFolders(path: string, created?: (first: string) => Promise<void>): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  await created?.(first);
  const top = dirname(resolve(first));
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    await syncFolder(folder);
    if (folder === top) return;
  }
}

/**
 * Local file systems only: on a network file system O_APPEND does not append. The calls that use the lock are
 * synchronous: other processes wait, and another thread would take longer.
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
  restrictFolder: async (path) => {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') await chmod(path, FOLDER_MODE);
  },
  syncFolder: (path) => syncFolder(path),
};

/** Windows refuses to open or to sync a folder. NTFS itself journals changes of names. */
const WINDOWS_REFUSALS = ['EPERM', 'EISDIR', 'EACCES'];

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (process.platform === 'win32' && isError(error, ...WINDOWS_REFUSALS)) return;
    throw nameLack(error, NO_SYNC, 'syncing folders');
  }
}

const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];
const NO_SYNC = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Adds what the file system may lack to the message of an error with one of the codes. */
export function nameLack(error: unknown, codes: readonly string[], lack: string): unknown {
  if (isError(error, ...codes))
    error.message += `. The data folder's file system does not seem to support ${lack}; use a different one`;
  return error;
}

/** Thrown for a file with content that this program never writes, and for anything else that has its name. */
export class CorruptionError extends Error {
  override readonly name = 'CorruptionError';

  constructor(path: string, what: string, offset?: number) {
    super(`${path}${offset === undefined ? '' : ` at byte ${offset}`}: ${what}`);
  }
}

export const isError = (error: unknown, ...codes: readonly string[]): error is Error =>
  error instanceof Error && 'code' in error && codes.some((code) => code === error.code);

/** Whether a restriction of this process refused the call, which says nothing about the disk. */
export const isRefused = (error: unknown): boolean =>
  isError(error, 'EPERM', 'EACCES', 'ENOSYS', 'ERR_ACCESS_DENIED');

/** For a write of which only a part was stored, as when the disk becomes full. */
export function shortWriteError(): Error {
  return Object.assign(new Error('ENOSPC: only part of the data was written'), { code: 'ENOSPC' });
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the log has reached the largest size the system allows',
  EROFS: 'the disk is read-only',
  EACCES: 'the data folder is not writable',
  EPERM: 'the data folder is not writable',
  EMFILE: 'too many files are open',
};

/** @returns why writes fail, without a path, since anyone can read it */
export function describeDiskError(error: unknown): string {
  // Without a cause, the message is one of this store's, which name no path.
  if (error instanceof StoreFailure && error.cause === undefined) return error.message;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof CorruptionError) return 'the store is damaged';
  const code = Object.keys(WORDS).find((name) => isError(cause, name));
  return WORDS[code ?? ''] ?? 'the disk does not accept writes';
}
