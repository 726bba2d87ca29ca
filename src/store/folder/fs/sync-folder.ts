import { open } from 'node:fs/promises';

interface OpenFolder {
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface System {
  readonly platform: NodeJS.Platform;
  readonly openFolder: (path: string) => Promise<OpenFolder>;
}

const NODE: System = { platform: process.platform, openFolder: (path) => open(path, 'r') };

/**
 * Windows opens no folder for reading, or refuses FlushFileBuffers because the handle may not write. NTFS
 * journals changes of names by itself.
 */
const WINDOWS_REFUSALS: readonly unknown[] = ['EPERM', 'EISDIR', 'EACCES'];

/**
 * Makes names that were put into the folder, or taken from it, durable.
 * @param system for tests of another platform
 */
export async function syncFolder(path: string, { platform, openFolder }: System = NODE): Promise<void> {
  try {
    const folder = await openFolder(path);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (platform !== 'win32' || !WINDOWS_REFUSALS.includes(code)) throw error;
  }
}
