import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { Machine, post, visibleTexts, startOne, startTwo } from '../../../support/store/machine.ts';

const ALIVE = 1;
const OF_OTHERS = { pid: ALIVE, run: 'other', space: 'another', boot: 'boot-1', nonce: 'x' };

/** @returns what is left in the folder but for the log and the keys */
const leftIn = (machine: Machine): string[] =>
  readdirSync(machine.folder).filter((name) => !['log.jsonl', 'keys', 'clock'].includes(name));

test('the lock of an ended process, of another boot, and of a pid that was used again is replaced at once', async (t) => {
  const machine = new Machine(t);
  for (const given of [
    { space: 'space', pid: 99 },
    { boot: 'boot-0' },
    { boot: 'boot-0', space: 'space', pid: ALIVE },
    { space: 'space', pid: undefined, run: 'an earlier one' },
  ]) {
    const a = await machine.start();
    machine.time = 0;
    const { pid = a.pid } = given;
    writeFileSync(machine.path('lock'), JSON.stringify({ ...OF_OTHERS, ...given, pid }));
    await post(a, 'x');
    assert.ok(machine.time < 1000, `${JSON.stringify(given)} took ${machine.time} ms`);
    await a.store.close();
    assert.deepEqual(leftIn(machine), []);
  }
});

test('whatever else has the name of the lock is replaced after 4.5 seconds, and readers go on meanwhile', async (t) => {
  for (const [what, place] of [
    ['a living process', (path: string) => writeFileSync(path, JSON.stringify(OF_OTHERS))],
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['garbage', (path: string) => writeFileSync(path, Buffer.alloc(5000, 0xff))],
    ['a number', (path: string) => writeFileSync(path, 'null')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link', (path: string) => symlinkSync('/nowhere', path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ] as const) {
    const [machine, a] = await startOne(t);
    await post(a, 'first');
    await a.store.close();
    const b = await machine.start();
    place(machine.path('lock'));
    machine.time = 0;
    machine.stretch = 10;
    assert.deepEqual(await visibleTexts(b), ['first'], what);
    assert.equal(machine.time, 0, what);
    await post(b, 'second');
    assert.ok(machine.time >= 4500 && machine.time < 5000, `${what} took ${machine.time} ms`);
    await b.store.close();
    assert.deepEqual(await visibleTexts(await machine.start()), ['first', 'second'], what);
  }
});

test('a process that waits for ten seconds gives up, stores nothing, and leaves the lock of the others', async (t) => {
  const [machine, a] = await startOne(t);
  machine.stretch = 10;
  let others = 0;
  a.disk.beforeCall = (call) => {
    if (call === 'open lock')
      writeFileSync(machine.path('lock'), JSON.stringify({ ...OF_OTHERS, run: (others += 1) }));
  };
  writeFileSync(machine.path('lock'), JSON.stringify(OF_OTHERS));
  await assert.rejects(post(a, 'x'), { stored: 'nothing', message: /timed out waiting for the folder lock/ });
  assert.ok(machine.time >= 10_000 && machine.time < 10_500, `after ${machine.time} ms`);
  assert.deepEqual(leftIn(machine), ['lock']);
  assert.deepEqual(await visibleTexts(a), []);
});

test('a process that waits gets the lock within milliseconds from one that writes without a pause', async (t) => {
  const [machine, a, b] = await startTwo(t);
  let [written, isOver] = [0, false];
  const writing = (async (): Promise<void> => {
    for (; !isOver; written++) {
      await post(a, `number ${written}`);
      // A post of the modelled process may need no turn of the event loop.
      await new Promise(setImmediate);
    }
  })();
  await post(a, 'x');
  try {
    for (let number = 0; number < 10; number++) {
      const [before, time] = [written, machine.time];
      await post(b, `of b ${number}`);
      assert.ok(written - before < 20, `the other process wrote ${written - before} posts meanwhile`);
      assert.ok(machine.time - time < 1000, `it took ${machine.time - time} ms`);
    }
  } finally {
    isOver = true;
    await writing;
  }
});

test('a start beside a process that writes without a pause takes milliseconds', async (t) => {
  const machine = new Machine(t);
  const { host } = machine.options();
  // It writes again before the pause ends in which it keeps the lock.
  const pause = (ms: number): Promise<void> => (ms < 5 ? host.pause(ms) : new Promise(() => undefined));
  const a = await machine.start(undefined, { host: { ...host, pause } });
  await post(a, 'first');
  const disk = new GatedDisk();
  let written = 0;
  disk.beforeCall = async (call) => {
    if (/^(open|status|setTime) lock$/.test(call)) await post(a, `number ${(written += 1)}`);
  };
  machine.time = 0;
  const b = await machine.start(disk);
  assert.ok(machine.time < 1000, `it took ${machine.time} ms and ${written} posts of the other process`);
  assert.ok((await visibleTexts(b)).length > 1);
});

test('a lock that was dead when a process started is waited for once, not again at its first write', async (t) => {
  const machine = new Machine(t);
  await (await machine.start()).store.close();
  machine.time = 0;
  machine.stretch = 10;
  writeFileSync(machine.path('lock'), JSON.stringify(OF_OTHERS));
  const b = await machine.start();
  await post(b, 'first');
  assert.ok(machine.time < 6000, `start and write took ${machine.time} ms`);
});

test('a lock is replaced by patience alone where its boot or the own one is unknown, and at once if its process has ended', async (t) => {
  for (const [own, other] of [
    ['', 'boot-1'],
    ['boot-1', ''],
    ['', ''],
  ] as const) {
    const machine = new Machine(t);
    machine.boot = other;
    const a = await machine.start();
    machine.boot = own;
    const b = await machine.start();
    machine.time = 0;
    machine.stretch = 10;
    const stop = a.disk.stopBefore('append', /^log/);
    const late = post(a, 'late');
    await stop.arrived;
    await post(b, 'prompt');
    const waited = machine.time;
    stop.release();
    await late;
    assert.ok(waited >= 4500, `the lock of a living process was taken after ${waited} ms`);
    await b.store.close();
    machine.boot = other;
    const c = await machine.start();
    c.disk.interpose('append', () => {
      c.disk.kill();
    });
    await assert.rejects(post(c, 'lost'));
    machine.kill(c);
    machine.boot = own;
    const d = await machine.start();
    const { time } = machine;
    await post(d, 'later');
    assert.ok(machine.time - time < 1000, `the lock of a dead process stood for ${machine.time - time} ms`);
    assert.deepEqual((await visibleTexts(d)).toSorted(), ['late', 'later', 'prompt']);
  }
});

test('a process has the lock at each of its calls on the log, whatever its health is asked meanwhile', async (t) => {
  for (const delay of [0, 1, 2, 3, 5, 8, 13, 21]) {
    const [machine, a] = await startOne(t);
    a.disk.failNext('append', 'ENOSPC', /^log/);
    await assert.rejects(post(a, 'refused'));
    const without: string[] = [];
    a.disk.beforeCall = async (call) => {
      if (!/^(append|sync|overwrite) log/.test(call)) return;
      for (let tick = 0; tick < 30; tick++) await new Promise(setImmediate);
      if (!existsSync(machine.path('lock'))) without.push(call);
    };
    const health = a.store.health();
    for (let tick = 0; tick < delay; tick++) await new Promise(setImmediate);
    const posts = [post(a, 'first'), a.store.health(), post(a, 'second')];
    await Promise.all([health, ...posts]);
    assert.deepEqual(without, [], `after ${delay} turns`);
    await machine.stop();
  }
});

test('a start waits until the process that writes has synced', async (t) => {
  const [machine, a] = await startOne(t);
  const stop = a.disk.stopBefore('sync', /^log/);
  const posted = post(a, 'first');
  await stop.arrived;
  let hasStarted = false;
  const disk = new GatedDisk();
  const looks = disk.stopBefore('open', /^lock/);
  const b = machine.start(disk).finally(() => (hasStarted = true));
  await looks.arrived;
  looks.release();
  for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate);
  assert.equal(hasStarted, false);
  stop.release();
  await posted;
  assert.deepEqual(await visibleTexts(await b), ['first']);
});
