import { basename } from 'node:path';
import { nodeDisk, type Disk, type DiskFile, type OpenMode } from '#store/folder/fs/disk.ts';
import { deferred } from './deferred.ts';
import { Plans, systemError, type Call, type Stop } from './plans.ts';

/**
 * The disk of one process, which a test can stop, fail or kill at every system call. Several disks on one
 * folder act as several processes. A sync waits for no device.
 */
export class GatedDisk extends Plans implements Disk {
  /** All calls so far, such as `append log.jsonl`. The random end of a name is left out. */
  readonly calls: string[] = [];
  /** Awaited before every call: delays it, or fails it by throwing. */
  beforeCall: ((call: string) => Promise<void> | void) | undefined;
  /** Awaited after every call, before it returns. */
  afterCall: (() => Promise<void>) | undefined;
  /** Called before each look at the size of a file: what it does happens between two calls of the process. */
  onSize: (path: string) => void = () => undefined;
  /** Called with the range of each read that happens at once; fails it by throwing. */
  onReadNow: (at: number, length: number) => void = () => undefined;
  readonly #disk: Disk;

  /** @param disk for tests of another user than the one who runs them */
  constructor(disk = nodeDisk) {
    super();
    this.#disk = disk;
  }

  /** Kills the process right before a call; the next call is number 1. */
  killBefore(number: number): void {
    this.#atCall(number, () => {
      this.kill();
    });
  }

  /** Fails a call; the next call is number 1. */
  failCall(number: number, code: string): void {
    this.#atCall(number, () => {
      throw systemError(code);
    });
  }

  /** Stops right before a call, or before it returns; the next call is number 1. */
  stopAtCall(number: number, when: 'before' | 'after' = 'before'): Stop {
    const [arrived, released] = [deferred(), deferred()];
    const last = this.calls.length + number;
    this[`${when}Call`] = async () => {
      if (this.calls.length !== last) return;
      arrived.resolve();
      await released.promise;
    };
    return { arrived: arrived.promise, release: released.resolve };
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#make('open', path, () => this.#disk.open(path, mode));
    const make = <T>(call: Call, action: (maxBytes?: number) => Promise<T>): Promise<T> =>
      this.#make(call, path, action);
    return {
      size: () => {
        this.onSize(path);
        return file.size();
      },
      status: () => file.status(),
      read: (into, at) => make('read', () => file.read(into, at)),
      readNow: (into, at) => {
        this.onReadNow(at, into.length);
        return file.readNow(into, at);
      },
      append: (bytes) => make('append', (maxBytes) => file.append(bytes.subarray(0, maxBytes))),
      overwrite: (bytes, at) => make('overwrite', () => file.overwrite(bytes, at)),
      sync: () => make('sync', async () => undefined),
      close: () => file.close(),
    };
  }

  status(path: string): ReturnType<Disk['status']> {
    return this.#make('status', path, () => this.#disk.status(path));
  }

  setTime(path: string, time: number): Promise<void> {
    return this.#make('setTime', path, () => this.#disk.setTime(path, time));
  }

  link(from: string, to: string): Promise<void> {
    return this.#make('link', to, () => this.#disk.link(from, to));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#make('rename', to, () => this.#disk.rename(from, to));
  }

  unlink(path: string): Promise<void> {
    return this.#make('unlink', path, () => this.#disk.unlink(path));
  }

  list(folder: string): Promise<string[]> {
    return this.#make('list', folder, () => this.#disk.list(folder));
  }

  makeFolder(path: string): Promise<void> {
    return this.#make('makeFolder', path, () => this.#disk.makeFolder(path));
  }

  restrictFolder(path: string): Promise<void> {
    return this.#make('restrictFolder', path, () => this.#disk.restrictFolder(path));
  }

  syncFolder(path: string): Promise<void> {
    return this.#make('syncFolder', path, async () => undefined);
  }

  async #make<T>(call: Call, path: string, action: (maxBytes?: number) => Promise<T>): Promise<T> {
    const name = `${call} ${basename(path).replace(/^lock\..*|(?<=^\.tmp-).*/, '…')}`;
    this.calls.push(name);
    await this.beforeCall?.(name);
    const result = await this.carryOut(call, path, action);
    await this.afterCall?.();
    return result;
  }

  #atCall(number: number, act: () => void): void {
    const last = this.calls.length + number;
    this.beforeCall = () => {
      if (this.calls.length === last) act();
    };
  }
}
