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
export const MAX_WAIT_MS = 10_000;
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
  readonly #mutex = new Mutex();
  /** The file that this process put in place; open, so that no other file gets its inode. */
  #held: DiskFile | undefined;
  /** Of `take` and `leave`, so that a pause which has ended finds out whether it is still about the same. */
  #turn = 0;
  #restUntil = -Infinity;

  constructor(disk: Disk, folder: string, host: LockHost) {
    this.#disk = disk;
    this.#path = join(folder, LOCK);
    this.#host = host;
  }

  /**
   * Takes the lock, or keeps it.
   * @param deadline on the scale of `LockHost.now`
   * @returns whether a dead one was replaced: what its holder wrote may not be synced
   * @throws StoreFailure if the deadline passes
   */
  take(deadline: number): Promise<boolean> {
    this.#turn += 1;
    return this.#mutex.runExclusive(async () => {
      if (this.#held !== undefined) {
        if (await this.#mayKeep()) return false;
        await this.#release();
      }
      while (this.#host.now() < this.#restUntil && !(await this.exists())) await this.#host.pause(LOOK_MS);
      return this.#wait(deadline);
    });
  }

  /** Keeps the lock for some milliseconds, unless another process waits for it: then it may take it first. */
  async leave(): Promise<void> {
    const turn = (this.#turn += 1);
    if (await this.#mayKeep()) {
      // What cannot be removed now is removed by the next one to take it.
      void this.#host
        .pause(LINGER_MS)
        .then(() => (turn === this.#turn ? this.release() : undefined))
        .catch(() => undefined);
      return;
    }
    await this.release();
  }

  release(): Promise<void> {
    this.#turn += 1;
    return this.#mutex.runExclusive(() => this.#release());
  }

  /** Whether a process writes, or died while it wrote. */
  async exists(): Promise<boolean> {
    return (await this.#disk.status(this.#path)) !== undefined;
  }

  /** Resolves once the process that writes now has synced, has marked the folder, or is dead. */
  async untilLeft(): Promise<void> {
    const text = await this.#look();
    const seen = { text: text ?? '', since: this.#host.now(), inode: undefined };
    while (text !== undefined && text === (await this.#look()) && !this.#isDead(seen))
      await this.#host.pause(LOOK_MS);
  }

  /** Whether the lock is the one that this process has put in place. */
  async isHeld(): Promise<boolean> {
    return this.#isOwn(await this.#disk.status(this.#path));
  }

  /** Whether this process still has the lock, and no other one waits for it. */
  async #mayKeep(): Promise<boolean> {
    const found = await this.#disk.status(this.#path);
    return this.#isOwn(found) && found?.modified !== 0;
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
    let seen: Sighting | undefined;
    try {
      for (;;) {
        const found = await this.#disk.status(this.#path);
        if (found === undefined && (await this.#place(own))) return false;
        // With the time of a knock and the same inode it is taken for the lock that was seen. If it is another
        // one, that is found out when the first seems dead: nothing is replaced without a look at its content.
        if (found?.modified !== 0 || found.inode !== seen?.inode || this.#isDead(seen)) {
          const text = await this.#look();
          if (text === undefined) continue;
          seen = { text, since: seen?.text === text ? seen.since : now(), inode: found?.inode };
          if (this.#isDead(seen)) {
            if (await this.#replace(own)) return true;
            // The file has become the lock, and another process has replaced it.
            own = await this.#prepare();
            continue;
          }
          // A knock. It fails too if the holder is another user.
          const knock = this.#disk.setTime(this.#path, 0);
          const hasLeft = await knock.then(
            () => false,
            (error: unknown) => isError(error, 'ENOENT'),
          );
          if (hasLeft) continue;
        }
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

  /** @returns whether the lock was free */
  async #place(own: PreparedLock): Promise<boolean> {
    try {
      await this.#disk.link(own.path, this.#path);
    } catch (error) {
      if (isError(error, 'EEXIST')) return false;
      throw error;
    }
    this.#held = own.file;
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
    if (boot !== undefined && boot !== ownBoot) return true;
    const hasEnded = pid === ownPid ? run !== ownRun : pid !== undefined && !isAlive(pid);
    return (space === ownSpace && hasEnded) || now() - since >= PATIENCE_MS;
  }
}

function toContent(text: string): Content {
  try {
    return (JSON.parse(text) as Content | null) ?? {};
  } catch {
    return {};
  }
}
