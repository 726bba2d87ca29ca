import type { Disk } from './fs/disk.ts';

export interface JsonlStoreOptions {
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
  readonly pause?: (ms: number) => Promise<void>;
  /** How long after the last write a proof line follows; a second if it is left out. */
  readonly proofDelayMs?: number;
  /** Writes the snapshot of the folder, as a server that lasts. */
  readonly writesSnapshot?: boolean;
  /** Reads every line of the log, rather than what the snapshot says of it. */
  readonly readsEveryLine?: boolean;
}
