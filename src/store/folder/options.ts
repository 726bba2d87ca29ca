import type { Disk } from './fs/disk.ts';

/** The process that acquires the lock of a folder, and its timers. */
export interface LockHost {
  readonly pid: number;
  /** A random id of the process, since a later process may have the same pid. */
  readonly run: string;
  /** The boot id of the machine; empty if it is unknown. */
  readonly boot: string;
  /** The pid namespace, or the name of the host. Within it a pid identifies one process. */
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
  /** The folder of the keys, outside of backups of the store. Default: `keys` in the folder of the store. */
  readonly keysFolder?: string | undefined;
  /** Refuses a folder without a store instead of creating one. */
  readonly mustExist?: boolean;
  /** Destroys no expired keys. For operator commands, which may run under a wrong clock. */
  readonly keepsKeys?: boolean;
  /** Messages for the operator, without texts and addresses. */
  readonly report: (message: string) => void;
  readonly host?: LockHost;
}
