import { BLOCK_BYTES, ModelFile, type MachineModel, type Random } from './machine-model.ts';
import { ROWS } from './model-disk.ts';

const MAX_DAMAGES = 4;

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
    const below = (bound: number): number => Math.floor(random() * bound);
    const all = [...this.#paths];
    for (let count = 1 + below(MAX_DAMAGES); count > 0; count--) {
      const [made, path] = all[below(all.length)] ?? [];
      if (made === undefined || path === undefined) return;
      const bytes = Buffer.from(made.cached);
      const draw = random();
      const block = BLOCK_BYTES * below(bytes.length / BLOCK_BYTES);
      if (draw < 0.1) bytes.fill(0, block, Math.min(bytes.length, block + BLOCK_BYTES));
      machine.cachedNames.delete(path);
      machine.durableNames.delete(path);
      if (draw > 0.9) continue;
      const file = new ModelFile();
      file.write(draw < 0.2 ? bytes.subarray(0, below(bytes.length)) : bytes, 0);
      file.flush(() => true);
      machine.cachedNames.set(path, file);
      machine.durableNames.set(path, file);
    }
  }
}
