import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { Machine, post, visibleTexts } from '../../../support/store/machine.ts';

/** A store with three posts. */
async function threePosts(t: TestContext): Promise<Machine> {
  const machine = new Machine(t);
  const a = await machine.start();
  for (const text of ['first', 'second', 'third']) await post(a, text);
  await a.store.close();
  return machine;
}

const byteOf = (log: Buffer, text: string): number => log.lastIndexOf('\n', log.indexOf(text)) + 1;

/** Checks that an opening is refused, and that it changes nothing. */
async function assertRefused(machine: Machine, message: RegExp, mustExist = false): Promise<void> {
  const before = machine.files();
  await assert.rejects(machine.start(undefined, { mustExist }), { name: 'CorruptionError', message });
  assert.deepEqual(machine.files(), before);
}

test('a line that a later one proves is refused with its byte when a bit of it flips, or when it is missing', async (t) => {
  const machine = await threePosts(t);
  const whole = machine.log;
  for (const text of ['"seq":1', '"record"', 'first', '"sum":"']) {
    const [log, at] = [Buffer.from(whole), byteOf(whole, '"seq":1')];
    const flipped = log.indexOf(text, at) + 2;
    log[flipped] = (log[flipped] ?? 0) ^ 1;
    machine.log = log;
    await assertRefused(machine, new RegExp(`log\\.jsonl at byte ${at}: line 1 was stored, and is damaged`));
  }
  const [second, third] = [byteOf(whole, 'second'), byteOf(whole, 'third')];
  machine.log = Buffer.concat([
    whole.subarray(0, second),
    Buffer.alloc(third - second, '\n'),
    whole.subarray(third),
  ]);
  await assertRefused(machine, /log\.jsonl at byte \d+: line 2 was stored, and is damaged or missing/);
  machine.log = Buffer.concat([whole.subarray(0, second), whole.subarray(third)]);
  await assertRefused(machine, /log\.jsonl at byte \d+: line 2 was stored, and is damaged or missing/);
});

test('a process that runs notices a proved line that does not count, takes no write, and goes on reading', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, 'first');
  assert.deepEqual(await visibleTexts(b), ['first']);
  for (const text of ['second', 'third']) await post(a, text);
  const log = machine.log;
  log.write('S', log.indexOf('second'));
  machine.log = log;
  await assert.rejects(post(b, 'fourth'), { stored: 'nothing', message: /at byte \d+: line 2 was stored/ });
  assert.deepEqual(await visibleTexts(b), ['first']);
  assert.match(b.reports.join(), /the store is damaged: .*log\.jsonl at byte/);
});

test('a folder of the editions that wrote several logs is refused with a sentence, and not touched', async (t) => {
  for (const names of [['CURRENT'], ['log-1.jsonl'], ['CURRENT', 'log-00000003.jsonl']]) {
    const machine = new Machine(t);
    for (const name of names) writeFileSync(machine.path(name), '{}\n');
    await assertRefused(machine, /: an early version of Porchlight wrote this store; export it with that/);
    await assertRefused(machine, /: an early version of Porchlight wrote this store/, true);
  }
});

test('a log with another first line, or without a line that can be one, is refused and not touched', async (t) => {
  const machine = await threePosts(t);
  const whole = machine.log;
  const damaged = Buffer.from(whole);
  damaged[20] = (damaged[20] ?? 0) ^ 1;
  for (const log of [
    damaged,
    Buffer.from('{"a":1}\n'),
    Buffer.from('x'),
    whole.subarray(0, 20),
    whole.subarray(50),
  ]) {
    machine.log = log;
    await assertRefused(machine, /log\.jsonl at byte 0: this is not the first line of a log/);
  }
});

test('an emptied log is refused and not touched, by servers as by commands that need a store', async (t) => {
  const unused = new Machine(t);
  await assertRefused(unused, /there is no store in this folder/, true);
  for (const machine of [unused, await threePosts(t)]) {
    machine.log = '';
    for (const mustExist of [false, true])
      await assertRefused(machine, /log\.jsonl at byte 0: the file is empty; restore a backup/, mustExist);
  }
});

test('a pipe, a folder, a device link and a link to the log itself are refused as the log', async (t) => {
  for (const place of [
    (path: string) => execFileSync('mkfifo', [path]),
    (path: string) => mkdirSync(path),
    (path: string) => symlinkSync('/dev/zero', path),
    (path: string) => symlinkSync(`${path}.real`, path),
  ]) {
    const machine = await threePosts(t);
    renameSync(machine.path('log.jsonl'), machine.path('log.jsonl.real'));
    place(machine.path('log.jsonl'));
    const before = readdirSync(machine.folder);
    await assert.rejects(machine.start(), {
      name: 'CorruptionError',
      message: /only a file may have this name/,
    });
    assert.deepEqual(readdirSync(machine.folder), before);
  }
});
