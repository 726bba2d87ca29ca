import { BLOCK_BYTES, ModelFile, type MachineModel, type Random } from './machine-model.ts';
import { SNAPSHOT_PATH } from './model-disk.ts';

/** All snapshots that a run has made. */
export class SnapshotHistory {
  readonly #files = new Set<ModelFile>();

  /** Takes in the one that is there now. */
  note(machine: MachineModel): void {
    const file = machine.cachedNames.get(SNAPSHOT_PATH);
    if (file !== undefined) this.#files.add(file);
  }

  get count(): number {
    return this.#files.size;
  }

  /**
   * Replaces the snapshot of a machine after a power cut, as rot, or a backup of another time than that of the log, does: by
   * none, or by one from earlier or later, which may end early or miss a block.
   */
  damage(machine: MachineModel, random: Random): void {
    const found = [...this.#files][Math.floor(random() * (this.#files.size + 1))];
    const bytes = found && damagedBytes(Buffer.from(found.cached), random);
    for (const names of [machine.cachedNames, machine.durableNames]) names.delete(SNAPSHOT_PATH);
    if (bytes === undefined) return;
    const file = new ModelFile();
    file.write(bytes, 0);
    file.flush(() => true);
    for (const names of [machine.cachedNames, machine.durableNames]) names.set(SNAPSHOT_PATH, file);
  }
}

/** Mostly the bytes as they are. */
function damagedBytes(bytes: Buffer, random: Random): Buffer {
  const draw = random();
  if (draw < 0.1) return bytes.subarray(0, Math.floor(random() * bytes.length));
  if (draw > 0.2) return bytes;
  const at = BLOCK_BYTES * Math.floor((random() * bytes.length) / BLOCK_BYTES);
  return bytes.fill(0, at, Math.min(bytes.length, at + BLOCK_BYTES));
}
