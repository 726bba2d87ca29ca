import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../../../support/store/model/check-machine.ts';
import { MachineModel } from '../../../../support/store/model/machine-model.ts';
import { ModelDisk } from '../../../../support/store/model/model-disk.ts';
import { setUp } from '../../../../support/store/model/set-up.ts';
import { textsOf } from '../../../../support/store/store-location.ts';
import { addPost, erase } from '../../../../support/store/writes.ts';

/** A disk whose process dies after a failed sync, which wrote nothing. @param syncs of the log that succeed before */
function dyingDisk(machine: MachineModel, syncs = 0): ModelDisk {
  let hasFailed = false;
  let left = syncs;
  return new ModelDisk(
    machine,
    async ({ name, path }) => {
      if (hasFailed) return 'killed';
      const isWrite = name === 'sync' && path.includes('log-') && machine.find(path).dirty.size > 0;
      hasFailed = isWrite && left-- === 0;
      return hasFailed ? 'fails' : 'made';
    },
    () => false,
  );
}

test('a process that has read lines which the system drops after a failed sync reads those that take their numbers, notifies of them, and erases none of them', async () => {
  const machine = new MachineModel();
  await setUp(machine, 1);
  const writer = await openStore(machine, { disk: dyingDisk(machine) });
  // Its caller gets no answer.
  void addPost(writer, 'dropped');
  await new Promise(setImmediate);
  const reader = await openStore(machine);
  assert.deepEqual(await textsOf(reader), ['dropped']);
  const notified: string[] = [];
  reader.watch(({ id }) => notified.push(id));
  for (const file of machine.cachedNames.values()) file.evict();

  const other = await openStore(machine);
  const acknowledged = await addPost(other, 'acknowledged');
  const { record } = await addPost(other, 'to be erased');
  await other.close();
  assert.deepEqual(await textsOf(reader), ['acknowledged', 'to be erased']);
  assert.deepEqual(notified, [acknowledged.record.id, record.id]);
  await erase(reader, record.id);
  await reader.close();
  const next = await openStore(machine);
  assert.deepEqual(await textsOf(next), ['acknowledged']);
  await next.close();
});

test('a process that has read dropped lines notifies of those that take their numbers in the next segment', async () => {
  const machine = new MachineModel();
  await setUp(machine, 1);
  const writer = await openStore(machine, { disk: dyingDisk(machine, 1) });
  await addPost(writer, 'not proved');
  void addPost(writer, 'dropped');
  await new Promise(setImmediate);
  const reader = await openStore(machine);
  assert.deepEqual(await textsOf(reader), ['not proved', 'dropped']);
  const notified: string[] = [];
  reader.watch(({ id }) => notified.push(id));
  for (const file of machine.cachedNames.values()) file.evict();

  const other = await openStore(machine);
  const { record } = await addPost(other, 'acknowledged');
  assert.deepEqual(await textsOf(reader), ['not proved', 'acknowledged']);
  assert.deepEqual(notified, [record.id]);
  await other.close();
  await reader.close();
});
