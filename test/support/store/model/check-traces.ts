import assert from 'node:assert/strict';
import type { MachineModel } from './machine-model.ts';
import { tracesOf } from './model-records.ts';

/** Checks that no file holds the text of an erased post, and no snapshot what it refers to. */
export function assertErased(machine: MachineModel, id: string): void {
  for (const [name, bytes] of machine.contents())
    for (const trace of tracesOf(id))
      assert.ok(!bytes.includes(trace), `a trace of the erased ${id} is in ${name}`);
}
