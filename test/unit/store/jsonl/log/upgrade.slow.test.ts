import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { decodeLine, encodeLine } from '#store/jsonl/log/line.ts';
import type { Post } from '#store/store.ts';
import { testClock } from '../../../../support/clock.ts';
import { GatedDisk } from '../../../../support/store/gated-disk.ts';
import { Machine, post, type Process } from '../../../../support/store/machine.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import { runEverySchedule } from '../../../../support/store/schedule.ts';
import { erase, idempotentHit } from '../../../../support/store/writes.ts';

/** A folder that the first edition wrote. Post …003 was erased, and its text removed by a rotation. */
const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const OLD = 'log-000002-d420aba4ecef7166.jsonl';
const NEW = /^log-000003-[0-9a-f]{16}\.jsonl$/;
const CLIENT = anOrigin('203.0.113.1/32', { key: 'key-1' });
const DAY = 86_400_000;
const HEADER_1 = encodeLine({ at: 0, seq: 0, base: 0 }, '"log":{"format":1}', 0).toString();
const ID = 'post_0193a1f0-0000-7000-8000-00000000000';

/** What an export of the folder by the first edition holds. */
const HISTORY = readFileSync(join(FIXTURES, 'format-1.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as object);
const RECORDS = HISTORY.filter((entry) => 'record' in entry);
const MODERATIONS = HISTORY.filter((entry) => 'action' in entry);

/** The ages of all writes in milliseconds; the third client is that of the erased post. */
const WRITES = [
  ['203.0.113.1/32', 'feed', [5000, 28_000, 34_000]],
  ['203.0.113.2/32', 'feed', [32_000]],
  ['203.0.113.3/32', 'feed', [30_000]],
  ['203.0.113.4/32', 'porch', [26_000]],
] as const;

function copyOfFixture(t: TestContext): Machine {
  const machine = new Machine(t, testClock('2026-11-21T10:50:10.000Z'));
  cpSync(join(FIXTURES, 'format-1'), machine.folder, { recursive: true });
  return machine;
}

/** @returns the names of new logs */
const newLogs = (machine: Machine): string[] => machine.segments().filter((name) => NEW.test(name));

/** Checks that a process holds all that the folder held. @param further posts that were added since then */
async function holdsAll({ store }: Process, further: readonly Post[] = [], hint?: string): Promise<void> {
  const posts = further.map((record) => ({ kind: 'post', record }));
  const history: unknown[] = [];
  for await (const entry of store.read.history()) history.push(entry);
  assert.deepEqual(history, [...RECORDS, ...posts, ...MODERATIONS], hint);
  assert.equal(await store.read.frozen(), false);
  for (const [clientKey, limitScope, ages] of WRITES)
    assert.deepEqual(await store.read.recentWriteAges(clientKey, limitScope, DAY, 99), ages, hint);
  const hit = await idempotentHit(store, 'post', CLIENT, DAY);
  assert.equal(hit?.id, `${ID}1`, hint);
}

/** Checks that the folder holds one new log, to which `CURRENT` and the old log lead. @returns its name */
function settled(machine: Machine, hint?: string): string {
  const [name = ''] = newLogs(machine);
  assert.equal(newLogs(machine).length, 1, hint);
  const { CURRENT: current, [OLD]: old } = machine.files();
  assert.equal(current, `${name}\n`, hint);
  const [header, pointer, ...rest] = old!.split('\n');
  assert.equal(`${header}\n`, HEADER_1, hint);
  const { sum, ...seal } = decodeLine(Buffer.from(pointer!), 0) as unknown as { sum: string; seal: object };
  assert.ok(sum.length === 8 && rest.join() === '', hint);
  assert.deepEqual(seal, { at: HEADER_1.length, seq: 1, base: 0, seal: { log: name } }, hint);
  return name;
}

test('a folder of the first edition opens with the same history, limits and idempotency keys', async (t) => {
  const machine = copyOfFixture(t);
  const a = await machine.start();
  await holdsAll(a);
  const name = settled(machine);
  assert.match(
    machine.files()[name]!,
    /^\{"at":0,"seq":0,"base":0,"log":\{"format":2,"number":3,"from":1,"upto":15,/,
  );
  assert.deepEqual(a.reports, []);
});

test('a folder is carried over once: a second start changes nothing, and the first write needs no segment', async (t) => {
  const machine = copyOfFixture(t);
  await (await machine.start()).store.close();
  const before = machine.files();
  const [a, b] = [await machine.start(), await machine.start()];
  assert.deepEqual(machine.files(), before);
  const { record } = await post(a, 'a new one');
  for (const reader of [a, b, await machine.start()]) await holdsAll(reader, [record]);
  settled(machine);
});

test('a text that came from the first edition can be erased from every file', async (t) => {
  const machine = copyOfFixture(t);
  const a = await machine.start();
  assert.equal(await erase(a.store, `${ID}2`), true);
  assert.ok(!JSON.stringify(machine.files()).includes('I build it'));
  for (const reader of [a, await machine.start()])
    assert.equal((await reader.store.read.page('post', { order: 'newest', limit: 99 })).length, 5);
});

test('a store of the first edition that never replaced its log, or crashed before it made CURRENT, opens', async (t) => {
  for (const hasCurrent of [true, false]) {
    const machine = copyOfFixture(t);
    const old = machine.files()[OLD]!;
    rmSync(machine.path(OLD));
    writeFileSync(machine.path('log-000001.jsonl'), old);
    if (hasCurrent) writeFileSync(machine.path('CURRENT'), 'log-000001.jsonl\n');
    else rmSync(machine.path('CURRENT'));
    await holdsAll(await machine.start());
    const [name] = machine.segments().slice(-1);
    assert.match(name!, /^log-000002-[0-9a-f]{16}\.jsonl$/);
    assert.equal(machine.files()['CURRENT'], `${name}\n`);
  }
});

test('an import of the first edition, which is one line of more than a megabyte, is carried over', async (t) => {
  const machine = copyOfFixture(t);
  const old = machine.files()[OLD]!;
  const ids = Array.from({ length: 200 }, (_, index) => `post_${String(index).padStart(3, '0')}`);
  const createdAt = '2026-11-21T10:50:06.000000Z';
  const message = 'a'.repeat(8000);
  const adds = ids.map((id) => ({
    add: 'post',
    record: { id, message, prefix: null, parentId: null, rootId: id, answers: [], createdAt },
  }));
  const line = encodeLine({ at: old.length, seq: 15, base: 14 }, `"do":${JSON.stringify(adds)}`, 0);
  writeFileSync(machine.path(OLD), old + line.toString());
  for (const process of [await machine.start(), await machine.start()]) {
    const page = await process.store.read.page('post', { order: 'oldest', limit: 999 });
    assert.deepEqual(
      page.slice(-200).map(({ record }) => record.id),
      ids,
    );
  }
});

test('a CURRENT that names a log which was replaced leads to the log that replaced it', async (t) => {
  const machine = copyOfFixture(t);
  writeFileSync(machine.path('CURRENT'), 'log-000001.jsonl\n');
  await holdsAll(await machine.start());
  assert.equal(newLogs(machine).length, 1);
  await holdsAll(await machine.start());
});

test('a start removes the segment of a process that was late to carry the folder over and died', async (t) => {
  const machine = copyOfFixture(t);
  await (await machine.start()).store.close();
  const name = settled(machine);
  writeFileSync(machine.path('log-000003-ffffffffffffffff.jsonl'), machine.files()[name]!);
  await holdsAll(await machine.start());
  assert.equal(settled(machine), name);
});

test('displaced lines, cut-off writes and erased texts of the first edition are not carried over', async (t) => {
  const machine = copyOfFixture(t);
  const old = machine.files()[OLD]!;
  const line = (at: number, seq: number, base: number, body: string): string =>
    encodeLine({ at, seq, base }, body, 0).toString();
  const message = 'a text that was erased, but not yet removed';
  const record = { id: 'post_x', message, prefix: null, parentId: null, rootId: 'post_x', answers: [] };
  const added = { add: 'post', record: { ...record, createdAt: '2026-11-21T10:50:06.000000Z' } };
  const erased = { moderate: 'erase', id: 'post_x', at: '2026-11-21T10:50:07.000000Z', reason: 'asked for' };
  let log = old;
  log += line(old.length, 15, 14, `"do":${JSON.stringify([added])}`);
  log += line(old.length, 15, 14, `"do":${JSON.stringify([{ turn: 'freeze', at: erased.at }])}`);
  log += line(log.length, 16, 15, `"do":${JSON.stringify([erased])}`);
  log += 'a write that was cut off';
  writeFileSync(machine.path(OLD), log);
  const a = await machine.start();
  assert.equal(await a.store.read.frozen(), false);
  assert.equal(await a.store.read.find('post', 'post_x'), undefined);
  const [last] = await a.store.read.moderations(1);
  assert.deepEqual({ action: last!.action, id: last!.id }, { action: 'erase', id: 'post_x' });
  assert.ok(!JSON.stringify(machine.files()).includes(message));
  settled(machine);
});

test('a damaged log of the first edition is refused, and nothing is changed', async (t) => {
  const machine = copyOfFixture(t);
  const old = machine.files()[OLD]!;
  const at = old.indexOf('hidden and shown');
  writeFileSync(machine.path(OLD), `${old.slice(0, at)}H${old.slice(at + 1)}`);
  const before = machine.files();
  const isNamed = (error: unknown): boolean =>
    error instanceof CorruptionError && error.message.startsWith(`${machine.path(OLD)} at byte 1148:`);
  await assert.rejects(machine.start(), isNamed);
  assert.deepEqual(machine.files(), before);
});

for (const way of ['fails', 'is killed'] as const) {
  test(`if any system call of the first start ${way}, the next start carries everything over`, async (t) => {
    const { calls } = (await copyOfFixture(t).start()).disk;
    for (const [index, call] of calls.entries()) {
      // A start does without the folder of rows.
      if (/\brows$/.test(call)) continue;
      const machine = copyOfFixture(t);
      const disk = new GatedDisk();
      if (way === 'fails') disk.failCall(index + 1, 'EIO');
      else disk.killBefore(index + 1);
      await assert.rejects(machine.start(disk), { code: way === 'fails' ? 'EIO' : 'EKILLED' }, call);
      assert.equal(disk.openFiles, 0, call);
      const b = await machine.start();
      await holdsAll(b, [], call);
      settled(machine, call);
      const { record } = await post(b, 'afterwards');
      await holdsAll(await machine.start(), [record], call);
      await machine.stop();
    }
  });
}

test('two processes that carry a folder over at the same time end in one segment, in every order of system calls', async (t) => {
  const orders = await runEverySchedule(async (schedule) => {
    const machine = copyOfFixture(t);
    const disks = [new GatedDisk(), new GatedDisk()];
    const starts = disks.map((disk, index) => {
      disk.beforeCall = schedule.gateFor(index);
      return machine.start(disk);
    });
    await schedule.run(starts, 1);
    for (const disk of disks) disk.beforeCall = undefined;
    const [a, b] = (await Promise.all(starts)) as [Process, Process];
    settled(machine);
    const records = [(await post(a, 'by a')).record, (await post(b, 'by b')).record];
    for (const reader of [a, b, await machine.start()]) await holdsAll(reader, records);
    await machine.stop();
  });
  t.diagnostic(`${orders} orders`);
  assert.ok(orders > 30);
});
