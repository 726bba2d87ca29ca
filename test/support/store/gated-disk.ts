import { basename } from 'node:path';
import { nodeDisk, type Disk, type DiskFile } from '#store/jsonl/fs/disk.ts';
import { systemError, Plans, type Call } from './plans.ts';

/**
 * The disk of one process, which can be stopped between any two system calls. Several of them on one folder are as many
 * processes. A sync only notes how much of the file it made safe, since a test loses no power.
 */
export class GatedDisk extends Plans implements Disk {
  /** Every call so far, as `append log-000001.jsonl`. */
  readonly calls: string[] = [];
  /** Asked before every call; it may hold the call up, or fail it. */
  beforeCall: ((call: string) => Promise<void> | void) | undefined;
  /** Says that something in the folder was written; the system itself does not tell. */
  notifyWatcher: () => void = () => undefined;
  /** Says that the system stops telling. */
  failWatcher: (error: unknown) => void = () => undefined;
  /** Why the system does not even tell how long a file is. */
  sizeErrorCode: string | undefined;
  readonly #durable: Map<string, number>;
  readonly #open = new Set<DiskFile>();

  /** @param durable how many bytes of each file no power cut can take back; shared by the disks of one machine */
  constructor(durable = new Map<string, number>()) {
    super();
    this.#durable = durable;
  }

  /** How many files are open. */
  get openFiles(): number {
    return this.#open.size;
  }

  /** Dies right before the call of that number, counted from now; the next is 1. */
  killBefore(number: number): void {
    this.#atCall(number, () => {
      this.kill();
    });
  }

  /** Fails the call of that number, counted from now; the next is 1. */
  failCall(number: number, code: string): void {
    this.#atCall(number, () => {
      throw systemError(code);
    });
  }

  async open(path: string, mode: 'create' | 'append' | 'read'): Promise<DiskFile> {
    const file = await this.#make('open', path, () => nodeDisk.open(path, mode));
    this.#open.add(file);
    return this.#gated(path, file);
  }

  link(from: string, to: string): Promise<void> {
    return this.#make('link', to, () => nodeDisk.link(from, to));
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
    return {
      size: () => {
        if (this.sizeErrorCode !== undefined) throw systemError(this.sizeErrorCode);
        return file.size();
      },
      read: (into, at) => this.#make('read', path, () => file.read(into, at)),
      append: (bytes) => this.#make('append', path, (takes) => file.append(bytes.subarray(0, takes))),
      sync: () => this.#make('sync', path, async () => void this.#durable.set(basename(path), file.size())),
      close: () => {
        this.#open.delete(file);
        return file.close();
      },
    };
  }

  async #make<T>(call: Call, path: string, action: (takes?: number) => Promise<T>): Promise<T> {
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
