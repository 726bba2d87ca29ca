import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { FIRST_LINE, LOG } from '#store/folder/line.ts';
import { Machine, post, visibleTexts, startOne, startTwo } from '../../../support/store/machine.ts';

/** Checks that an opening is refused, and that it changes nothing. */
async function assertRefused(machine: Machine, message: RegExp, mustExist = false): Promise<void> {
  const before = machine.files();
  await assert.rejects(machine.start(undefined, { mustExist }), { name: 'CorruptionError', message });
  assert.deepEqual(machine.files(), before);
}

const TEXTS = Array.from({ length: 8 }, (_, n) => `post ${n}`);

/** A store with eight posts, each in a write of its own. */
async function eightPosts(t: TestContext): Promise<Machine> {
  const [machine, a] = await startOne(t);
  for (const text of TEXTS) await post(a, text);
  await a.store.close();
  return machine;
}

/** The writes of a log: `#`, a line feed and a line. */
const writesOf = (log: Buffer): string[] => log.toString('latin1', FIRST_LINE.length).split(/(?=#\n)/);

/** Flips the lowest bit of the third byte of a text in the fourth write. */
const flipIn =
  (text: string) =>
  (writes: string[]): void => {
    const at = writes[3]!.indexOf(text) + 2;
    const bytes = Buffer.from(writes[3]!, 'latin1');
    bytes[at]! ^= 1;
    writes[3] = bytes.toString('latin1');
  };

/** By description, how a log is damaged, and the first line that does not count any more. */
const DAMAGES: Readonly<Record<string, readonly [line: number, damage: (writes: string[]) => void]>> = {
  'a flipped bit in a text': [4, flipIn('post 3')],
  'a flipped bit in the number of a line': [4, flipIn('"seq":4')],
  'a flipped bit in the name of a record': [4, flipIn('"record"')],
  'a flipped bit at a checksum': [4, flipIn('"sum":"')],
  NULs: [4, (writes) => (writes[3] = '\0'.repeat(writes[3]!.length))],
  'line feeds': [4, (writes) => (writes[3] = '\n'.repeat(writes[3]!.length))],
  'a line feed that is lost': [4, (writes) => (writes[3] = writes[3]!.replace(/\n$/, ' '))],
  'a write that is missing': [4, (writes) => writes.splice(3, 1)],
  'a write that is there twice': [5, (writes) => writes.splice(3, 0, writes[3]!)],
  'two writes in the wrong order': [4, (writes) => writes.splice(3, 2, writes[4]!, writes[3]!)],
  'a byte more': [4, (writes) => (writes[3] = ` ${writes[3]!}`)],
  'a line of another log': [4, (writes) => (writes[3] = writes[2]!)],
};

for (const [description, [line, damage]] of Object.entries(DAMAGES))
  test(`a log with ${description} is refused with file and byte, and not touched`, async (t) => {
    const machine = await eightPosts(t);
    const writes = writesOf(machine.log);
    damage(writes);
    machine.log = Buffer.from(FIRST_LINE.toString() + writes.join(''), 'latin1');
    const at = description.startsWith('a flipped bit')
      ? machine.log.indexOf(writes[3]!, 0, 'latin1') + 2
      : '\\d+';
    const what = `line ${line} was stored, and is damaged or missing; run porchlight salvage`;
    await assertRefused(machine, new RegExp(`^${machine.path(LOG)} at byte ${at}: ${what}$`));
  });

test('what a crash leaves behind the last line is no damage', async (t) => {
  const machine = await eightPosts(t);
  const whole = machine.log;
  for (const tail of ['#\n{"at":', '\0'.repeat(4096), 'garbage\n', whole.subarray(-200)]) {
    machine.log = Buffer.concat([whole, Buffer.from(tail)]);
    const a = await machine.start();
    assert.deepEqual(await visibleTexts(a), TEXTS);
    await post(a, 'later');
    await a.store.close();
    assert.deepEqual(await visibleTexts(await machine.start()), [...TEXTS, 'later']);
  }
});

test('a process that runs notices a proved line that does not count, takes no write, and goes on reading', async (t) => {
  const [machine, a, b] = await startTwo(t);
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
  const machine = await eightPosts(t);
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
  for (const machine of [unused, await eightPosts(t)]) {
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
    const machine = await eightPosts(t);
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
