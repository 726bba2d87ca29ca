import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Post } from '#store/port/records.ts';
import { Child } from '../../../support/store/children.ts';
import { Load } from '../../../support/store/load.ts';
import { importBeside, killInTurn, stopAll, stopFirst } from '../../../support/store/rounds.ts';
import { IMPORTED_AT_ONCE } from '../../../support/store/writes.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

// Longer ones: npm run torture -- folder-kills folder-stops folder-without-lock folder-import folder-shares

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function loadFor(t: TestContext): Load {
  return new Load(folderFor(t), (end) => {
    t.after(end);
  });
}

/** @returns random numbers below a bound, the same ones in every run */
function numbers(): (bound: number) => number {
  const random = new SeededRandom(1);
  return (bound) => random.below(bound);
}

test('three processes that write at the same time lose nothing, see one order, and share one rate limit', async (t) => {
  const folder = folderFor(t);
  const after = (end: () => void): void => {
    t.after(end);
  };
  const children = ['a', 'b', 'c'].map((name) => new Child(after, folder, name));
  await Promise.all(children.map((child) => child.ready()));
  await Promise.all(children.map((child) => child.run('write 40')));
  await Promise.all(children.map((child) => child.run('limit 24')));
  const shown = await Promise.all(children.map((child) => child.run('show')));
  assert.deepEqual(shown[1], shown[0]);
  assert.deepEqual(shown[2], shown[0]);
  const posts = JSON.parse(shown[0]?.[0] ?? '') as Post[];
  assert.equal(posts.filter(({ message }) => message.startsWith('limited')).length, 24);
  // Every third one was erased.
  assert.equal(posts.length, 3 * (160 - 53) + 24);
  const stamps = posts.map(({ createdAt }) => createdAt);
  assert.deepEqual(stamps, [...new Set(stamps)].sort());
  for (const child of children) assert.equal(await child.close(), 0);
});

test('four processes of which one is killed again and again lose nothing, and leave no erased text', async (t) => {
  const load = loadFor(t);
  await load.start(4);
  await killInTurn(load, 6, numbers());
  await load.killAll();
  assert.ok((await load.audit()).acknowledged > 200);
});

test('a stopped process delays the others by five seconds, and its writes after SIGCONT are stored once or not at all', async (t) => {
  const load = loadFor(t);
  await load.start(4);
  const longest = await stopFirst(load, 2, 6000, numbers());
  await load.killAll();
  const { acknowledged } = await load.audit();
  t.diagnostic(`${acknowledged} acknowledged, longest wait of the others ${longest} ms`);
  assert.ok(longest <= 5500, `a process waited for ${longest} ms`);
});

test('processes that are all stopped at once go on, and lose nothing', async (t) => {
  const load = loadFor(t);
  await load.start(4);
  await stopAll(load, 2, 5000);
  await load.killAll();
  await load.audit();
});

test('processes that ignore the lock lose nothing, and store nothing twice', async (t) => {
  const load = loadFor(t);
  await load.start(2, 'write 1000000000', 'ignores-locks');
  await load.start(1);
  await sleep(4000);
  await load.progress();
  await load.killAll();
  const { acknowledged } = await load.audit();
  t.diagnostic(`${acknowledged} acknowledged`);
  assert.ok(acknowledged > 100);
});

test('posts go between the batches of an import in another process, and are stored once', async (t) => {
  const load = loadFor(t);
  const waits = await importBeside(load, 40 * IMPORTED_AT_ONCE);
  await load.killAll();
  await load.audit();
  // How long one waits depends on the machine: bench and torture measure it.
  t.diagnostic(`${waits.length} posts`);
  assert.ok(waits.length >= 40, `${waits.length} posts beside 40 batches`);
});
