import type { Disk } from './fs/disk.ts';

/** The process that takes the lock of a folder, and its timers. */
export interface LockHost {
  readonly pid: number;
  /** Random: another process with the same pid has another one. */
  readonly run: string;
  /** Of the machine; empty if it is not known. */
  readonly boot: string;
  /** Where a pid means one process: a pid namespace, or else the name of the host. */
  readonly space: string;
  readonly isAlive: (pid: number) => boolean;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

export interface FolderStoreOptions {
  readonly disk: Disk;
  readonly folder: string;
  /** Wall-clock time in milliseconds since 1970. */
  readonly clock: { now: () => number };
  /** Where keys are made, outside of backups of the folder; `keys` in the folder if it is left out. */
  readonly keysFolder?: string | undefined;
  /** Refuses a folder without a store, rather than making one. */
  readonly mustExist?: boolean;
  /** Leaves expired keys to the servers: an operator command may run under a wrong clock for a moment. */
  readonly keepsKeys?: boolean;
  /** Messages for the operator, without texts and addresses. */
  readonly report: (message: string) => void;
  readonly host?: LockHost;
}
