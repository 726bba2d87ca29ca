import { basename, dirname } from 'node:path';
import type { Disk, DiskFile, FileStatus } from '#store/folder/fs/disk.ts';

interface MemoryFile {
  readonly inode: number;
  /** The bytes of the file, followed by free space, so that few appends copy the file. */
  space: Buffer;
  size: number;
  modified: number;
}

/**
 * Creates a disk in memory for the store of one process. No other process can read it, and nothing of it
 * remains.
 * @param now wall-clock time in milliseconds since 1970
 */
export function createMemoryDisk(now: () => number): Disk {
  const files = new Map<string, MemoryFile>();
  let inodes = 0;
  const find = (path: string): MemoryFile => {
    const file = files.get(path);
    if (file === undefined) throw systemError('ENOENT');
    return file;
  };
  const refuseTaken = (path: string): void => {
    if (files.has(path)) throw systemError('EEXIST');
  };
  return {
    open: async (path, mode) => {
      if (mode === 'create') {
        refuseTaken(path);
        files.set(path, { inode: ++inodes, space: Buffer.alloc(0), size: 0, modified: now() });
      }
      return openMemoryFile(find(path), now);
    },
    status: async (path) => {
      const file = files.get(path);
      return file && statusOf(file);
    },
    setTime: async (path, time) => {
      find(path).modified = time;
    },
    link: async (from, to) => {
      const file = find(from);
      refuseTaken(to);
      files.set(to, file);
    },
    rename: async (from, to) => {
      const file = find(from);
      // POSIX keeps both names if they belong to one file.
      if (files.get(to) === file) return;
      files.set(to, file);
      files.delete(from);
    },
    unlink: async (path) => {
      find(path);
      files.delete(path);
    },
    list: async (folder) =>
      [...files.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
    makeFolder: async () => undefined,
    restrictFolder: async () => undefined,
    syncFolder: async () => undefined,
  };
}

function openMemoryFile(file: MemoryFile, now: () => number): DiskFile {
  const readNow = (into: Buffer, at: number): number =>
    file.space.copy(into, 0, Math.min(at, file.size), file.size);
  const write = async (bytes: Buffer, at: number): Promise<number> => {
    const end = at + bytes.length;
    if (end > file.space.length) file.space = Buffer.concat([file.space], 2 * end);
    bytes.copy(file.space, at);
    file.size = Math.max(file.size, end);
    file.modified = now();
    return bytes.length;
  };
  return {
    size: () => file.size,
    status: () => statusOf(file),
    read: async (into, at) => readNow(into, at),
    readNow,
    append: (bytes) => write(bytes, file.size),
    overwrite: write,
    sync: async () => undefined,
    close: async () => undefined,
  };
}

const statusOf = ({ inode, modified }: MemoryFile): FileStatus => ({ device: 0, inode, modified });

const systemError = (code: string): Error => Object.assign(new Error(code), { code });
