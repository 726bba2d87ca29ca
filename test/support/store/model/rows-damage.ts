import { BLOCK_BYTES, ModelFile, type MachineModel, type Random } from './machine-model.ts';
import { ROWS } from './model-disk.ts';

/** All files of rows that a run has made. */
export class RowsHistory {
  readonly #paths = new Map<ModelFile, string>();

  /** Takes in the files that are there now. */
  note(machine: MachineModel): void {
    for (const path of machine.pathsIn(ROWS))
      if (path.endsWith('.rows')) this.#paths.set(machine.find(path), path);
  }

  get count(): number {
    return this.#paths.size;
  }

  /**
   * Changes the folder `rows` on a machine after a power cut, as rot, or a backup of another time than that of the log, does:
   * files come from earlier or later, go, end early, or miss a block.
   */
  damage(machine: MachineModel, random: Random): void {
    const all = [...this.#paths].map(([file, path]) => ({ path, bytes: Buffer.from(file.cached) }));
    const share = random();
    for (const { path, bytes } of all) {
      if (random() > share) continue;
      machine.cachedNames.delete(path);
      machine.durableNames.delete(path);
      const damaged = damagedBytes(bytes, random);
      if (damaged === undefined) continue;
      const file = new ModelFile();
      file.write(damaged, 0);
      file.flush(() => true);
      machine.cachedNames.set(path, file);
      machine.durableNames.set(path, file);
    }
  }
}

/** @returns undefined if the file is gone; mostly the bytes as they are */
function damagedBytes(bytes: Buffer, random: Random): Buffer | undefined {
  const draw = random();
  if (draw < 0.1) return undefined;
  if (draw < 0.2) return bytes.subarray(0, Math.floor(random() * bytes.length));
  if (draw > 0.3) return bytes;
  const at = BLOCK_BYTES * Math.floor((random() * bytes.length) / BLOCK_BYTES);
  return Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + BLOCK_BYTES));
}
