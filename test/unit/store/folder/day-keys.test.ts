import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { DayKeys } from '#store/folder/day-keys.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { idempotentHit } from '../../../support/store/writes.ts';
import {
  Machine,
  post,
  visibleTexts,
  startOne,
  startTwo,
  type Process,
} from '../../../support/store/machine.ts';
import { thoroughTest } from '../../../support/thorough.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CLIENT = '192.0.2.77';
const KEY = 'my-very-own-key';

const keysOf = (machine: Machine): string[] => readdirSync(machine.path('keys'));

const agesIn = ({ store }: Process): Promise<number[]> => store.read.recentWriteAges(CLIENT, 'feed', DAY, 99);

const windowOf = async (machine: Machine): Promise<number[]> => agesIn(await machine.start());

test('no file holds the client key or the idempotency key in plain text', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'x', anOrigin(CLIENT, { key: KEY, content: 'the content' }));
  assert.deepEqual(await windowOf(machine), [0]);
  for (const entry of readdirSync(machine.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name), 'latin1');
    for (const secret of [CLIENT, KEY, 'the content', Buffer.from(CLIENT).toString('base64url')]) {
      assert.ok(!bytes.includes(secret), `${secret} in ${entry.name}`);
    }
  }
});

test('after two days the keys of a day are deleted, so that write origins cannot be decrypted, and the records stay', async (t) => {
  const machine = new Machine(t, testClock('2026-11-21T00:00:00.000Z'));
  const a = await machine.start();
  await post(a, 'x', anOrigin(CLIENT));
  machine.clock.advance(DAY - 1);
  await post(a, 'y', anOrigin(CLIENT));
  assert.deepEqual(await windowOf(machine), [0, DAY - 1]);
  machine.clock.advance(DAY);
  assert.deepEqual(keysOf(machine), ['2026-11-21']);
  const key = readFileSync(machine.path('keys/2026-11-21'));
  await post(a, 'z');
  // It sees this time, so that the next one is no jump of more than a day.
  await machine.start();
  machine.clock.advance(1);
  const late = await machine.start();
  assert.deepEqual(keysOf(machine), ['2026-11-22']);
  assert.deepEqual(await visibleTexts(late), ['x', 'y', 'z']);
  const log = machine.files()['log.jsonl']!;
  assert.ok(log.includes('"by":"'));
  assert.deepEqual(await late.store.read.recentWriteAges(CLIENT, 'feed', 9 * DAY, 99), []);
  assert.deepEqual(await (await machine.start()).store.read.recentWriteAges(CLIENT, 'feed', 9 * DAY, 99), []);
  assert.ok(!JSON.stringify(machine.files()).includes(key.toString('latin1')));
});

test('a running store deletes expired keys every hour and at midnight', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const machine = new Machine(t, testClock('2026-11-21T22:30:00.000Z'));
  const a = await machine.start();
  await post(a, 'x', anOrigin(CLIENT));
  const advance = (ms: number): void => {
    machine.clock.advance(ms);
    t.mock.timers.tick(ms);
  };
  const settled = async (): Promise<string[]> => {
    await post(a, 'later');
    return keysOf(machine);
  };
  for (let hour = 0; hour < 25; hour++) {
    const looked = a.disk.stopAfter('list', /^keys$/);
    advance(HOUR);
    await looked.arrived;
    looked.release();
  }
  assert.deepEqual(await settled(), ['2026-11-21', '2026-11-22']);
  const swept = a.disk.stopAfter('unlink', /^2026-11-21$/);
  advance(HOUR / 2);
  await swept.arrived;
  swept.release();
  assert.deepEqual(await settled(), ['2026-11-22', '2026-11-23']);
  assert.deepEqual(await a.store.read.recentWriteAges(CLIENT, 'feed', 9 * DAY, 99), []);
});

/** Time passes as servers see it: nothing expires at the first sight of a jump of more than a day. */
async function startDaily(machine: Machine, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    machine.clock.advance(DAY);
    await machine.start();
  }
}

thoroughTest('a partly created key that a crash left is deleted too', async (t) => {
  for (const call of ['append', 'sync', 'link', 'unlink'] as const) {
    const machine = new Machine(t, testClock('2026-11-21T10:00:00.000Z'));
    const a = await machine.start();
    a.disk.interpose(
      call,
      () => {
        a.disk.kill();
      },
      /2026/,
    );
    await assert.rejects(post(a, 'x', anOrigin(CLIENT)));
    assert.equal(keysOf(machine).filter((name) => name.startsWith('.tmp-')).length, 1, call);
    const b = await machine.start();
    await post(b, 'y', anOrigin(CLIENT));
    await startDaily(machine, 2);
    await post(b, 'z');
    assert.deepEqual(keysOf(machine), ['2026-11-23'], call);
  }
});

test('two processes that create the key of a day at the same time share one key', async (t) => {
  const [machine, a, b] = await startTwo(t);
  a.disk.interpose('link', () => post(b, 'by b', anOrigin(CLIENT)), /^2026/);
  await post(a, 'by a', anOrigin(CLIENT));
  assert.deepEqual(await windowOf(machine), [0, 0]);
  for (const { store } of [a, b])
    assert.equal((await store.read.recentWriteAges(CLIENT, 'feed', 1, 9)).length, 2);
});

test('the new key folder is durable before a line depends on it', async (t) => {
  const [machine, a] = await startOne(t);
  a.disk.calls.length = 0;
  await post(a, 'x', anOrigin(CLIENT));
  const calls = a.disk.calls.filter((call) => /^(syncFolder|append log)/.test(call));
  assert.deepEqual(calls, [
    `syncFolder ${machine.folder.split('/').at(-1)!}`,
    'syncFolder keys',
    'append log.jsonl',
  ]);
});

test('with a replaced key old write origins cannot be decrypted, and new ones can', async (t) => {
  const machine = new Machine(t);
  await post(await machine.start(), 'x', anOrigin(CLIENT));
  writeFileSync(machine.path('keys/2026-11-21'), Buffer.alloc(32));
  assert.deepEqual(await windowOf(machine), []);
  assert.ok(existsSync(machine.path('keys/2026-11-21')));
  const c = await machine.start();
  await post(c, 'y', anOrigin(CLIENT));
  assert.deepEqual(await visibleTexts(c), ['x', 'y']);
  assert.deepEqual(await windowOf(machine), [0]);
});

test('a key file of the wrong length makes the start reject, names the file, and changes nothing', async (t) => {
  const machine = new Machine(t);
  await post(await machine.start(), 'x', anOrigin(CLIENT));
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

test('while a key file is invalid a running store rejects writes and logs the file; it recovers once the file is removed', async (t) => {
  const [machine, a] = await startOne(t);
  mkdirSync(machine.path('keys'));
  writeFileSync(machine.path('keys/2026-11-21'), 'x');
  await assert.rejects(post(a, 'x', anOrigin(CLIENT)), { stored: 'nothing' });
  assert.deepEqual(await a.store.health(), {
    writable: false,
    reason: 'the store is damaged',
    notifying: true,
  });
  assert.match(a.reports.join(), /keys\/2026-11-21/);
  rmSync(machine.path('keys/2026-11-21'));
  assert.deepEqual(await a.store.health(), { writable: true, reason: null, notifying: true });
  await post(a, 'y', anOrigin(CLIENT));
  assert.deepEqual(await visibleTexts(a), ['y']);
});

test('an encrypted write origin can be decrypted for its own record only, and only if unchanged', async (t) => {
  const machine = new Machine(t);
  const keys = new DayKeys(new GatedDisk(), machine.path('keys'));
  const atMs = machine.clock.now();
  const entry = {
    clientKey: CLIENT,
    limitScope: 'feed',
    atMs,
    kind: 'post',
    id: 'post_a',
    key: null,
    content: 'hash',
  } as const;
  assert.throws(() => keys.seal(entry), /not loaded/);
  await keys.prepare(atMs);
  await keys.prepare(entry.atMs);
  const encrypted = keys.seal(entry);
  assert.deepEqual(keys.open(encrypted, 'post_a'), entry);
  assert.equal(keys.open(encrypted, 'post_b'), undefined);
  assert.notEqual(keys.seal(entry), encrypted);
  for (const broken of [
    encrypted.slice(0, -1),
    encrypted.slice(0, 40),
    `${encrypted.slice(0, 11)}.`,
    encrypted.slice(0, 11),
    '',
    `${encrypted}AAAA`,
    encrypted.replace(/^.{4}/, 'AAAA'),
  ]) {
    assert.equal(keys.open(broken, 'post_a'), undefined, broken);
  }
});

test('if the key of a day is replaced while processes run, each decrypts what the other encrypts', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'before', anOrigin(CLIENT));
  rmSync(machine.path('keys/2026-11-21'));
  const b = await machine.start();
  await post(b, 'after', anOrigin(CLIENT));
  await post(a, 'again', anOrigin(CLIENT));
  const counts = [a, b].map(
    async ({ store }) => (await store.read.recentWriteAges(CLIENT, 'feed', DAY, 9)).length,
  );
  // The key of the first post is gone from the disk: only the process that made it still has it.
  assert.deepEqual(await Promise.all(counts), [3, 2]);
});

for (const [days, starts] of [
  [3, 1],
  [-3, 1],
  [60, 3],
] as const)
  test(`posts under a clock ${days} days off destroy no key of today, so that limits and retries hold, after ${starts} starts`, async (t) => {
    const [machine, a] = await startOne(t);
    const origin = anOrigin(CLIENT, { key: KEY });
    const { record } = await post(a, 'x', origin);
    const clock = { now: () => machine.clock.now() + days * DAY };
    for (let start = 0; start < starts; start++) {
      const command = await machine.start(undefined, { clock });
      await post(command, 'y');
      await command.store.close();
    }
    assert.ok(keysOf(machine).includes('2026-11-21'));
    for (const { store } of [a, await machine.start()]) {
      assert.equal((await store.read.recentWriteAges(CLIENT, 'feed', DAY, 9)).length, 1);
      const hit = await idempotentHit(store, 'post', origin, DAY);
      assert.deepEqual(hit, { id: record.id, sameContent: true });
    }
  });

test('a folder that was not used for 60 days loses its old keys within three days of its next use', async (t) => {
  const machine = new Machine(t);
  await post(await machine.start(), 'x', anOrigin(CLIENT));
  machine.clock.advance(60 * DAY);
  for (let day = 0; day < 3; day++) {
    const a = await machine.start();
    await post(a, `day ${day}`);
    await a.store.close();
    machine.clock.advance(DAY + 1);
  }
  await machine.start();
  assert.ok(!keysOf(machine).includes('2026-11-21'));
});

test('files in the folder of the keys that this program did not make are never removed', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'x', anOrigin(CLIENT));
  const foreign = ['.gitignore', '.tmp-2026-01-01', '.tmp-notes', '0-notes', '2026-01-01.bak', 'README'];
  for (const name of foreign) writeFileSync(machine.path(`keys/${name}`), 'x');
  await startDaily(machine, 2);
  await post(a, 'y');
  assert.deepEqual(keysOf(machine).sort(), [...foreign, '2026-11-23'].sort());
});

/** A machine, and a folder for its keys, with a missing parent. */
async function keysApart(t: TestContext): Promise<{ machine: Machine; keysFolder: string }> {
  const machine = new Machine(t, testClock('2026-11-21T10:00:00.000Z'));
  return { machine, keysFolder: join(await temporaryFolder(t), 'a', 'keys') };
}

test('with KEYS_DIR no key is in the data folder, and without the keys nobody can read who wrote what', async (t) => {
  const { machine, keysFolder } = await keysApart(t);
  await post(await machine.start(undefined, { keysFolder }), 'x', anOrigin(CLIENT));
  assert.ok(!existsSync(machine.path('keys')));
  assert.deepEqual(readdirSync(keysFolder), ['2026-11-21']);
  assert.deepEqual(await agesIn(await machine.start(undefined, { keysFolder })), [0]);
  assert.deepEqual(await agesIn(await machine.start()), []);
});

test('after KEYS_DIR is set the keys of the data folder still decrypt, until they expire', async (t) => {
  const { machine, keysFolder } = await keysApart(t);
  const start = (): Promise<Process> => machine.start(undefined, { keysFolder });
  await post(await machine.start(), 'x', anOrigin(CLIENT));
  assert.deepEqual(await agesIn(await start()), [0]);
  machine.clock.advance(DAY);
  await post(await start(), 'x', anOrigin(CLIENT));
  assert.deepEqual(keysOf(machine), ['2026-11-21']);
  assert.deepEqual(readdirSync(keysFolder), ['2026-11-22']);
  machine.clock.advance(DAY);
  await start();
  assert.deepEqual(keysOf(machine), []);
  assert.deepEqual(readdirSync(keysFolder), ['2026-11-22']);
});

test('forgetClients destroys the expired keys of a store that stood still, by the wall clock, and counts them', async (t) => {
  const { machine, keysFolder } = await keysApart(t);
  const server = await machine.start(undefined, { keysFolder });
  for (let day = 0; day < 2; day++) {
    await post(server, 'x', anOrigin(CLIENT));
    machine.clock.advance(day === 0 ? DAY : 13 * HOUR);
  }
  await server.store.close();
  const { store } = await machine.start(undefined, { keysFolder });
  assert.deepEqual(await store.forgetClients(), { destroyed: 0, unit: 'keys' });
  machine.clock.advance(9 * DAY);
  const command = await machine.start(undefined, { keysFolder, isCommand: true });
  assert.equal(readdirSync(keysFolder).length, 2);
  for (let time = 0; time < 2; time++)
    assert.deepEqual(await command.store.forgetClients(), { destroyed: 2, unit: 'keys' });
  assert.deepEqual(readdirSync(keysFolder), []);
});
