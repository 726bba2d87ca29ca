import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { Log, START } from '#store/jsonl/log/log.ts';
import { Machine, post, visibleTexts } from '../../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

/**
 * Stores four posts, with an aborted torn write, a record that lost the race, and one after a torn write
 * between.
 */
async function eventful(machine: Machine): Promise<Buffer> {
  const [a, b] = [await machine.start(), await machine.start()];
  b.disk.shortNext(40, /^log/);
  await assert.rejects(post(b, 'spoiled'));
  await post(b, '1');
  a.disk.interpose('append', () => post(b, '2'), /^log/);
  await post(a, '3');
  a.disk.interpose(
    'append',
    async () => {
      b.disk.shortNext(9, /^log/);
      await assert.rejects(post(b, 'torn'));
    },
    /^log/,
  );
  await post(a, '4');
  await Promise.all([a.store.close(), b.store.close()]);
  return readFileSync(machine.path(LOG));
}

async function countingLines(machine: Machine): Promise<string[]> {
  const log = await Log.open(nodeDisk, machine.folder, LOG);
  try {
    const lines: string[] = [];
    await log.read(START, (line) => lines.push(JSON.stringify(line)));
    return lines;
  } finally {
    await log.close();
  }
}

test('records that lost the race and torn writes are not reported as corruption', async (t) => {
  const machine = new Machine(t);
  const bytes = await eventful(machine);
  assert.equal(bytes.toString().match(/"1"|"2"|"3"|"4"/g)?.length, 6);
  assert.deepEqual(await visibleTexts(await machine.start()), ['1', '2', '3', '4']);
  assert.deepEqual(readFileSync(machine.path(LOG)), bytes);
});

test('any flipped byte is reported as corruption or changes no record that counts', async (t) => {
  const machine = new Machine(t);
  const bytes = await eventful(machine);
  const lines = await countingLines(machine);
  for (let at = 0; at < bytes.length - 1; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    writeFileSync(machine.path(LOG), changed);
    const read = await countingLines(machine).catch((error: unknown) => error);
    if (!(read instanceof CorruptionError)) assert.deepEqual(read, lines, `byte ${at}`);
  }
});
