import { constants, fstatSync, watch, writeSync } from 'node:fs';
import { link, mkdir, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { syncFolder } from './sync-folder.ts';

/** An open file. Every method but `size` is one system call, so that a test can stop a writer between any two. */
export interface DiskFile {
  /** In bytes, as it is now: one fstat, cheap enough for every read of the store. */
  size(): number;
  /** Fills as much of the buffer as there is. @returns how many bytes were read */
  read(into: Buffer, at: number): Promise<number>;
  /** Writes at the end, wherever that is by then. @returns how many bytes were taken */
  append(bytes: Buffer): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The system calls that the JSON engine makes. Failures carry a `code` such as ENOSPC. */
export interface Disk {
  /** `create` fails with EEXIST where the file is there already, the other two with ENOENT where it is not. */
  open(path: string, mode: 'create' | 'append' | 'read'): Promise<DiskFile>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  makeFolder(path: string): Promise<void>;
  /** Makes names that were put into the folder, or taken from it, durable. */
  syncFolder(path: string): Promise<void>;
  /**
   * Calls back when something in the folder was written.
   * @param lost told where the system stops telling; it may also throw at once
   * @returns how to stop
   */
  watch(folder: string, listener: () => void, lost: (error: unknown) => void): () => void;
}

const UPDATE = constants.O_RDWR | constants.O_APPEND;
const FLAGS = {
  create: UPDATE | constants.O_CREAT | constants.O_EXCL,
  append: UPDATE,
  read: constants.O_RDONLY,
};

/** @param created called with a file that was just made, before it is used */
export async function openFile(
  path: string,
  mode: keyof typeof FLAGS,
  created?: (file: FileHandle) => Promise<void>,
): Promise<DiskFile> {
  const file = await open(path, FLAGS[mode], 0o600);
  try {
    if (mode === 'create') await created?.(file);
  } catch (error) {
    await file.close();
    await unlink(path);
    throw error;
  }
  return {
    size: () => fstatSync(file.fd).size,
    read: async (into, at) => (await file.read(into, 0, into.length, at)).bytesRead,
    // At once: it goes to the system's memory, in a tenth of the time it takes to ask another thread. What waits for the
    // disk is the sync.
    append: async (bytes) => writeSync(file.fd, bytes),
    sync: () => file.datasync(),
    close: () => file.close(),
  };
}

/** The disk of this machine. Local file systems only: on a network one O_APPEND does not append. */
export const nodeDisk: Disk = {
  open: (path, mode) => openFile(path, mode),
  link,
  rename,
  unlink,
  list: (folder) => readdir(folder),
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  syncFolder: (path) => syncFolder(path),
  watch: (folder, listener, lost) => {
    const watcher = watch(folder, { persistent: false }, listener).on('error', lost);
    return () => {
      watcher.close();
    };
  },
};
