import { basename } from 'node:path';
import { nodeDisk, type Disk, type DiskFile, type OpenMode } from '#store/folder/fs/disk.ts';
import { systemError, Plans, type Call } from './plans.ts';

/**
 * The disk of one process, which a test can stop, fail or kill at every system call. Several disks on one
 * folder act as several processes. A sync records the durable length of the file in place of `fsync`.
 */
export class GatedDisk extends Plans implements Disk {
  /** All calls so far, such as `append log-000001.jsonl`. */
  readonly calls: string[] = [];
  /** Awaited before every call: delays it, or fails it by throwing. */
  beforeCall: ((call: string) => Promise<void> | void) | undefined;
  /** Notifies the folder watcher; the real `fs.watch` is not used. */
  notifyWatcher: () => void = () => undefined;
  /** Fails the folder watcher. */
  failWatcher: (error: unknown) => void = () => undefined;
  /** Called with the file and the range of each read that happens at once; fails it by throwing. */
  onReadNow: (file: string, at: number, length: number) => void = () => undefined;
  /** If set, `fstat` fails with this error code. */
  sizeErrorCode: string | undefined;
  readonly #durable: Map<string, number>;
  readonly #open = new Set<DiskFile>();
  /** The name that a file got after it was opened, by its path then. */
  readonly #linked = new Map<string, string>();

  /** @param durable synced length of each file by name, shared by the disks of one machine */
  constructor(durable = new Map<string, number>()) {
    super();
    this.#durable = durable;
  }

  /** Number of open files. */
  get openFiles(): number {
    return this.#open.size;
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

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#make('open', path, () => nodeDisk.open(path, mode));
    this.#open.add(file);
    return this.#gated(path, file);
  }

  identity(path: string): ReturnType<Disk['identity']> {
    return nodeDisk.identity(path);
  }

  link(from: string, to: string): Promise<void> {
    return this.#make('link', to, async () => {
      await nodeDisk.link(from, to);
      this.#linked.set(from, to);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#make('rename', to, () => nodeDisk.rename(from, to));
  }

  unlink(path: string): Promise<void> {
    return this.#make('unlink', path, () => nodeDisk.unlink(path));
  }

  list(folder: string): Promise<string[]> {
    return this.#make('list', folder, () => nodeDisk.list(folder));
  }

  makeFolder(path: string): Promise<void> {
    return this.#make('makeFolder', path, () => nodeDisk.makeFolder(path));
  }

  syncFolder(path: string): Promise<void> {
    return this.#make('syncFolder', path, async () => undefined);
  }

  watch(_folder: string, listener: () => void, lost: (error: unknown) => void): () => void {
    [this.notifyWatcher, this.failWatcher] = [listener, lost];
    return () => {
      this.notifyWatcher = () => undefined;
    };
  }

  #gated(path: string, file: DiskFile): DiskFile {
    const make = <T>(call: Call, action: (maxBytes?: number) => Promise<T>): Promise<T> =>
      this.#make(call, this.#linked.get(path) ?? path, action);
    return {
      size: () => {
        if (this.sizeErrorCode !== undefined) throw systemError(this.sizeErrorCode);
        return file.size();
      },
      read: (into, at) => make('read', () => file.read(into, at)),
      readNow: (into, at) => {
        this.onReadNow(basename(path), at, into.length);
        return file.readNow(into, at);
      },
      append: (bytes) => make('append', (maxBytes) => file.append(bytes.subarray(0, maxBytes))),
      identity: () => file.identity(),
      overwrite: (bytes, at) => make('overwrite', () => file.overwrite(bytes, at)),
      sync: () =>
        make('sync', async () => {
          this.#durable.set(basename(this.#linked.get(path) ?? path), file.size());
        }),
      close: () => {
        this.#open.delete(file);
        return file.close();
      },
    };
  }

  async #make<T>(call: Call, path: string, action: (maxBytes?: number) => Promise<T>): Promise<T> {
    const name = `${call} ${basename(path)}`;
    this.calls.push(name);
    await this.beforeCall?.(name);
    return this.carryOut(call, path, action);
  }

  #atCall(number: number, act: () => void): void {
    const last = this.calls.length + number;
    this.beforeCall = () => {
      if (this.calls.length === last) act();
    };
  }
}
