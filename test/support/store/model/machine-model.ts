import { dirname } from 'node:path';
import { systemError } from '../plans.ts';

export const BLOCK_BYTES = 512;

/** A source of numbers from 0 up to 1, such as a seeded generator. */
export type Random = () => number;

/** A file: what the system holds in memory, and what the disk holds. */
export class ModelFile {
  cached = Buffer.alloc(0);
  durable = Buffer.alloc(0);
  /** Blocks that were written since the last sync, whether it failed or not. */
  readonly dirty = new Set<number>();
  /** How often a sync failed. Every open file learns of each failure once. */
  failures = 0;

  write(bytes: Buffer, at: number): void {
    const size = Math.max(this.cached.length, at + bytes.length);
    const cached = Buffer.alloc(size);
    this.cached.copy(cached);
    bytes.copy(cached, at);
    this.cached = cached;
    for (let block = Math.floor(at / BLOCK_BYTES); block * BLOCK_BYTES < at + bytes.length; block++)
      this.dirty.add(block);
  }

  /** Writes some of the dirty blocks to the disk; all of them are clean afterwards, as on Linux. */
  flush(arrives: (block: number) => boolean): void {
    for (const block of this.dirty) if (arrives(block)) this.#toDisk(block);
    this.dirty.clear();
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
    after.flush(() => random() < share);
    after.cached = Buffer.from(after.durable);
    after.failures = 0;
    return after;
  }

  copy(): ModelFile {
    const copy = new ModelFile();
    copy.cached = Buffer.from(this.cached);
    copy.durable = Buffer.from(this.durable);
    for (const block of this.dirty) copy.dirty.add(block);
    copy.failures = this.failures;
    return copy;
  }

  #toDisk(block: number): void {
    const to = Math.min(this.cached.length, (block + 1) * BLOCK_BYTES);
    const durable = Buffer.alloc(Math.max(this.durable.length, to));
    this.durable.copy(durable);
    this.cached.copy(durable, block * BLOCK_BYTES, block * BLOCK_BYTES, to);
    this.durable = durable;
  }
}

/** A machine with one disk, as far as its files are concerned. Folders exist as soon as they are named. */
export class MachineModel {
  cachedNames = new Map<string, ModelFile>();
  durableNames = new Map<string, ModelFile>();
  readonly #inodes = new Map<ModelFile, number>();

  /** Makes the names in a folder durable. */
  syncNames(folder: string): void {
    for (const path of this.durableNames.keys())
      if (dirname(path) === folder && !this.cachedNames.has(path)) this.durableNames.delete(path);
    for (const [path, file] of this.cachedNames)
      if (dirname(path) === folder) this.durableNames.set(path, file);
  }

  /** @returns the paths of the files in a folder, in the order in which they got their names */
  pathsIn(folder: string): string[] {
    return [...this.cachedNames.keys()].filter((path) => dirname(path) === folder);
  }

  /** @returns a machine whose files change apart from those of this one */
  copy(): MachineModel {
    const copy = new MachineModel();
    const files = new Map<ModelFile, ModelFile>();
    const copyOf = (file: ModelFile): ModelFile => {
      const copied = files.get(file) ?? file.copy();
      files.set(file, copied);
      return copied;
    };
    for (const [path, file] of this.cachedNames) copy.cachedNames.set(path, copyOf(file));
    for (const [path, file] of this.durableNames) copy.durableNames.set(path, copyOf(file));
    return copy;
  }

  find(path: string): ModelFile {
    const file = this.cachedNames.get(path);
    if (file === undefined) throw systemError('ENOENT');
    return file;
  }

  isNamed(file: ModelFile): boolean {
    return [...this.cachedNames.values()].includes(file);
  }

  inode(file: ModelFile): number {
    const known = this.#inodes.get(file) ?? this.#inodes.size + 1;
    this.#inodes.set(file, known);
    return known;
  }

  /** @returns the machine as a power cut leaves it: every change of a name may be on the disk or not */
  afterPowerCut(random: Random): MachineModel {
    const after = new MachineModel();
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
