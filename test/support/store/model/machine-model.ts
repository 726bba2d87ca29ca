import { dirname } from 'node:path';
import { systemError } from '../plans.ts';

const BLOCK_BYTES = 512;
const OF_NO_LINE = Buffer.from('#\n ');

/** The time at which a machine starts, in milliseconds since 1970. */
export const START = Date.parse('2026-11-21T10:50:00Z');

/** A source of numbers from 0 up to 1, such as a seeded generator. */
export type Random = () => number;

/** A file: what the system holds in memory, and what the disk holds. */
export class ModelFile {
  readonly inode: number;
  cached = Buffer.alloc(0);
  durable = Buffer.alloc(0);
  /** Milliseconds since 1970. */
  modified = START;
  /**
   * Descriptors that are open: they keep the inode of a file without a name. Those of a dead process stay.
   */
  opened = 0;
  /** Blocks that were written since the last write-back, whether it failed or not. */
  readonly dirty = new Set<number>();
  /** How often a write-back failed. */
  failures = 0;
  /** Whether the latest failure was reported to a descriptor. If not, one that is opened now learns of it. */
  isSeen = true;

  constructor(inode: number) {
    this.inode = inode;
  }

  /**
   * The first byte of a line that is not on the disk though the system takes it for stored; Infinity without
   * one. The beginning of a write and the blanks of an erase are of no line.
   */
  get lostFrom(): number {
    const { cached, durable, dirty } = this;
    const at = cached.findIndex(
      (byte, index) =>
        byte !== durable[index] && !OF_NO_LINE.includes(byte) && !dirty.has(Math.floor(index / BLOCK_BYTES)),
    );
    return at < 0 ? Infinity : at;
  }

  write(bytes: Buffer, at: number): void {
    const size = Math.max(this.cached.length, at + bytes.length);
    const cached = Buffer.alloc(size);
    this.cached.copy(cached);
    bytes.copy(cached, at);
    this.cached = cached;
    for (let block = Math.floor(at / BLOCK_BYTES); block * BLOCK_BYTES < at + bytes.length; block++)
      this.dirty.add(block);
  }

  /** Somebody else puts these bytes into the file, and they are on the disk. */
  replaceBytes(bytes: Buffer): void {
    this.cached = Buffer.from(bytes);
    this.durable = Buffer.from(bytes);
    this.dirty.clear();
  }

  /** Writes some of the dirty blocks to the disk; all of them are clean afterwards, as on Linux. */
  writeBack(arrives: (block: number) => boolean): void {
    for (const block of this.dirty) if (arrives(block)) this.#toDisk(block);
    this.dirty.clear();
  }

  /** The system writes back by itself, and fails. */
  failWriteBack(random: Random): void {
    if (this.dirty.size === 0) return;
    this.writeBack(() => random() < 0.5);
    this.failures += 1;
    this.isSeen = false;
  }

  /** The system drops clean pages from its memory, and reads them from the disk again. */
  evict(): void {
    const size = this.cached.length;
    for (let block = 0; block * BLOCK_BYTES < size; block++) {
      if (this.dirty.has(block)) continue;
      const [from, to] = [block * BLOCK_BYTES, Math.min(size, (block + 1) * BLOCK_BYTES)];
      const bytes = Buffer.alloc(to - from);
      if (from < this.durable.length) this.durable.copy(bytes, 0, from, to);
      bytes.copy(this.cached, from);
    }
  }

  /** @returns the file as a power cut leaves it: any of the dirty blocks may have arrived, the others not */
  afterPowerCut(random: Random): ModelFile {
    const after = this.copy();
    const share = random();
    after.writeBack(() => random() < share);
    after.cached = Buffer.from(after.durable);
    [after.failures, after.isSeen, after.opened] = [0, true, 0];
    return after;
  }

  copy(): ModelFile {
    const copy = new ModelFile(this.inode);
    copy.cached = Buffer.from(this.cached);
    copy.durable = Buffer.from(this.durable);
    for (const block of this.dirty) copy.dirty.add(block);
    const { modified, opened, failures, isSeen } = this;
    return Object.assign(copy, { modified, opened, failures, isSeen });
  }

  #toDisk(block: number): void {
    const to = Math.min(this.cached.length, (block + 1) * BLOCK_BYTES);
    const durable = Buffer.alloc(Math.max(this.durable.length, to));
    this.durable.copy(durable);
    this.cached.copy(durable, block * BLOCK_BYTES, block * BLOCK_BYTES, to);
    this.durable = durable;
  }
}

/** A machine with one disk and a clock. Folders exist as soon as they are named. */
export class MachineModel {
  readonly boot: number;
  /** Milliseconds since 1970, and those that a monotonic clock shows. */
  time = START;
  cachedNames = new Map<string, ModelFile>();
  durableNames = new Map<string, ModelFile>();
  /** The processes that run, by what their pid means one process in. */
  readonly processes = new Set<string>();
  /** Whether a call or a write-back has failed. */
  hasFailed = false;
  /** Whether a process could not learn that a write-back had failed: see `ModelDisk.isMisled`. */
  hasMisled = false;
  /** Locks that were replaced while their holder was running. */
  wrongReplacements = 0;
  readonly #files = new Set<ModelFile>();

  constructor(boot = 1) {
    this.boot = boot;
  }

  create(path: string): void {
    if (this.cachedNames.has(path)) throw systemError('EEXIST');
    const named = new Set(this.cachedNames.values());
    for (const file of this.#files) if (file.opened === 0 && !named.has(file)) this.#files.delete(file);
    // Numbers of removed files are used again, as file systems do.
    const used = new Set([...this.#files, ...named].map(({ inode }) => inode));
    let inode = 1;
    while (used.has(inode)) inode += 1;
    const file = new ModelFile(inode);
    file.modified = this.time;
    this.#files.add(file);
    this.cachedNames.set(path, file);
  }

  find(path: string): ModelFile {
    const file = this.cachedNames.get(path);
    if (file === undefined) throw systemError('ENOENT');
    return file;
  }

  /** Makes the names in a folder durable. */
  syncNames(folder: string): void {
    for (const path of this.durableNames.keys())
      if (dirname(path) === folder && !this.cachedNames.has(path)) this.durableNames.delete(path);
    for (const [path, file] of this.cachedNames)
      if (dirname(path) === folder) this.durableNames.set(path, file);
  }

  countReplacement(lock: ModelFile): void {
    const text = lock.cached.toString();
    for (const process of this.processes) {
      const [space, pid] = process.split(' ');
      if (text.includes(`"pid":${pid},`) && text.includes(`"space":"${space}"`)) this.wrongReplacements += 1;
    }
  }

  /** @returns the paths of the files in a folder, in the order in which they got their names */
  pathsIn(folder: string): string[] {
    return [...this.cachedNames.keys()].filter((path) => dirname(path) === folder);
  }

  /** @returns the machine as a power cut leaves it: every change of a name may be on the disk or not */
  afterPowerCut(random: Random): MachineModel {
    const after = new MachineModel(this.boot + 1);
    after.time = this.time;
    after.hasMisled = this.hasMisled;
    const files = new Map<ModelFile, ModelFile>();
    const names = new Set([...this.cachedNames.keys(), ...this.durableNames.keys()]);
    for (const name of names) {
      const [cached, durable] = [this.cachedNames.get(name), this.durableNames.get(name)];
      const file = random() < 0.5 ? cached : durable;
      if (file === undefined) continue;
      const left = files.get(file) ?? file.afterPowerCut(random);
      files.set(file, left);
      after.cachedNames.set(name, left);
    }
    after.durableNames = new Map(after.cachedNames);
    return after;
  }

  /** All bytes of named files, in memory and on the disk, by name. */
  *contents(): Iterable<[name: string, bytes: Buffer]> {
    for (const names of [this.cachedNames, this.durableNames]) {
      for (const [name, { cached, durable }] of names) {
        yield [name, cached];
        yield [`${name} on the disk`, durable];
      }
    }
  }
}
