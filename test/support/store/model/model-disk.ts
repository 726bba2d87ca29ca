import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { Disk, DiskFile, FileStatus, OpenMode } from '#store/folder/fs/disk.ts';
import { systemError } from '../plans.ts';
import type { MachineModel, ModelFile, Random } from './machine-model.ts';

export const FOLDER = '/data';
export const KEYS = `${FOLDER}/keys`;
const MARK = `${FOLDER}/failed`;
const LOCK = `${FOLDER}/lock`;

/** A system call that a process is about to make, or a pause of it. */
export interface ModelCall {
  readonly name: string;
  readonly path: string;
  /** How long it takes at least. */
  readonly ms?: number;
}

/**
 * What becomes of a call: it is made; it fails, a sync after part of its work; a write takes a part of the
 * bytes; or the process dies before the call or after a part of the write.
 */
export type Fate = 'made' | 'fails' | 'short' | 'killed' | 'torn';

export type Decide = (call: ModelCall) => Promise<Fate>;

/**
 * The disk of one process on a machine. Every call waits until the schedule lets it go on, but those on the
 * folder of the keys, which does not change.
 */
export class ModelDisk implements Disk {
  readonly #machine: MachineModel;
  readonly #decide: Decide;
  readonly #random: Random;
  #isKilled = false;
  #isMisled = false;

  /** @returns a disk on which no call fails or waits */
  static withoutFaults(machine: MachineModel): ModelDisk {
    return new ModelDisk(
      machine,
      async () => 'made',
      () => 0,
    );
  }

  /** @param random whether a block reaches the disk in a sync that fails */
  constructor(machine: MachineModel, decide: Decide, random: Random) {
    this.#machine = machine;
    this.#decide = decide;
    this.#random = random;
  }

  /**
   * Whether a file was opened after a failed write-back was reported to another process, and before that one had
   * marked the folder: nothing tells this process that what it reads may be lost.
   */
  get isMisled(): boolean {
    return this.#isMisled;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    await this.#call('open', path);
    if (mode === 'create') this.#machine.create(path);
    return this.#openFile(this.#machine.find(path), path);
  }

  async status(path: string): Promise<FileStatus | undefined> {
    await this.#call('status', path);
    const file = this.#machine.cachedNames.get(path);
    return file && statusOf(file);
  }

  async setTime(path: string, time: number): Promise<void> {
    await this.#call('setTime', path);
    this.#machine.find(path).modified = time;
  }

  async link(from: string, to: string): Promise<void> {
    await this.#call('link', to);
    const file = this.#machine.find(from);
    if (this.#machine.cachedNames.has(to)) throw systemError('EEXIST');
    this.#machine.cachedNames.set(to, file);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#call('rename', to);
    const file = this.#machine.find(from);
    // As POSIX says of two names of one file: nothing happens.
    if (this.#machine.cachedNames.get(to) === file) return;
    const replaced = this.#machine.cachedNames.get(to);
    if (to === LOCK && replaced !== undefined) this.#machine.countReplacement(replaced);
    this.#machine.cachedNames.set(to, file);
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

  /** As a call: a process that is dead goes on after none. */
  async pause(ms: number): Promise<void> {
    await this.#call('pause', '', ms);
  }

  #openFile(file: ModelFile, path: string): DiskFile {
    if (file.failures > 0 && file.isSeen && !this.#machine.cachedNames.has(MARK))
      this.#isMisled = this.#machine.hasMisled = true;
    let failures = file.isSeen ? file.failures : file.failures - 1;
    file.opened += 1;
    let underWay = 0;
    const write = async (call: string, bytes: Buffer, at: () => number): Promise<number> => {
      const fate = await this.#call(call, path);
      const isPart = fate === 'short' || fate === 'torn';
      const written = isPart ? Math.floor(bytes.length * this.#random()) : bytes.length;
      file.write(bytes.subarray(0, written), at());
      file.modified = this.#machine.time;
      return fate === 'torn' ? this.#die() : written;
    };
    return {
      size: () => file.cached.length,
      status: () => statusOf(file),
      read: async (into, at) => {
        underWay += 1;
        await this.#call('read', path).finally(() => (underWay -= 1));
        return file.cached.copy(into, 0, at);
      },
      readNow: (into, at) => file.cached.copy(into, 0, at),
      append: (bytes) => write('append', bytes, () => file.cached.length),
      overwrite: (bytes, at) => write('overwrite', bytes, () => at),
      sync: async () => {
        underWay += 1;
        const fate = await this.#call('sync', path).finally(() => (underWay -= 1));
        if (fate === 'fails') file.failWriteBack(this.#random);
        else file.writeBack(() => true);
        const isReported = file.failures > failures;
        failures = file.failures;
        if (!isReported) return;
        file.isSeen = true;
        this.#fail();
      },
      close: async () => {
        assert.equal(underWay, 0, `${path} was closed during a call`);
        file.opened -= 1;
      },
    };
  }

  async #call(name: string, path: string, ms?: number): Promise<Fate> {
    await this.#stopIfKilled();
    const call = { name, path, ...(ms === undefined ? {} : { ms }) };
    const fate = path.startsWith(KEYS) ? 'made' : await this.#decide(call);
    // Another call of the process may have been its last one.
    await this.#stopIfKilled();
    if (fate === 'fails' && name !== 'sync') this.#fail();
    return fate === 'killed' ? this.#die() : fate;
  }

  #fail(): never {
    this.#machine.hasFailed = true;
    throw systemError('EIO');
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

const statusOf = ({ inode, modified }: ModelFile): FileStatus => ({ device: 1, inode, modified });
