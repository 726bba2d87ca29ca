import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { Post } from '#store/port/records.ts';
import { Child } from '../../../support/store/children.ts';

// Processes that are killed, stopped or ignore the lock: test/torture/short-rounds.slow.test.ts

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
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
