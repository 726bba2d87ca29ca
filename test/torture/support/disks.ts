import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logOf } from './files.ts';
import { command, type Place } from './sandbox.ts';
import type { Way } from './server.ts';

/** Bytes that are left when it is filled. */
export const ROOM = 300_000;

/** A way to run out of room, and to have some again. */
export interface Disk {
  readonly name: string;
  readonly folder: string;
  readonly way: Way;
  readonly fill: (pid: number) => void;
  readonly free: (pid: number) => void;
}

/** A file system with little room, most of it taken by somebody else. */
export async function tinyDisk(place: Place): Promise<Disk> {
  const root = await place.mounted('-t', 'tmpfs', '-o', 'size=8m', 'porchlight-torture');
  const ballast = join(root, 'ballast');
  const fill = (): void => {
    const { bavail, bsize } = statfsSync(root);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - ROOM));
  };
  return {
    name: 'full disk',
    folder: join(root, 'data'),
    way: {},
    fill,
    free: () => {
      rmSync(ballast);
    },
  };
}

/** The system lets no file of this process grow any further. */
export async function limitedFiles(place: Place): Promise<Disk> {
  const folder = await place.folder();
  return {
    name: 'file size limit',
    folder,
    way: { behind: ['prlimit', '--fsize=unlimited:unlimited'] },
    fill: (pid) => {
      command('prlimit', '--pid', String(pid), `--fsize=${statSync(logOf(folder)).size + ROOM}:unlimited`);
    },
    // Who was killed has taken its limit along.
    free: (pid) => {
      spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited']);
    },
  };
}
