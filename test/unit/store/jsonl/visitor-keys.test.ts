import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { DayKeys } from '#store/jsonl/visitor-keys.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { testClock } from '../../../support/clock.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { Machine, post, postAfterRotation, visibleTexts } from '../../../support/store/machine.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const VISITOR = '192.0.2.77';
const KEY = 'my-very-own-key';

const keysOf = (machine: Machine): string[] => readdirSync(machine.path('keys'));

const windowOf = async (machine: Machine): Promise<number[]> =>
  (await machine.start()).store.read.recentWriteAges(VISITOR, 'feed', DAY, 99);

test('no file of the folder holds the visitor or the idempotency key, also after a renewal', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'x', anOrigin(VISITOR, { key: KEY, content: 'the content' }));
  await postAfterRotation(a);
  assert.deepEqual(await windowOf(machine), [0]);
  for (const entry of readdirSync(machine.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name), 'latin1');
    for (const secret of [VISITOR, KEY, 'the content', Buffer.from(VISITOR).toString('base64url')]) {
      assert.ok(!bytes.includes(secret), `${secret} in ${entry.name}`);
    }
  }
});

test('after two days the keys are gone and the boxes open for nobody, while the records stay', async (t) => {
  const machine = new Machine(t, testClock('2026-11-21T00:00:00.000Z'));
  const a = await machine.start();
  await post(a, 'x', anOrigin(VISITOR));
  machine.clock.advance(DAY - 1);
  await post(a, 'y', anOrigin(VISITOR));
  assert.deepEqual(await windowOf(machine), [0, DAY - 1]);
  machine.clock.advance(DAY);
  assert.deepEqual(keysOf(machine), ['2026-11-21']);
  const key = readFileSync(machine.path('keys/2026-11-21'));
  machine.clock.advance(1);
  const late = await machine.start();
  assert.deepEqual(keysOf(machine), []);
  assert.deepEqual(await visibleTexts(late), ['x', 'y']);
  const log = machine.files()['log-000001.jsonl']!;
  assert.ok(log.includes('"by":"2026-11-21.'));
  await postAfterRotation(late);
  assert.ok(!machine.files()[machine.files()['CURRENT']!.trim()]!.includes('"by"'));
  assert.ok(!JSON.stringify(machine.files()).includes(key.toString('latin1')));
});

test('a running store forgets by itself, every hour and right at midnight', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const machine = new Machine(t, testClock('2026-11-21T22:30:00.000Z'));
  const a = await machine.start();
  await post(a, 'x', anOrigin(VISITOR));
  const pass = (ms: number): void => {
    machine.clock.advance(ms);
    t.mock.timers.tick(ms);
  };
  const settled = async (): Promise<string[]> => {
    await post(a, 'later');
    return keysOf(machine);
  };
  for (let hour = 0; hour < 25; hour++) pass(HOUR);
  assert.deepEqual(await settled(), ['2026-11-21']);
  const swept = a.disk.stopAfter('unlink', /^2026-11-21$/);
  pass(HOUR / 2);
  await swept.arrived;
  swept.release();
  assert.deepEqual(await settled(), []);
  assert.deepEqual(await a.store.read.recentWriteAges(VISITOR, 'feed', 9 * DAY, 99), []);
});

test('a key that a crash left half made is destroyed too', async (t) => {
  const clock = testClock('2026-11-21T10:00:00.000Z');
  for (const call of ['append', 'sync', 'link', 'unlink'] as const) {
    const machine = new Machine(t, clock);
    const a = await machine.start();
    a.disk.interpose(
      call,
      () => {
        a.disk.kill();
      },
      /2026/,
    );
    await assert.rejects(post(a, 'x', anOrigin(VISITOR)));
    assert.equal(keysOf(machine).filter((name) => name.startsWith('.tmp-')).length, 1, call);
    await post(await machine.start(), 'y', anOrigin(VISITOR));
    machine.clock.advance(2 * DAY);
    await machine.start();
    assert.deepEqual(keysOf(machine), [], call);
  }
});

test('two processes that make the key of the day at once have the same', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  a.disk.interpose('link', () => post(b, 'by b', anOrigin(VISITOR)), /^2026/);
  await post(a, 'by a', anOrigin(VISITOR));
  assert.deepEqual(await windowOf(machine), [0, 0]);
  for (const { store } of [a, b])
    assert.equal((await store.read.recentWriteAges(VISITOR, 'feed', 1, 9)).length, 2);
});

test('a new folder of keys is durable before a line depends on it', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  a.disk.calls.length = 0;
  await post(a, 'x', anOrigin(VISITOR));
  const calls = a.disk.calls.filter((call) => /^(syncFolder|append log)/.test(call));
  assert.deepEqual(calls, [
    `syncFolder ${machine.folder.split('/').at(-1)!}`,
    'syncFolder keys',
    'append log-000001.jsonl',
  ]);
});

test('without its key a box stays shut, and the store goes on with a new one', async (t) => {
  const machine = new Machine(t);
  await post(await machine.start(), 'x', anOrigin(VISITOR));
  writeFileSync(machine.path('keys/2026-11-21'), Buffer.alloc(32));
  assert.deepEqual(await windowOf(machine), []);
  assert.ok(existsSync(machine.path('keys/2026-11-21')));
  const c = await machine.start();
  await post(c, 'y', anOrigin(VISITOR));
  assert.deepEqual(await visibleTexts(c), ['x', 'y']);
  assert.deepEqual(await windowOf(machine), [0]);
});

test('a key that is none stops the start, naming its file, and touches nothing', async (t) => {
  const machine = new Machine(t);
  await post(await machine.start(), 'x', anOrigin(VISITOR));
  for (const bytes of ['', 'x', 'x'.repeat(33)]) {
    writeFileSync(machine.path('keys/2026-11-21'), bytes);
    await assert.rejects(machine.start(), {
      name: 'CorruptionError',
      message: /keys\/2026-11-21: this is not a key/,
    });
    assert.equal(readFileSync(machine.path('keys/2026-11-21'), 'latin1'), bytes);
  }
  writeFileSync(machine.path('keys/notes of the operator'), 'x');
  rmSync(machine.path('keys/2026-11-21'));
  assert.deepEqual(await visibleTexts(await machine.start()), ['x']);
});

test('a running store that finds no key in the key file takes no writes, says so, and goes on when the file is gone', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  writeFileSync(machine.path('keys/2026-11-21'), 'x');
  await assert.rejects(post(a, 'x', anOrigin(VISITOR)), { stored: 'nothing' });
  assert.deepEqual(await a.store.health(), { writable: false, reason: 'the store is damaged' });
  assert.match(a.reports.join(), /keys\/2026-11-21/);
  rmSync(machine.path('keys/2026-11-21'));
  assert.deepEqual(await a.store.health(), { writable: true, reason: null });
  await post(a, 'y', anOrigin(VISITOR));
  assert.deepEqual(await visibleTexts(a), ['y']);
});

test('a box opens for its own record only, and only whole', async (t) => {
  const machine = new Machine(t);
  const keys = new DayKeys(new GatedDisk(), machine.folder);
  const at = machine.clock.now();
  const visit = {
    visitor: VISITOR,
    budget: 'feed',
    at,
    kind: 'post',
    id: 'post_a',
    key: null,
    content: 'hash',
  } as const;
  const box = await keys.seal(visit);
  assert.deepEqual(keys.open(box, 'post', 'post_a'), visit);
  assert.equal(keys.open(box, 'post', 'post_b'), undefined);
  assert.notEqual(await keys.seal(visit), box);
  for (const broken of [
    box.slice(0, -1),
    box.slice(0, 40),
    '2026-11-21.',
    '2026-11-21',
    '',
    `${box}AAAA`,
    box.replace('2026', '2025'),
  ]) {
    assert.equal(keys.open(broken, 'post', 'post_a'), undefined, broken);
  }
});
