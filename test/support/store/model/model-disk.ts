import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { Disk, DiskFile, FileStatus, OpenMode } from '#store/folder/fs/disk.ts';
import { parseJson } from '#runtime/json.ts';
import { systemError } from '../plans.ts';
import type { MachineModel, ModelFile, Random } from './machine-model.ts';

export const FOLDER = '/data';
export const KEYS = `${FOLDER}/keys`;
export const LOG = `${FOLDER}/log.jsonl`;
export const MARK = `${FOLDER}/failed`;
export const LOCK = `${FOLDER}/lock`;

/** How often a process is stopped right behind a call, and how many looks at a size it may have made by then. */
const STOPS = 0.03;
const MAX_LOOKS = 2;
const MAX_STOP_MS = 6000;

/** A system call that a process is about to make, or a pause of it. */
export interface ModelCall {
  readonly name: string;
  readonly path: string;
  /** How long it takes at least. During a `stop` nothing else of the process goes on. */
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
  /** Files that this process has opened. */
  readonly #opened = new Set<ModelFile>();
  /** Sizes as they were before a stop: the process looked, and was stopped before its next call. */
  #sizes = new Map<ModelFile, number>();
  #looksBeforeStop = 0;
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
   * Whether a file was opened after another process got the error of a failed write-back, and before that
   * process marked the folder; or it could not, and the mark is that of a later failure. This process then has
   * no sign that what it reads may be lost.
   */
  get isMisled(): boolean {
    return this.#isMisled;
  }

  /** Whether the process goes on after a stop, and its next look at a size came before that. */
  get isLate(): boolean {
    return this.#looksBeforeStop > 0;
  }

  open(path: string, mode: OpenMode): Promise<DiskFile> {
    return this.#make('open', path, () => {
      if (mode === 'create') this.#machine.create(path);
      return this.#openFile(this.#machine.find(path), path);
    });
  }

  status(path: string): Promise<FileStatus | undefined> {
    return this.#make('status', path, () => {
      const file = this.#machine.cachedNames.get(path);
      return file && statusOf(file);
    });
  }

  setTime(path: string, time: number): Promise<void> {
    return this.#make('setTime', path, () => {
      this.#machine.find(path).modified = time;
    });
  }

  link(from: string, to: string): Promise<void> {
    return this.#make('link', to, () => {
      const file = this.#machine.find(from);
      if (this.#machine.cachedNames.has(to)) throw systemError('EEXIST');
      this.#machine.cachedNames.set(to, file);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#make('rename', to, () => {
      const file = this.#machine.find(from);
      // As POSIX says of two names of one file: nothing happens.
      if (this.#machine.cachedNames.get(to) === file) return;
      const replaced = this.#machine.cachedNames.get(to);
      if (to === LOCK && replaced !== undefined) this.#machine.countReplacement(replaced);
      this.#machine.cachedNames.set(to, file);
      this.#machine.cachedNames.delete(from);
    });
  }

  unlink(path: string): Promise<void> {
    return this.#make('unlink', path, () => {
      this.#machine.find(path);
      this.#machine.cachedNames.delete(path);
    });
  }

  list(folder: string): Promise<string[]> {
    return this.#make('list', folder, () => this.#machine.pathsIn(folder).map((path) => basename(path)));
  }

  async makeFolder(path: string): Promise<void> {
    await this.#call('makeFolder', path);
  }

  async restrictFolder(path: string): Promise<void> {
    await this.#call('restrictFolder', path);
  }

  syncFolder(path: string): Promise<void> {
    return this.#make('syncFolder', path, () => {
      this.#machine.syncNames(path);
    });
  }

  /** As a call: a process that is dead goes on after none. */
  async pause(ms: number): Promise<void> {
    await this.#call('pause', '', ms);
  }

  #openFile(file: ModelFile, path: string): DiskFile {
    if (file.failures > 0 && file.isSeen && !this.#isMarkedFrom(file.lostFrom))
      this.#isMisled = this.#machine.hasMisled = true;
    let failures = file.isSeen ? file.failures : file.failures - 1;
    file.opened += 1;
    this.#opened.add(file);
    let underWay = 0;
    const write = (call: string, bytes: Buffer, at: () => number): Promise<number> =>
      this.#make(call, path, (fate) => {
        const isPart = fate === 'short' || fate === 'torn';
        const written = isPart ? Math.floor(bytes.length * this.#random()) : bytes.length;
        file.write(bytes.subarray(0, written), at());
        file.modified = this.#machine.time;
        return fate === 'torn' ? this.#die() : written;
      });
    const underWayWhile = async <Result>(call: Promise<Result>): Promise<Result> => {
      underWay += 1;
      return call.finally(() => (underWay -= 1));
    };
    const readAt = (into: Buffer, at: number): number =>
      at < file.cached.length ? file.cached.copy(into, 0, at) : 0;
    return {
      size: () => this.#sizeOf(file),
      status: () => statusOf(file),
      read: (into, at) => underWayWhile(this.#make('read', path, () => readAt(into, at))),
      readNow: (into, at) => {
        // What it reads may be of after the stop, and so are all looks that follow.
        this.#looksBeforeStop = 0;
        return readAt(into, at);
      },
      append: (bytes) => write('append', bytes, () => file.cached.length),
      overwrite: (bytes, at) => write('overwrite', bytes, () => at),
      sync: () =>
        underWayWhile(
          this.#make('sync', path, (fate) => {
            if (fate === 'fails') file.failWriteBack(this.#random);
            else file.writeBack(() => true);
            const isReported = file.failures > failures;
            failures = file.failures;
            if (!isReported) return;
            file.isSeen = true;
            this.#fail();
          }),
        ),
      close: async () => {
        assert.equal(underWay, 0, `${path} was closed during a call`);
        file.opened -= 1;
      },
    };
  }

  /** Whether there is a mark that names a byte of the log or an earlier one. */
  #isMarkedFrom(at: number): boolean {
    const mark = this.#machine.cachedNames.get(MARK);
    if (mark === undefined) return false;
    const { from = Infinity } = (parseJson(mark.cached.toString()) ?? {}) as { readonly from?: number };
    return from <= at;
  }

  /** @returns the size now, or as it was before the process was stopped behind its latest call */
  #sizeOf(file: ModelFile): number {
    if (this.#looksBeforeStop === 0) return file.cached.length;
    this.#looksBeforeStop -= 1;
    return this.#sizes.get(file) ?? file.cached.length;
  }

  /** Makes a call. The process may be stopped once it is made, and some looks at sizes later. */
  async #make<Result>(
    name: string,
    path: string,
    make: (fate: Fate) => Result | Promise<Result>,
  ): Promise<Result> {
    const fate = await this.#call(name, path);
    this.#looksBeforeStop = 0;
    const result = await make(fate);
    if (path.startsWith(KEYS) || this.#random() <= 1 - STOPS) return result;
    this.#sizes = new Map([...this.#opened].map((file) => [file, file.cached.length]));
    await this.#call('stop', '', this.#random() * MAX_STOP_MS);
    this.#looksBeforeStop = Math.floor(this.#random() * (MAX_LOOKS + 1));
    return result;
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
