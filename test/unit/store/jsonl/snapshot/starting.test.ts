import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import { allAnswers, fillRandomly } from '../../../../support/store/differential/fill-randomly.ts';
import { GatedDisk } from '../../../../support/store/gated-disk.ts';
import {
  Machine,
  post,
  postInNewSegment,
  settle,
  visibleTexts,
  type Process,
} from '../../../../support/store/machine.ts';
import { systemError } from '../../../../support/store/plans.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import { readSnapshotFile, snapshotNames, writeSnapshot } from '../../../../support/store/snapshot.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { erase, hide, idempotentHit, recentDuplicate } from '../../../../support/store/writes.ts';

const LOG = 'log-000001.jsonl';
const SNAPSHOT = 'snapshot';
const HOUR_MS = 3_600_000;

const NINE_TEXTS = Array.from({ length: 9 }, (_, n) => `text ${n + 1}`);

/** Nine posts of one process that has closed the store, and a snapshot of the first eight. */
async function withNinePosts(machine: Machine): Promise<string[]> {
  const a = await machine.start();
  const ids: string[] = [];
  for (const text of NINE_TEXTS) ids.push((await post(a, text)).record.id);
  await a.store.close();
  assert.equal(await writeSnapshot(machine), true);
  return ids;
}

/** Starts a process and closes it. @returns its texts, and the places of the log that it read at once */
async function startOnce(machine: Machine): Promise<{ texts: string[]; reads: number[]; reports: string[] }> {
  const disk = new GatedDisk(machine.durable);
  const reads: number[] = [];
  disk.onReadNow = (file, at) => file === LOG && reads.push(at);
  const process = await machine.start(disk);
  const found = [...reads];
  const texts = await visibleTexts(process);
  await process.store.close();
  return { texts, reads: found, reports: process.reports };
}

test('a server writes a snapshot when it stops, and a start reads of the described lines none', async (t) => {
  const machine = new Machine(t);
  const server = await machine.start(undefined, undefined, { writesSnapshot: true });
  for (const text of NINE_TEXTS) await post(server, text);
  await server.store.close();
  const { count, witness } = readSnapshotFile(machine.folder).head;
  assert.deepEqual([count, witness.seq], [8, 9]);
  assert.deepEqual(await startOnce(machine), { texts: NINE_TEXTS, reads: [witness.at], reports: [] });
});

test('a store that is no server writes no snapshot, and a server that has nothing new does not write it again', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'text 1');
  await a.store.close();
  assert.deepEqual(snapshotNames(machine.folder), []);
  for (const isWritten of [true, false]) {
    const disk = new GatedDisk(machine.durable);
    const server = await machine.start(disk, undefined, { writesSnapshot: true });
    await server.store.close();
    assert.equal(disk.calls.includes(`rename ${SNAPSHOT}`), isWritten);
  }
});

test('a server writes its snapshot in half a minute, again after an erase, and then once a tenth of all lines is missing', async (t) => {
  const machine = new Machine(t);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const disk = new GatedDisk(machine.durable);
  const server = await machine.start(disk, undefined, { writesSnapshot: true });
  const ids: string[] = [];
  for (let n = 1; n <= 20; n++) ids.push((await post(server, `text ${n}`)).record.id);
  const written = (): number => disk.calls.filter((call) => call === `rename ${SNAPSHOT}`).length;
  const look = async (isDue: boolean): Promise<void> => {
    const before = written();
    t.mock.timers.tick(30_000);
    if (isDue) await waitUntil(() => written() > before);
    for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate);
    assert.equal(written() - before, isDue ? 1 : 0);
  };
  await look(true);
  await look(false);
  for (let n = 21; n <= 22; n++) await post(server, `text ${n}`);
  await look(false);
  await post(server, 'text 23');
  await look(true);
  await erase(server.store, ids[0]!);
  assert.deepEqual(snapshotNames(machine.folder), []);
  await look(true);
});

test('after random calls and an import, a start from the snapshot gives the same answers as one that reads every line', async (t) => {
  for (const seed of [1, 2]) {
    const machine = new Machine(t);
    const a = await machine.start();
    const probes = await fillRandomly(a.store, machine.clock, seed, 120);
    await a.store.close();
    assert.equal(await writeSnapshot(machine), true);
    const every = await machine.start(undefined, undefined, { readsEveryLine: true });
    const expected = await allAnswers(every.store, probes);
    await every.store.close();
    const restored = await machine.start();
    assert.deepEqual(await allAnswers(restored.store, probes), expected);
    const first = readFileSync(machine.path(SNAPSHOT));
    // Its bytes follow from the log alone.
    await writeSnapshot(machine);
    assert.deepEqual(readFileSync(machine.path(SNAPSHOT)), first);
    await machine.stop();
  }
});

test('limits, idempotency keys and duplicates of the last 24 hours count after a start from a snapshot, also under a clock that is days ahead for a while', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const origins = NINE_TEXTS.map((content, n) => anOrigin('v', { key: `some-key-${n}`, content }));
  for (const origin of origins) {
    await post(a, origin.content, origin);
    machine.clock.advance(5 * HOUR_MS);
  }
  await a.store.close();
  await writeSnapshot(machine);
  const end = machine.clock.now();
  const factsOf = async ({ store }: Process): Promise<[readonly number[], ...unknown[]]> => [
    await store.read.recentWriteAges('v', 'feed', 24 * HOUR_MS, 99),
    await Promise.all(origins.map((origin) => idempotentHit(store, 'post', origin, 24 * HOUR_MS))),
    await Promise.all(origins.map((origin) => recentDuplicate(store, 'post', origin, 24 * HOUR_MS))),
  ];
  // The wrong clocks come first, since a right one destroys the keys of earlier days.
  for (const [hours, count] of [
    [72, 0],
    [1000, 0],
    [0, 4],
    [-1, 4],
    [-7, 5],
    [12, 2],
    [18, 1],
    [24, 0],
  ] as const) {
    machine.clock.advance(end + hours * HOUR_MS - machine.clock.now());
    const restored = await machine.start();
    const every = await machine.start(undefined, undefined, { readsEveryLine: true });
    const facts = await factsOf(restored);
    assert.deepEqual(facts, await factsOf(every), `${hours} hours later`);
    assert.equal(facts[0].length, count, `${hours} hours later`);
    // The clock is set right while the process runs.
    machine.clock.advance(end - machine.clock.now());
    assert.deepEqual(await factsOf(restored), await factsOf(every), `${hours} hours later, and back`);
    if (count === 0 && hours > 24) assert.equal((await factsOf(restored))[0].length, 4);
    await restored.store.close();
    await every.store.close();
  }
});

test('a log that is newer than the snapshot is caught up', async (t) => {
  const machine = new Machine(t);
  const [, , third = ''] = await withNinePosts(machine);
  const a = await machine.start();
  for (let n = 10; n <= 12; n++) await post(a, `text ${n}`);
  await hide(a.store, third);
  await a.store.close();
  const { texts, reads } = await startOnce(machine);
  assert.deepEqual(texts, [...NINE_TEXTS.toSpliced(2, 1), 'text 10', 'text 11', 'text 12']);
  assert.equal(reads.length, 1);
});

test('a snapshot that was cut off, changed, or is something else is removed, and every line read', async (t) => {
  const machine = new Machine(t);
  await withNinePosts(machine);
  const whole = readFileSync(machine.path(SNAPSHOT));
  const foreign = Buffer.from(whole);
  foreign.write('porchlight snapshot 9', foreign.indexOf('porchlight snapshot 2'));
  foreign.writeUInt32LE(crc32(foreign.subarray(0, -4)), foreign.length - 4);
  const bad: Buffer[] = [Buffer.alloc(0), Buffer.from('not a snapshot'), Buffer.alloc(5000), foreign];
  for (let at = 0; at < whole.length; at += 61) {
    bad.push(whole.subarray(0, at));
    const changed = Buffer.from(whole);
    changed[at]! ^= 4;
    bad.push(changed);
  }
  for (const bytes of bad) {
    writeFileSync(machine.path(SNAPSHOT), bytes);
    assert.deepEqual((await startOnce(machine)).texts, NINE_TEXTS);
    assert.equal(existsSync(machine.path(SNAPSHOT)), false);
  }
  // Four bytes that are the checksum of nothing.
  writeFileSync(machine.path(SNAPSHOT), Buffer.alloc(4));
  const { texts, reports } = await startOnce(machine);
  assert.deepEqual(texts, NINE_TEXTS);
  assert.match(reports[0]!, /^the snapshot cannot be used, so this start reads the whole log: /);
});

test('the snapshot of another store is removed, and every line read', async (t) => {
  const [machine, other] = [new Machine(t), new Machine(t)];
  await withNinePosts(machine);
  await withNinePosts(other);
  writeFileSync(machine.path(SNAPSHOT), readFileSync(other.path(SNAPSHOT)));
  assert.deepEqual((await startOnce(machine)).texts, NINE_TEXTS);
  assert.equal(existsSync(machine.path(SNAPSHOT)), false);
});

test('a snapshot that another user owns, a link and a folder of that name leave a start to read every line', async (t) => {
  const machine = new Machine(t);
  await withNinePosts(machine);
  const disk = new GatedDisk();
  disk.beforeCall = (call) => {
    if (call === `open ${SNAPSHOT}`) throw systemError('EACCES');
  };
  const denied = await machine.start(disk);
  assert.match(
    denied.reports[0]!,
    /^the snapshot cannot be used, so this start reads the whole log: .*EACCES/,
  );
  assert.deepEqual(await visibleTexts(denied), NINE_TEXTS);
  for (const replace of [
    (path: string) => {
      symlinkSync(machine.path(LOG), path);
    },
    (path: string) => {
      mkdirSync(path);
    },
  ]) {
    rmSync(machine.path(SNAPSHOT), { recursive: true });
    replace(machine.path(SNAPSHOT));
    const { texts, reports } = await startOnce(machine);
    assert.deepEqual(texts, NINE_TEXTS);
    assert.match(reports[0]!, /only a file may have this name/);
  }
});

for (const others of ['another text', 'TEXT'])
  test(`a snapshot of a later time than the log is not used, also once the log has other lines, such as ${others} 6`, async (t) => {
    const machine = new Machine(t);
    const a = await machine.start();
    for (let n = 1; n <= 5; n++) await post(a, `text ${n}`);
    await a.store.close();
    const log = readFileSync(machine.path(LOG));
    const lost = await machine.start();
    for (let n = 6; n <= 9; n++) await post(lost, `text ${n}`);
    await lost.store.close();
    await writeSnapshot(machine);
    const snapshot = readFileSync(machine.path(SNAPSHOT));
    writeFileSync(machine.path(LOG), log);
    assert.deepEqual((await startOnce(machine)).texts, NINE_TEXTS.slice(0, 5));
    const b = await machine.start();
    for (let n = 6; n <= 9; n++) await post(b, `${others} ${n}`);
    const expected = await visibleTexts(b);
    await b.store.close();
    writeFileSync(machine.path(SNAPSHOT), snapshot);
    assert.deepEqual((await startOnce(machine)).texts, expected);
    assert.equal(existsSync(machine.path(SNAPSHOT)), false);
  });

test('a line that a power cut has torn is not taken from a snapshot of a later time than the log', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'text 1');
  // In one write, so that none of them proves another.
  await Promise.all(Array.from({ length: 7 }, (_, n) => post(a, `text ${n + 2}`)));
  const end = readFileSync(machine.path(LOG)).length;
  await post(a, 'text 9');
  await a.store.close();
  await writeSnapshot(machine);
  const { at } = readSnapshotFile(machine.folder).part(0);
  // As a power cut leaves it before the seven posts are synced: the block of one of them is missing, and nothing follows.
  const log = readFileSync(machine.path(LOG)).subarray(0, end);
  log.fill(0, at[5], at[6]);
  writeFileSync(machine.path(LOG), log);
  assert.deepEqual((await startOnce(machine)).texts, NINE_TEXTS.slice(0, 5));
});

test('of a line that was changed behind the store no read returns a text, and a start that reads every line refuses it', async (t) => {
  const machine = new Machine(t);
  const ids = await withNinePosts(machine);
  const log = readFileSync(machine.path(LOG), 'latin1');
  writeFileSync(machine.path(LOG), log.replace('text 2', 'text X'), 'latin1');
  const { store } = await machine.start();
  assert.equal((await store.read.totals()).posts, 9);
  assert.equal((await store.read.find('post', ids[2]!))?.record.message, 'text 3');
  const unavailable = { stored: 'nothing', message: /a stored text cannot be read/ };
  await assert.rejects(store.read.find('post', ids[1]!), unavailable);
  assert.equal((await store.read.page('post', { order: 'newest', limit: 3 })).length, 3);
  await assert.rejects(machine.start(undefined, undefined, { readsEveryLine: true }), CorruptionError);
});

test('a snapshot describes lines of all segments, and of those that were begun later nothing', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const post5 = async (from: number): Promise<void> => {
    for (let n = from; n < from + 5; n++) await post(a, `text ${n}`.padEnd(3000));
  };
  await post5(1);
  await postInNewSegment(a, 'text 6');
  await post5(7);
  await writeSnapshot(machine);
  assert.equal(readSnapshotFile(machine.folder).head.segments.length, 2);
  await postInNewSegment(a, 'text 12');
  await post5(13);
  const expected = await visibleTexts(a);
  await a.store.close();
  assert.equal(machine.segments().length, 3);
  const { texts, reads } = await startOnce(machine);
  assert.deepEqual(texts, expected);
  assert.deepEqual(reads, []);
  assert.equal(existsSync(machine.path(SNAPSHOT)), true);
});

test('after a start from a snapshot the next segment holds copies of the last lines only, and the log is not read anew', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  for (let n = 1; n <= 8; n++) await post(a, `text ${n}`.padEnd(5000));
  await writeSnapshot(machine);
  a.disk.kill();
  const next = await machine.start();
  const before = next.disk.calls.length;
  await settle(next);
  assert.match(machine.files()['log-000002.jsonl']!, /"from":7,"upto":8,/);
  assert.deepEqual(
    next.disk.calls.slice(before).filter((call) => call === `open ${LOG}`),
    [],
  );
  assert.equal((await visibleTexts(next)).length, 8);
});

test('a process follows others after a start from a snapshot, and notifies of what it had not read', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  for (let n = 1; n <= 5; n++) await post(a, `text ${n}`);
  await writeSnapshot(machine);
  const follower = await machine.start();
  const notified: string[] = [];
  follower.store.watch(({ id }) => notified.push(id));
  const later = [await post(a, 'text 6')];
  await postInNewSegment(a, 'text 7');
  later.push(await post(a, 'text 8'));
  assert.equal((await visibleTexts(follower)).length, 8);
  assert.equal(notified.length, 3);
  for (const { record } of later) assert.ok(notified.includes(record.id));
});
