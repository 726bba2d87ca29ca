import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CorruptionError } from '#store/jsonl/corruption.ts';
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
import { anOrigin } from '../../../../support/store/records.ts';
import {
  FEW_LINES,
  readRowsFile,
  rowsNames,
  writeRows,
  writeRowsFile,
} from '../../../../support/store/rows.ts';
import { erase, idempotentHit, recentDuplicate } from '../../../../support/store/writes.ts';

const LOG = 'log-000001.jsonl';
const HOUR_MS = 3_600_000;

const startWithRows = (machine: Machine, disk = new GatedDisk(machine.durable)): Promise<Process> =>
  machine.start(disk, undefined, { rows: FEW_LINES });

/** Nine posts of one process that has closed the store, and files of rows for the first eight. */
async function withNinePosts(machine: Machine): Promise<string[]> {
  const a = await machine.start();
  const ids: string[] = [];
  for (let n = 1; n <= 9; n++) ids.push((await post(a, `text ${n}`)).record.id);
  await a.store.close();
  await writeRows(machine);
  assert.deepEqual(rowsNames(machine), ['000001-0000000001.rows', '000001-0000000005.rows']);
  return ids;
}

test('a start reads of the lines that files of rows describe only the last one of each, the newest of all before the others and, since no later file proves it, once more', async (t) => {
  const machine = new Machine(t);
  await withNinePosts(machine);
  const [first, second] = ['000001-0000000001.rows', '000001-0000000005.rows'].map(
    (name) => readRowsFile(machine, name).offsets[3],
  );
  const disk = new GatedDisk();
  const reads: number[] = [];
  disk.onReadNow = (file, at) => file === LOG && reads.push(at);
  const process = await startWithRows(machine, disk);
  assert.deepEqual(reads, [second, first, second, second]);
  assert.deepEqual(
    await visibleTexts(process),
    Array.from({ length: 9 }, (_, n) => `text ${n + 1}`),
  );
});

test('a line that a power cut has torn is not taken from rows of a later time than the log', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'text 1');
  await Promise.all(Array.from({ length: 7 }, (_, n) => post(a, `text ${n + 2}`)));
  await a.store.close();
  await writeRows(machine);
  const rows = readRowsFile(machine, '000001-0000000005.rows');
  // As a power cut leaves it before the seven posts are synced: the block of one of them is missing, and nothing follows.
  const log = readFileSync(machine.path(LOG)).subarray(0, rows.offsets[3]! + rows.lengths[3]! + 1);
  log.fill(0, rows.offsets[1], rows.offsets[2]);
  writeFileSync(machine.path(LOG), log);
  const texts = Array.from({ length: 5 }, (_, n) => `text ${n + 1}`);
  const every = await machine.start(undefined, undefined, { readsEveryLine: true });
  assert.deepEqual(await visibleTexts(every), texts);
  await every.store.close();
  assert.deepEqual(await visibleTexts(await startWithRows(machine)), texts);
});

test('a start from rows lets the event loop have a turn before each file', async (t) => {
  const machine = new Machine(t);
  await withNinePosts(machine);
  const disk = new GatedDisk(machine.durable);
  let turns = 0;
  let isOpen = false;
  const turnsAt = new Map<number, number>();
  disk.onReadNow = (_, at) => turnsAt.set(at, turns);
  const count = (): void => {
    turns += 1;
    if (!isOpen) setImmediate(count);
  };
  setImmediate(count);
  await startWithRows(machine, disk);
  isOpen = true;
  // Of each file the last line is read first.
  const [first = NaN, second = NaN] = rowsNames(machine).map((name) =>
    turnsAt.get(readRowsFile(machine, name).offsets[3] ?? NaN),
  );
  assert.ok(first > 0 && second > first, `turns: ${first}, ${second}`);
});

test('of a line that was changed behind the store no read returns a text, and a start that reads every line refuses it', async (t) => {
  const machine = new Machine(t);
  const ids = await withNinePosts(machine);
  const log = readFileSync(machine.path(LOG), 'latin1');
  writeFileSync(machine.path(LOG), log.replace('text 2', 'text X'), 'latin1');
  const { store } = await startWithRows(machine);
  assert.equal((await store.read.totals()).posts, 9);
  assert.equal((await store.read.find('post', ids[2]!))?.record.message, 'text 3');
  const unavailable = { stored: 'nothing', message: /a stored text cannot be read/ };
  await assert.rejects(store.read.find('post', ids[1]!), unavailable);
  await assert.rejects(store.read.page('post', { order: 'newest', limit: 9 }), unavailable);
  assert.equal((await store.read.page('post', { order: 'newest', limit: 3 })).length, 3);
  await assert.rejects(machine.start(undefined, undefined, { readsEveryLine: true }), CorruptionError);
});

test('after random calls and an import, a start from rows gives the same answers as one that reads every line, and would write the same rows', async (t) => {
  for (const seed of [1, 2]) {
    const machine = new Machine(t);
    const a = await machine.start();
    const probes = await fillRandomly(a.store, machine.clock, seed, 120);
    await a.store.close();
    await writeRows(machine, 8);
    assert.ok(rowsNames(machine).length > 5);
    const every = await machine.start(undefined, undefined, { readsEveryLine: true });
    assert.deepEqual(await every.store.findMisfits(), []);
    const expected = await allAnswers(every.store, probes);
    await every.store.close();
    const rows = { ...FEW_LINES, linesPerFile: 8 };
    const restored = await machine.start(undefined, undefined, { rows });
    assert.deepEqual(await allAnswers(restored.store, probes), expected);
    assert.deepEqual(await restored.store.findMisfits(), []);
    await machine.stop();
  }
});

test('limits, idempotency keys and duplicates of the last 24 hours count after a start from rows, also under a clock that is days ahead for a while', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const origins = Array.from({ length: 9 }, (_, n) =>
    anOrigin('v', { key: `some-key-${n}`, content: `content ${n}` }),
  );
  for (const origin of origins) {
    await post(a, origin.content, origin);
    machine.clock.advance(5 * HOUR_MS);
  }
  await a.store.close();
  await writeRows(machine);
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
    const restored = await startWithRows(machine);
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

for (const [whose, isOther] of [
  ['of another store', true],
  ['of a later time than the log', false],
] as const)
  test(`limits of the last day of the log count after a start beside rows ${whose}, under a clock that is days ahead`, async (t) => {
    const machine = new Machine(t);
    const a = await machine.start();
    for (let n = 1; n <= 9; n++) await post(a, `text ${n}`, anOrigin('v'));
    await a.store.close();
    await writeRows(machine);
    const files = machine.files();
    machine.clock.advance(72 * HOUR_MS);
    const writer = isOther ? new Machine(t, machine.clock) : machine;
    const b = await writer.start();
    for (let n = 1; n <= 20; n++) await post(b, `text ${n} of later`);
    await b.store.close();
    await writeRows(writer);
    if (isOther)
      for (const name of rowsNames(writer).slice(2)) writeRowsFile(machine, name, readRowsFile(writer, name));
    for (const [name, content] of Object.entries(files)) writeFileSync(machine.path(name), content, 'latin1');
    const { store } = await startWithRows(machine);
    const every = await machine.start(undefined, undefined, { readsEveryLine: true });
    machine.clock.advance(-71 * HOUR_MS);
    for (const each of [store, every.store])
      assert.equal((await each.read.recentWriteAges('v', 'feed', 24 * HOUR_MS, 99)).length, 9);
  });

for (const [what, others] of [
  ['other places', 'another text'],
  ['the same places', 'TEXT'],
] as const)
  test(`rows of a later time than the log are not taken, and written anew, once the log has other lines at ${what}`, async (t) => {
    const machine = new Machine(t);
    const a = await machine.start();
    for (let n = 1; n <= 5; n++) await post(a, `text ${n}`);
    await a.store.close();
    const log = readFileSync(machine.path(LOG));
    const lost = await machine.start();
    for (let n = 6; n <= 9; n++) await post(lost, `text ${n}`);
    await lost.store.close();
    await writeRows(machine);
    writeFileSync(machine.path(LOG), log);
    // A start that looks at the folder would remove the file.
    const b = await machine.start(undefined, undefined, { readsEveryLine: true });
    const { record } = await post(b, `${others} 6`);
    for (let n = 7; n <= 9; n++) await post(b, `${others} ${n}`);
    await b.store.close();

    const { store } = await startWithRows(machine);
    assert.deepEqual(rowsNames(machine), ['000001-0000000001.rows']);
    assert.equal((await store.read.find('post', record.id))?.record.message, `${others} 6`);
    await writeRows(machine);
    assert.equal(rowsNames(machine).length, 2);
    const every = await machine.start(undefined, undefined, { readsEveryLine: true });
    assert.deepEqual(await every.store.findMisfits(), []);
  });

test('a start from rows finishes no erase a second time, and changes nothing', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const { record } = await post(a, 'a very private sentence');
  await erase(a.store, record.id);
  for (let n = 1; n <= 7; n++) await post(a, `text ${n}`);
  await a.store.close();
  await writeRows(machine);
  const [names, files] = [rowsNames(machine), machine.files()];
  assert.equal(names.length, 2);
  const next = await startWithRows(machine);
  await next.store.close();
  assert.deepEqual(
    next.disk.calls.filter((call) => /^(append|overwrite|unlink)/.test(call)),
    [],
  );
  assert.deepEqual([rowsNames(machine), machine.files()], [names, files]);
});

test('rows that were written after an erase do not keep a start from finishing it in an older copy of the log', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const { record } = await post(a, 'a very private sentence');
  const whole = readFileSync(machine.path(LOG));
  await erase(a.store, record.id);
  for (let n = 1; n <= 7; n++) await post(a, `text ${n}`);
  await a.store.close();
  await writeRows(machine);
  // A copy of the folder, for which the log was read before the text was overwritten.
  const log = readFileSync(machine.path(LOG));
  whole.copy(log);
  writeFileSync(machine.path(LOG), log);
  assert.match(log.toString(), /very private/);
  await startWithRows(machine);
  assert.doesNotMatch(readFileSync(machine.path(LOG), 'latin1'), /very private/);
});

test('if the log ends with the last line of a file of rows, the next segment holds copies of the last lines only', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  for (let n = 1; n <= 8; n++) await post(a, `text ${n}`.padEnd(5000));
  const end = readFileSync(machine.path(LOG)).length;
  await post(a, 'text 9');
  await writeRows(machine);
  assert.equal(rowsNames(machine).length, 2);
  // The last post is lost with a process that was killed.
  a.disk.kill();
  writeFileSync(machine.path(LOG), readFileSync(machine.path(LOG)).subarray(0, end));
  const next = await startWithRows(machine);
  await settle(next);
  assert.match(machine.files()['log-000002.jsonl']!, /"from":7,"upto":8,/);
  assert.equal((await visibleTexts(next)).length, 8);
});

test('a process that reads the whole log again notifies of the changes which it takes from rows', async (t) => {
  const machine = new Machine(t);
  const writer = await machine.start();
  for (let n = 1; n <= 5; n++) await post(writer, `text ${n}`);
  await writeRows(machine);
  const follower = await startWithRows(machine);
  const notified: string[] = [];
  follower.store.watch(({ id, action, kind, ancestors }) => {
    assert.deepEqual([action, kind, ancestors], ['add', 'post', []]);
    notified.push(id);
  });
  await postInNewSegment(writer);
  for (let n = 6; n <= 14; n++) await post(writer, `text ${n}`);
  await writeRows(machine);
  assert.ok(rowsNames(machine).some((name) => name.startsWith('000002-')));
  const page = await follower.store.read.page('post', { order: 'oldest', limit: 99 });
  assert.equal(page.length, 15);
  assert.deepEqual(
    notified,
    page.slice(5).map(({ record }) => record.id),
  );
});

test('a process that takes lines from rows which no later line proves does not read the log anew once one does', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start(undefined, undefined, { rows: { linesPerFile: 4, intervalMs: 1 } });
  await Promise.all(Array.from({ length: 8 }, (_, n) => post(a, `text ${n + 1}`)));
  while (!rowsNames(machine).includes('000001-0000000005.rows')) await sleep(1);
  const follower = await startWithRows(machine);
  await post(a, 'text 9');
  const before = follower.disk.calls.length;
  assert.equal((await visibleTexts(follower)).length, 9);
  assert.deepEqual(follower.disk.calls.slice(before), [`read ${LOG}`, `sync ${LOG}`]);
});

test('a file of rows that calls a line or the header dead is not used, and an erase overwrites neither', async (t) => {
  const machine = new Machine(t);
  const ids = await withNinePosts(machine);
  const [name] = rowsNames(machine);
  const file = readRowsFile(machine, name!);
  const [at, length] = [file.offsets[1]!, file.lengths[1]!];
  for (const range of [
    { at, length },
    { at: at + 9, length: 1 },
    { at: 0, length: 20 },
    { at: at - 1, length: 1 },
    { at: -9, length: 4 },
  ]) {
    writeRowsFile(machine, name!, { ...file, dead: [{ ...range, isBlank: false }] });
    const process = await startWithRows(machine);
    await erase(process.store, ids.pop()!);
    await process.store.close();
    const every = await machine.start(undefined, undefined, { readsEveryLine: true });
    assert.equal((await visibleTexts(every)).length, ids.length);
  }
});
