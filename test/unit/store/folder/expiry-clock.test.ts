import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readExpiryClock } from '#store/folder/expiry-clock.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A folder, and processes on it whose clocks are wrong by so many milliseconds. */
async function place(t: TestContext) {
  const folder = await temporaryFolder(t);
  const clock = testClock('2026-11-21T10:00:00.000Z');
  return {
    folder,
    clock,
    start: clock.now(),
    process: (wrongBy = 0) => ({
      read: (isEmpty?: boolean) => readExpiryClock(nodeDisk, folder, clock.now() + wrongBy, isEmpty),
    }),
  };
}

test('time passes while processes look at least once a day', async (t) => {
  const { clock, start, process } = await place(t);
  assert.equal(await process().read(true), start);
  for (const hours of [2, 24, 23.9, 0.1, 23]) {
    clock.advance(hours * HOUR);
    assert.equal(await process().read(), clock.now());
  }
});

test('a jump of more than a day counts a day after it was first seen, by any process', async (t) => {
  const { clock, start, process } = await place(t);
  await process().read(true);
  clock.advance(30 * DAY);
  for (const hours of [0, 20, 3.9]) {
    clock.advance(hours * HOUR);
    assert.equal(await process().read(), start);
  }
  clock.advance(0.1 * HOUR);
  assert.equal(await process().read(), clock.now());
});

test('a clock that is ahead makes nothing expire while a right one looks too, however often it is read', async (t) => {
  const { clock, start, process } = await place(t);
  await process().read(true);
  for (let day = 0; day < 5; day++) {
    for (const wrongBy of [60 * DAY, 60 * DAY + HOUR])
      assert.ok((await process(wrongBy).read()) <= clock.now());
    clock.advance(DAY);
    assert.equal(await process().read(), start + (day + 1) * DAY);
  }
});

test('a clock that was set back is followed', async (t) => {
  const { clock, process } = await place(t);
  await process().read(true);
  clock.advance(-3 * DAY);
  assert.equal(await process().read(), clock.now());
});

test('in a folder with records and without a known time nothing expires for a day', async (t) => {
  for (const damaged of [undefined, '', '[]', '{"come":"x"}', 'null']) {
    const { folder, clock, process } = await place(t);
    if (damaged !== undefined) writeFileSync(join(folder, 'clock'), damaged);
    assert.equal(await process().read(), 0);
    clock.advance(DAY);
    assert.equal(await process().read(), clock.now());
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'clock'), 'utf8')), {
      come: clock.now(),
      jump: null,
    });
  }
});

test('a clock that is behind keeps no other one from believing a jump', async (t) => {
  const { clock, process } = await place(t);
  await process().read(true);
  clock.advance(3 * DAY);
  for (let hour = 0; hour < 24; hour++) {
    await process().read();
    assert.ok((await process(-5 * DAY).read()) <= clock.now());
    clock.advance(HOUR);
  }
  assert.equal(await process().read(), clock.now());
});
