import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseJson } from '#runtime/json.ts';
import { StoreFailure } from '#store/port/store.ts';
import { readWhole, removeFile, writeAll } from './fs/atomic-files.ts';
import { type Disk, type DiskFile, type FileStatus, isError, isSameFile } from './fs/disk.ts';
import { isOtherBoot, type LockHost } from './host.ts';

/** The name of the lock file. Other names that begin with it are of prepared lock files. */
export const LOCK = 'lock';
/** A process gives up after waiting this long for the lock. */
const MAX_WAIT_MS = 10_000;
/** A lock file is stale if its content stays the same for this long. */
const STALE_MS = 4500;
const POLL_MS = 1;
/** The pause after a replacement, during which another process may replace the same lock file. */
const SETTLE_MS = 20;
/** How long a holder keeps the lock after a batch while no process waits for it. */
const KEEP_MS = 10;
/** How long a process that yielded the lock leaves a free lock to others. */
const YIELD_MS = 50;
/** The modification time that a waiting process sets, to ask the holder to yield after its batch. */
const YIELD_REQUESTED = 0;
/** The maximum time for which a holder keeps one lock file over several batches. */
const MAX_KEPT_MS = 500;

/** The content of a lock file, which also has a nonce, so that no two files are equal. */
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

interface LockFile {
  readonly file: DiskFile;
  /** The name under which it was prepared. */
  readonly path: string;
  /** Identifies the file while it is open. */
  readonly status: FileStatus;
}

interface Observation {
  readonly text: string;
  /** When it was first seen with this content. */
  readonly since: number;
  readonly inode: number | undefined;
}

/**
 * The lock file of a folder. It exists while a process writes, so that no other process decides on a state
 * that is changing. Which lines count depends on the lines alone, so a lock that is replaced by mistake costs
 * repeated batches but no data. A link creates the file with its content, so that a crash leaves no empty
 * file. A rename replaces a stale file, so that the name is never absent while something is not synced.
 */
export class Lock {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #host: LockHost;
  readonly #mutex = new Mutex();
  /** The lock file of this process. It stays open, so that no other file gets its inode. */
  #lockFile: LockFile | undefined;
  #acquiredAt = 0;
  /** Kept from one wait to the next, so that this process waits only once for a dead holder. */
  #observed: Observation | undefined;
  /** The number of jobs so far, by which a delayed release notices another job. */
  #jobs = 0;
  #yieldsUntil = -Infinity;

  constructor(disk: Disk, folder: string, host: LockHost) {
    this.#disk = disk;
    this.#path = join(folder, LOCK);
    this.#host = host;
  }

  /**
   * Runs a job while this process has the lock, one at a time, in the order of the calls.
   * @param job is told whether a stale lock was replaced: then what its holder wrote may not be synced
   * @throws StoreFailure if the lock cannot be acquired within 10 seconds
   */
  runLocked<Result>(job: (hasReplaced: boolean) => Promise<Result>): Promise<Result> {
    this.#jobs += 1;
    const deadline = this.#host.now() + MAX_WAIT_MS;
    return this.#mutex.runExclusive(async () => {
      const hasReplaced = await this.#acquire(deadline);
      try {
        return await job(hasReplaced);
      } finally {
        // If the file cannot be removed, the next job finds it.
        await this.#keepOrRelease().catch(() => undefined);
      }
    });
  }

  release(): Promise<void> {
    return this.#mutex.runExclusive(() => this.#release());
  }

  /** Waits until the holder has released the lock, after a sync or the flag of a failed one, or is dead. */
  async untilReleased(): Promise<void> {
    if ((await this.#observe()) !== 'held') return;
    const first = this.#observed?.text;
    do await this.#host.pause(POLL_MS);
    while ((await this.#observe()) === 'held' && this.#observed?.text === first);
  }

  async isHeld(): Promise<boolean> {
    return this.#isLockFile(await this.#disk.status(this.#path));
  }

  async #acquire(deadline: number): Promise<boolean> {
    if (this.#lockFile !== undefined) {
      if (await this.#mayKeep()) return false;
      await this.#release();
    }
    while (this.#host.now() < this.#yieldsUntil && (await this.#disk.status(this.#path)) === undefined)
      await this.#host.pause(POLL_MS);
    return this.#wait(deadline);
  }

  /** Releases the lock at once if another process waits for it, and otherwise some milliseconds later. */
  async #keepOrRelease(): Promise<void> {
    if (!(await this.#mayKeep())) return this.#release();
    const jobs = this.#jobs;
    // If the file cannot be removed now, the next process that acquires the lock removes it.
    void this.#host
      .pause(KEEP_MS)
      .then(() => (jobs === this.#jobs ? this.release() : undefined))
      .catch(() => undefined);
  }

  /** Whether this process still has the lock, and no other process waits for it. */
  async #mayKeep(): Promise<boolean> {
    const found = await this.#disk.status(this.#path);
    // A process of another user cannot ask by the time of the file, so the lock is released now and then.
    const isNew = this.#host.now() - this.#acquiredAt < MAX_KEPT_MS;
    return isNew && this.#isLockFile(found) && found?.modified !== YIELD_REQUESTED;
  }

  #isLockFile(found: FileStatus | undefined): boolean {
    return isSameFile(this.#lockFile?.status, found);
  }

  async #release(): Promise<void> {
    const file = this.#lockFile?.file;
    if (file === undefined) return;
    try {
      const found = await this.#disk.status(this.#path);
      if (!this.#isLockFile(found)) return;
      if (found?.modified === YIELD_REQUESTED) this.#yieldsUntil = this.#host.now() + YIELD_MS;
      await removeFile(this.#disk, this.#path);
    } finally {
      this.#lockFile = undefined;
      await file.close();
    }
  }

  async #wait(deadline: number): Promise<boolean> {
    const { now, pause } = this.#host;
    let prepared = await this.#prepare();
    try {
      for (;;) {
        const found = await this.#observe();
        if (found === 'free' && (await this.#link(prepared))) return false;
        if (found === 'dead') {
          if (await this.#replace(prepared)) return true;
          // Another process has replaced the prepared file, which was the lock file for a moment.
          prepared = await this.#prepare();
        }
        if (found !== 'held') continue;
        if (now() >= deadline)
          throw new StoreFailure('nothing', 'timed out waiting for the folder lock, held by other processes');
        await pause(POLL_MS);
      }
    } finally {
      if (this.#lockFile !== prepared) {
        await prepared.file.close().catch(() => undefined);
        await removeFile(this.#disk, prepared.path);
      }
    }
  }

  /** Reads the state of the lock. Asks a holder that it sees for the first time to yield after its batch. */
  async #observe(): Promise<'free' | 'held' | 'dead'> {
    const { now } = this.#host;
    const found = await this.#disk.status(this.#path);
    if (found === undefined) return 'free';
    const last = this.#observed;
    // With the same inode, and the time that this process set, it is most likely the same file. A mistake
    // costs only time, since a file is replaced only after its content was read.
    if (found.modified === YIELD_REQUESTED && found.inode === last?.inode && !this.#isDead(last))
      return 'held';
    const text = await this.#readText();
    if (text === undefined) return 'free';
    this.#observed = { text, since: last?.text === text ? last.since : now(), inode: found.inode };
    if (this.#isDead(this.#observed)) return 'dead';
    // The time cannot be set if another user owns the file.
    return this.#disk.setTime(this.#path, YIELD_REQUESTED).then(
      () => 'held',
      (error: unknown) => (isError(error, 'ENOENT') ? 'free' : 'held'),
    );
  }

  async #link(prepared: LockFile): Promise<boolean> {
    try {
      await this.#disk.link(prepared.path, this.#path);
    } catch (error) {
      if (isError(error, 'EEXIST')) return false;
      throw error;
    }
    this.#lockFile = prepared;
    this.#acquiredAt = this.#host.now();
    await removeFile(this.#disk, prepared.path);
    return true;
  }

  /** @returns whether this process has the lock: if several replace it at once, the last one has it */
  async #replace(prepared: LockFile): Promise<boolean> {
    await this.#disk.rename(prepared.path, this.#path).catch(async (error: unknown) => {
      if (!isError(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST')) throw error;
      // A folder has the name, which a rename cannot replace.
      await this.#disk.rename(this.#path, `${prepared.path}.replaced`);
      await this.#disk.rename(prepared.path, this.#path);
    });
    this.#lockFile = prepared;
    this.#acquiredAt = this.#host.now();
    await this.#host.pause(SETTLE_MS);
    if (this.#isLockFile(await this.#disk.status(this.#path))) return true;
    this.#lockFile = undefined;
    await prepared.file.close();
    return false;
  }

  async #prepare(): Promise<LockFile> {
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
    return { file, path, status: file.status() };
  }

  /** @returns undefined without a lock file; the text of the error if the file cannot be read */
  #readText(): Promise<string | undefined> {
    return readWhole(this.#disk, this.#path).then((bytes) => bytes?.toString(), String);
  }

  #isDead({ text, since }: Observation): boolean {
    const { now, pid: ownPid, run: ownRun, boot: ownBoot, space: ownSpace, isAlive } = this.#host;
    const { pid, run, boot, space } = (parseJson(text) ?? {}) as Content;
    if (isOtherBoot(boot, ownBoot)) return true;
    const hasEnded = pid === ownPid ? run !== ownRun : pid !== undefined && !isAlive(pid);
    return (space === ownSpace && hasEnded) || now() - since >= STALE_MS;
  }
}
