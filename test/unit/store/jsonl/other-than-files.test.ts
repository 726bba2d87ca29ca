import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { salvageFolder } from '#store/jsonl/salvage/salvage-folder.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { addPost } from '../../../support/store/writes.ts';

const FIRST = 'log-000001.jsonl';
const KEY = 'keys/2026-11-21';

/** A store with one post in the folder `data`, and the empty folder `outside` beside it. */
async function makeStore(t: TestContext) {
  const base = await temporaryFolder(t);
  const [folder, outside] = [join(base, 'data'), join(base, 'outside')];
  mkdirSync(outside);
  const open = () =>
    openJsonlStore({ folder, clock: testClock('2026-11-21T10:00:00.000Z'), report: () => undefined });
  const store = await open();
  await addPost(store, 'x', anOrigin('v'));
  await store.close();
  return { folder, outside, open };
}

const KINDS: Record<string, (t: TestContext, path: string, outside: string) => void> = {
  'a pipe': (t, path) => {
    execFileSync('mkfifo', [path]);
    // After a timeout: ends an open that waits for a writer, which would keep this process from ending.
    t.signal.addEventListener('abort', () => {
      if (existsSync(path)) closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
    });
  },
  'a folder': (_, path) => {
    mkdirSync(path);
  },
  'a link to what was there': (_, path, outside) => {
    symlinkSync(join(outside, 'moved'), path);
  },
  'a link to nothing': (_, path, outside) => {
    symlinkSync(join(outside, 'nothing'), path);
  },
  'a link to itself': (_, path) => {
    symlinkSync(path, path);
  },
  'a link to a device': (_, path) => {
    symlinkSync('/dev/zero', path);
  },
};

for (const [kind, put] of Object.entries(KINDS))
  for (const name of [FIRST, 'log-000002.jsonl', KEY])
    test(`${kind} as ${name} is refused and left as it is`, { timeout: 20_000 }, async (t) => {
      const { folder, outside, open } = await makeStore(t);
      const path = join(folder, name);
      if (existsSync(path)) renameSync(path, join(outside, 'moved'));
      else writeFileSync(join(outside, 'moved'), readFileSync(join(folder, FIRST)));
      const [moved, names] = [readFileSync(join(outside, 'moved')), readdirSync(folder)];
      put(t, path, outside);
      const refusal = { name: 'CorruptionError', message: new RegExp(`^${path}: this is a link, a folder,`) };
      await assert.rejects(open(), refusal);
      if (name === FIRST) await assert.rejects(salvageFolder(nodeDisk, folder), refusal);
      if (name === 'log-000002.jsonl')
        assert.match(
          (await salvageFolder(nodeDisk, folder)).losses[0]!.what,
          /left out: .*this is a link, a folder,/,
        );
      assert.deepEqual(readdirSync(folder), [...new Set([...names, name.split('/')[0]])].sort());
      assert.deepEqual(readdirSync(outside), ['moved']);
      assert.deepEqual(readFileSync(join(outside, 'moved')), moved);
    });

for (const name of ['.', 'keys'])
  test(`the folder ${name} may be a link`, async (t) => {
    const { folder, outside, open } = await makeStore(t);
    const path = join(folder, name);
    renameSync(path, join(outside, 'moved'));
    symlinkSync(join(outside, 'moved'), path);
    const store = await open();
    await addPost(store, 'y', anOrigin('v'));
    assert.equal((await store.read.recentWriteAges('v', 'feed', 1000, 9)).length, 2);
    await store.close();
  });
