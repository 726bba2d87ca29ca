import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from './fs/disk.ts';

export interface LockHost {
  readonly pid: number;
  /** A random id of the process, since a later process may have the same pid. */
  readonly run: string;
  /** The boot id of the machine; empty if it is unknown. */
  readonly boot: string;
  /** The pid namespace, or the name of the host. A pid identifies one process within it. */
  readonly space: string;
  readonly isAlive: (pid: number) => boolean;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const readOr = (fallback: string, read: () => string): string => {
  try {
    return read();
  } catch {
    return fallback;
  }
};

export const thisHost: LockHost = {
  pid: process.pid,
  run: randomBytes(8).toString('hex'),
  boot: readOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  space: readOr(hostname(), () => readlinkSync('/proc/self/ns/pid')),
  isAlive: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return !isError(error, 'ESRCH');
    }
  },
  now: () => performance.now(),
  pause: (ms) => sleep(ms),
};

/** Whether two boot ids prove a restart of the machine. A hidden one is empty (`ProcSubset=pid`). */
export function isOtherBoot(a: string | undefined, b: string): boolean {
  return a !== undefined && a !== '' && b !== '' && a !== b;
}
