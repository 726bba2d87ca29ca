import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '#store/port/store.ts';
import { removeFile, writeAll } from './fs/atomic-files.ts';
import type { Disk, DiskFile } from './fs/disk.ts';
import { isError } from './fs/errors.ts';
import type { LockHost } from './options.ts';

/** The file name of the lock. What else begins so is a lock that waits to be put in place. */
export const LOCK = 'lock';

/** A process that waits longer for the lock gives up. */
const MAX_WAIT_MS = 10_000;
/** What is longer is no lock of this program. */
const MAX_BYTES = 1024;
/** A lock with the same content for so long is dead. */
const PATIENCE_MS = 4500;
/** Between two looks at a lock that another process holds. */
const LOOK_MS = 1;
/** Pause after a replacement, in which another process may replace the same lock. */
const SETTLE_MS = 20;
/** Time for which a holder keeps the lock after a batch while no process waits for it. */
const LINGER_MS = 10;
/** How long a holder leaves the lock to those that wait, until one has it. */
const REST_MS = 50;
/** The longest time for which one file stays the lock over several batches. */
const MAX_KEPT_MS = 500;

/** What the file says, and a number that no other one has. */
type Content = Partial<Pick<LockHost, 'pid' | 'run' | 'space' | 'boot'>>;

/** Runs jobs of this process one at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  runExclusive<Result>(job: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(job);
    this.#last = run.catch(() => undefined);
    return run;
  }
}

/** A file that can become the lock. */
interface PreparedLock {
  readonly file: DiskFile;
  readonly path: string;
}

/** A lock of another process. */
interface Sighting {
  readonly text: string;
  /** When it was first seen with this content. */
  readonly since: number;
  readonly inode: number | undefined;
}

const textOfFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};

const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return hostname();
  }
};

/** This process. */
export const thisHost: LockHost = {
  pid: process.pid,
  run: randomBytes(8).toString('hex'),
  boot: textOfFile('/proc/sys/kernel/random/boot_id'),
  space: pidNamespace(),
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

/**
 * The lock of a folder: a file that exists while a process writes. It keeps writers from deciding on what
 * another one is changing; what counts is decided by the lines alone, so a lock that is wrongly replaced
 * costs repetitions, and nothing else. The file appears with its content in one step, so that no crash leaves
 * an empty one, and a dead one is replaced by a rename, so that it is never absent while something is not
 * synced.
 */
export class Lock {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #host: LockHost;
  /** Of the jobs of this process: one takes the lock, works and leaves before the next one does. */
  readonly #mutex = new Mutex();
  /** The file that this process put in place; open, so that no other file gets its inode. */
  #held: DiskFile | undefined;
  #heldSince = 0;
  /** Kept from one wait to the next: a dead process is waited for once. */
  #seen: Sighting | undefined;
  /** Counts the jobs, so that a pause which has ended finds out whether another one came. */
  #jobs = 0;
  #restUntil = -Infinity;

  constructor(disk: Disk, folder: string, host: LockHost) {
    this.#disk = disk;
    this.#path = join(folder, LOCK);
    this.#host = host;
  }

  /**
   * Runs a job while this process has the lock. Jobs run one at a time, in the order of the calls.
   * @param job is given whether a dead lock was replaced: what its holder wrote may not be synced
   * @throws StoreFailure if the lock cannot be had within 10 seconds
   */
  hold<Result>(job: (hasReplaced: boolean) => Promise<Result>): Promise<Result> {
    this.#jobs += 1;
    const deadline = this.#host.now() + MAX_WAIT_MS;
    return this.#mutex.runExclusive(async () => {
      const hasReplaced = await this.#take(deadline);
      try {
        return await job(hasReplaced);
      } finally {
        // Who comes next finds a lock that could not be removed.
        await this.#leave().catch(() => undefined);
      }
    });
  }

  release(): Promise<void> {
    return this.#mutex.runExclusive(() => this.#release());
  }

  /**
   * Resolves once the process that writes now has left the lock, and so has synced or marked the folder, or
   * is dead.
   */
  async untilLeft(): Promise<void> {
    if ((await this.#observe()) !== 'held') return;
    const first = this.#seen?.text;
    do await this.#host.pause(LOOK_MS);
    while ((await this.#observe()) === 'held' && this.#seen?.text === first);
  }

  /** Whether the lock is the one that this process has put in place. */
  async isHeld(): Promise<boolean> {
    return this.#isOwn(await this.#disk.status(this.#path));
  }

  async #take(deadline: number): Promise<boolean> {
    if (this.#held !== undefined) {
      if (await this.#mayKeep()) return false;
      await this.#release();
    }
    while (this.#host.now() < this.#restUntil && (await this.#disk.status(this.#path)) === undefined)
      await this.#host.pause(LOOK_MS);
    return this.#wait(deadline);
  }

  /** Keeps the lock for some milliseconds, unless another process waits for it: then it may take it first. */
  async #leave(): Promise<void> {
    if (!(await this.#mayKeep())) return this.#release();
    const jobs = this.#jobs;
    // What cannot be removed now is removed by the next one to take it.
    void this.#host
      .pause(LINGER_MS)
      .then(() => (jobs === this.#jobs ? this.release() : undefined))
      .catch(() => undefined);
  }

  /** Whether this process still has the lock, and no other one waits for it. */
  async #mayKeep(): Promise<boolean> {
    const found = await this.#disk.status(this.#path);
    // A process of another user may wait, and cannot set the time of the file.
    const isNew = this.#host.now() - this.#heldSince < MAX_KEPT_MS;
    return isNew && this.#isOwn(found) && found?.modified !== 0;
  }

  #isOwn(found: Awaited<ReturnType<Disk['status']>>): boolean {
    const own = this.#held?.status();
    return own !== undefined && own.inode === found?.inode && own.device === found.device;
  }

  async #release(): Promise<void> {
    const file = this.#held;
    if (file === undefined) return;
    try {
      const found = await this.#disk.status(this.#path);
      if (!this.#isOwn(found)) return;
      if (found?.modified === 0) this.#restUntil = this.#host.now() + REST_MS;
      await removeFile(this.#disk, this.#path);
    } finally {
      this.#held = undefined;
      await file.close();
    }
  }

  async #wait(deadline: number): Promise<boolean> {
    const { now, pause } = this.#host;
    let own = await this.#prepare();
    try {
      for (;;) {
        const seen = await this.#observe();
        if (seen === 'free' && (await this.#place(own))) return false;
        if (seen === 'dead') {
          if (await this.#replace(own)) return true;
          // The file has become the lock, and another process has replaced it.
          own = await this.#prepare();
        }
        if (seen !== 'held') continue;
        if (now() >= deadline)
          throw new StoreFailure('nothing', 'other processes have kept the lock of the folder for too long');
        await pause(LOOK_MS);
      }
    } finally {
      if (this.#held !== own.file) {
        await own.file.close().catch(() => undefined);
        await removeFile(this.#disk, own.path);
      }
    }
  }

  /** Looks at the lock. The holder of one that is seen first is asked to leave it after its batch. */
  async #observe(): Promise<'free' | 'held' | 'dead'> {
    const { now } = this.#host;
    const found = await this.#disk.status(this.#path);
    if (found === undefined) return 'free';
    const seen = this.#seen;
    // With the time that asks and the same inode it is taken for the lock that was seen. If it is another one,
    // that is found out when the first seems dead: nothing is replaced without a look at its content.
    if (found.modified === 0 && found.inode === seen?.inode && !this.#isDead(seen)) return 'held';
    const text = await this.#look();
    if (text === undefined) return 'free';
    this.#seen = { text, since: seen?.text === text ? seen.since : now(), inode: found.inode };
    if (this.#isDead(this.#seen)) return 'dead';
    // Sets the time to 0, which asks the holder to leave. It fails too if the holder is another user.
    return this.#disk.setTime(this.#path, 0).then(
      () => 'held',
      (error: unknown) => (isError(error, 'ENOENT') ? 'free' : 'held'),
    );
  }

  /** @returns whether the lock was free */
  async #place(own: PreparedLock): Promise<boolean> {
    try {
      await this.#disk.link(own.path, this.#path);
    } catch (error) {
      if (isError(error, 'EEXIST')) return false;
      throw error;
    }
    this.#held = own.file;
    this.#heldSince = this.#host.now();
    await removeFile(this.#disk, own.path);
    return true;
  }

  /** @returns whether this process has the lock: of several that replace it at once, the last one */
  async #replace(own: PreparedLock): Promise<boolean> {
    await this.#disk.rename(own.path, this.#path).catch(async (error: unknown) => {
      if (!isError(error, 'EISDIR') && !isError(error, 'ENOTEMPTY') && !isError(error, 'EEXIST')) throw error;
      // A folder has the name: no rename replaces that.
      await this.#disk.rename(this.#path, `${own.path}.replaced`);
      await this.#disk.rename(own.path, this.#path);
    });
    this.#held = own.file;
    this.#heldSince = this.#host.now();
    await this.#host.pause(SETTLE_MS);
    if (this.#isOwn(await this.#disk.status(this.#path))) return true;
    this.#held = undefined;
    await own.file.close();
    return false;
  }

  async #prepare(): Promise<PreparedLock> {
    const { pid, run, space, boot } = this.#host;
    const nonce = randomBytes(8).toString('hex');
    const path = `${this.#path}.${run}-${nonce}`;
    const file = await this.#disk.open(path, 'create');
    try {
      await writeAll(file, Buffer.from(JSON.stringify({ pid, run, space, boot, nonce })));
    } catch (error) {
      await file.close();
      await removeFile(this.#disk, path);
      throw error;
    }
    return { file, path };
  }

  /** @returns undefined without a lock; of one that cannot be read, what is the same each time */
  async #look(): Promise<string | undefined> {
    try {
      const file = await this.#disk.open(this.#path, 'read');
      try {
        const bytes = Buffer.alloc(MAX_BYTES);
        return bytes.toString('utf8', 0, file.readNow(bytes, 0));
      } finally {
        await file.close();
      }
    } catch (error) {
      return isError(error, 'ENOENT') ? undefined : String(error);
    }
  }

  #isDead({ text, since }: Sighting): boolean {
    const { now, pid: ownPid, run: ownRun, boot: ownBoot, space: ownSpace, isAlive } = this.#host;
    const { pid, run, boot, space } = toContent(text);
    // A hidden boot id, as in a service with `ProcSubset=pid`, is not another one.
    if (isOtherBoot(boot, ownBoot)) return true;
    const hasEnded = pid === ownPid ? run !== ownRun : pid !== undefined && !isAlive(pid);
    return (space === ownSpace && hasEnded) || now() - since >= PATIENCE_MS;
  }
}

/** Whether two processes are known to run after different starts of the machine. `''`: not known. */
export function isOtherBoot(a: string | undefined, b: string): boolean {
  return a !== undefined && a !== '' && b !== '' && a !== b;
}

function toContent(text: string): Content {
  try {
    return (JSON.parse(text) as Content | null) ?? {};
  } catch {
    return {};
  }
}
