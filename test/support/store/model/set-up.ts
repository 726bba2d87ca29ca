import { headerLine } from '#store/jsonl/log/line.ts';
import { segmentName } from '#store/jsonl/log/segment-names.ts';
import { DayKeys } from '#store/folder/day-keys.ts';
import type { MachineModel } from './machine-model.ts';
import { FOLDER, KEYS, ModelDisk } from './model-disk.ts';
import { NOW } from './model-records.ts';

const DAY_MS = 24 * 3_600_000;

/** An empty segment, and the keys of all days. */
export async function setUp(machine: MachineModel, seed: number): Promise<void> {
  const disk = ModelDisk.withoutFaults(machine);
  const file = await disk.open(`${FOLDER}/${segmentName(1)}`, 'create');
  await file.append(headerLine({ format: 2, number: 1, from: 1, upto: 0, seed }));
  await file.sync();
  await disk.syncFolder(FOLDER);
  const keys = new DayKeys(disk, KEYS);
  for (const time of [NOW, NOW - DAY_MS]) await keys.prepare(time);
}
