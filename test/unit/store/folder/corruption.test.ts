import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { FIRST_LINE, LOG } from '#store/folder/line.ts';
import type { Store } from '#store/port/store.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { textsOf } from '../../../support/store/store-location.ts';
import { addPost } from '../../../support/store/writes.ts';

const TEXTS = Array.from({ length: 8 }, (_, n) => `post ${n}`);

const open = (folder: string): Promise<Store> =>
  openFolderStore({ folder, clock: testClock('2026-11-21T10:49:32.123Z'), report: () => undefined });

/** @returns the folder of a store with eight posts, each in a write of its own */
async function createStore(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  for (const text of TEXTS) await addPost(store, text);
  await store.close();
  return folder;
}

/** The writes of a log: `#`, a line feed and a line. */
const writesOf = (bytes: string): string[] => bytes.slice(FIRST_LINE.length).split(/(?=#\n)/);

/** By description, how a log is damaged, and the first line that does not count any more. */
const DAMAGES: Readonly<Record<string, readonly [line: number, damage: (writes: string[]) => void]>> = {
  'a flipped bit': [4, (writes) => (writes[3] = writes[3]!.replace('post 3', 'pOst 3'))],
  NULs: [4, (writes) => (writes[3] = '\0'.repeat(writes[3]!.length))],
  'a line feed that is lost': [4, (writes) => (writes[3] = writes[3]!.replace(/\n$/, ' '))],
  'a write that is missing': [4, (writes) => writes.splice(3, 1)],
  'a write that is there twice': [5, (writes) => writes.splice(3, 0, writes[3]!)],
  'two writes in the wrong order': [4, (writes) => writes.splice(3, 2, writes[4]!, writes[3]!)],
  'a byte more': [4, (writes) => (writes[3] = ` ${writes[3]!}`)],
  'a line of another log': [4, (writes) => (writes[3] = writes[2]!)],
};

for (const [description, [line, damage]] of Object.entries(DAMAGES))
  test(`a log with ${description} is refused with file and byte, and not touched`, async (t) => {
    const folder = await createStore(t);
    const log = join(folder, LOG);
    const writes = writesOf(readFileSync(log, 'latin1'));
    damage(writes);
    const bytes = Buffer.from(FIRST_LINE.toString() + writes.join(''), 'latin1');
    writeFileSync(log, bytes);
    const names = readdirSync(folder);
    await assert.rejects(open(folder), {
      name: 'CorruptionError',
      message: new RegExp(
        `^${log} at byte \\d+: line ${line} was stored, and is damaged or missing; run porchlight salvage$`,
      ),
    });
    assert.deepEqual(readFileSync(log), bytes);
    assert.deepEqual(readdirSync(folder), names);
  });

test('what a crash leaves behind the last line is no damage', async (t) => {
  const folder = await createStore(t);
  const log = join(folder, LOG);
  const whole = readFileSync(log);
  for (const tail of ['#\n{"at":', '\0'.repeat(4096), 'garbage\n', whole.subarray(-200).toString('latin1')]) {
    writeFileSync(log, Buffer.concat([whole, Buffer.from(tail, 'latin1')]));
    const store = await open(folder);
    assert.deepEqual(await textsOf(store), TEXTS);
    await addPost(store, 'later');
    await store.close();
    const again = await open(folder);
    assert.deepEqual(await textsOf(again), [...TEXTS, 'later']);
    await again.close();
  }
});
