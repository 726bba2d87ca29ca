import { basename } from 'node:path';
import type { Disk, DiskFile, OpenMode } from '#store/folder/fs/disk.ts';
import { systemError } from '../plans.ts';
import { ModelFile, type MachineModel } from './machine-model.ts';

export const FOLDER = '/data';
export const SNAPSHOT_PATH = `${FOLDER}/snapshot`;
export const KEYS = `${FOLDER}/keys`;

/** Whether it is that of the snapshot, or of one that is being written. */
export const isSnapshotPath = (path: string): boolean => path.includes('snapshot');

/** A system call that a process is about to make. */
export interface ModelCall {
  readonly name: string;
  readonly path: string;
}

/**
 * What becomes of a call: it is made; it fails, a sync after part of its work; a write takes a part of the bytes;
 * or the process dies before the call or after a part of the write.
 */
export type Fate = 'made' | 'fails' | 'short' | 'killed' | 'torn';

export type Decide = (call: ModelCall) => Promise<Fate>;

/**
 * The disk of one process on a machine. Every call waits until the schedule lets it go on, but those on the folder of the
 * keys, which does not change.
 */
export class ModelDisk implements Disk {
  readonly #machine: MachineModel;
  readonly #decide: Decide;
  readonly #arrives: (block: number) => boolean;
  #isKilled = false;

  /** @returns a disk on which no call fails or waits */
  static withoutFaults(machine: MachineModel): ModelDisk {
    return new ModelDisk(
      machine,
      async () => 'made',
      () => true,
    );
  }

  /** @param arrives whether a block reaches the disk in a sync that fails */
  constructor(machine: MachineModel, decide: Decide, arrives: (block: number) => boolean) {
    this.#machine = machine;
    this.#decide = decide;
    this.#arrives = arrives;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    await this.#call('open', path);
    const machine = this.#machine;
    if (mode === 'create') {
      if (machine.cachedNames.has(path)) throw systemError('EEXIST');
      machine.cachedNames.set(path, new ModelFile());
    }
    return this.#openFile(machine.find(path), path);
  }

  async identity(path: string): Promise<{ device: number; inode: number } | undefined> {
    const file = this.#machine.cachedNames.get(path);
    return file && { device: 1, inode: this.#machine.inode(file) };
  }

  async link(from: string, to: string): Promise<void> {
    await this.#call('link', to);
    const file = this.#machine.find(from);
    if (this.#machine.cachedNames.has(to)) throw systemError('EEXIST');
    this.#machine.cachedNames.set(to, file);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#call('rename', to);
    this.#machine.cachedNames.set(to, this.#machine.find(from));
    this.#machine.cachedNames.delete(from);
  }

  async unlink(path: string): Promise<void> {
    await this.#call('unlink', path);
    this.#machine.find(path);
    this.#machine.cachedNames.delete(path);
  }

  async list(folder: string): Promise<string[]> {
    await this.#call('list', folder);
    return this.#machine.pathsIn(folder).map((path) => basename(path));
  }

  async makeFolder(path: string): Promise<void> {
    await this.#call('makeFolder', path);
  }

  async syncFolder(path: string): Promise<void> {
    await this.#call('syncFolder', path);
    this.#machine.syncNames(path);
  }

  watch(): () => void {
    return () => undefined;
  }

  #openFile(file: ModelFile, path: string): DiskFile {
    let failures = file.failures;
    const write = async (call: string, bytes: Buffer, at: () => number): Promise<number> => {
      const fate = await this.#call(call, path);
      if (fate === 'torn') {
        file.write(bytes.subarray(0, Math.floor(bytes.length / 2)), at());
        return this.#die();
      }
      const written = fate === 'short' ? Math.floor(bytes.length / 2) : bytes.length;
      file.write(bytes.subarray(0, written), at());
      return written;
    };
    return {
      size: () => file.cached.length,
      identity: () =>
        this.#machine.isNamed(file) ? { device: 1, inode: this.#machine.inode(file) } : undefined,
      read: async (into, at) => {
        await this.#call('read', path);
        return file.cached.copy(into, 0, at);
      },
      readNow: (into, at) => file.cached.copy(into, 0, at),
      append: (bytes) => write('append', bytes, () => file.cached.length),
      overwrite: (bytes, at) => write('overwrite', bytes, () => at),
      sync: async () => {
        const fate = await this.#call('sync', path);
        if (fate === 'fails') {
          file.flush(this.#arrives);
          file.failures += 1;
        } else file.flush(() => true);
        const isReported = file.failures > failures;
        failures = file.failures;
        if (isReported) throw systemError('EIO');
      },
      close: async () => undefined,
    };
  }

  async #call(name: string, path: string): Promise<Fate> {
    await this.#stopIfKilled();
    const fate = path.startsWith(KEYS) ? 'made' : await this.#decide({ name, path });
    // Another call of the process may have been its last one.
    await this.#stopIfKilled();
    if (fate === 'fails' && name !== 'sync') throw systemError('EIO');
    return fate === 'killed' ? this.#die() : fate;
  }

  async #stopIfKilled(): Promise<void> {
    if (this.#isKilled) await this.#die();
  }

  /** Nothing of a dead process goes on. */
  #die(): Promise<never> {
    this.#isKilled = true;
    return new Promise(() => undefined);
  }
}
