import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOG } from '#store/folder/line.ts';
import { runCommand, type Sandbox } from './sandbox.ts';
import type { LaunchOptions } from './server.ts';

/** Bytes left free by `fill`. */
export const FREE_BYTES = 300_000;

/** A disk that can be filled and freed. */
export interface Disk {
  readonly name: string;
  readonly folder: string;
  readonly launchOptions: LaunchOptions;
  readonly fill: (pid: number) => void;
  readonly free: (pid: number) => void;
}

/** A tmpfs of 8 MB, which another file fills. */
export async function tinyDisk(sandbox: Sandbox): Promise<Disk> {
  const root = await sandbox.mount('-t', 'tmpfs', '-o', 'size=8m', 'porchlight-torture');
  const ballast = join(root, 'ballast');
  const fill = (): void => {
    const { bavail, bsize } = statfsSync(root);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - FREE_BYTES));
  };
  return {
    name: 'full disk',
    folder: join(root, 'data'),
    launchOptions: {},
    fill,
    free: () => {
      rmSync(ballast);
    },
  };
}

/** A limit of the file size (RLIMIT_FSIZE) of the server. */
export async function limitedFiles(sandbox: Sandbox): Promise<Disk> {
  const folder = await sandbox.createFolder();
  return {
    name: 'file size limit',
    folder,
    launchOptions: { wrapper: ['prlimit', '--fsize=unlimited:unlimited'] },
    fill: (pid) => {
      runCommand(
        'prlimit',
        '--pid',
        String(pid),
        `--fsize=${statSync(join(folder, LOG)).size + FREE_BYTES}:unlimited`,
      );
    },
    // Fails if the server was killed, which ended its limit too.
    free: (pid) => {
      spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited']);
    },
  };
}
