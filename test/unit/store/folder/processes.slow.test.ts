import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Post } from '#store/port/store.ts';
import { Child } from '../../../support/store/folder/children.ts';
import { addPost } from '../../../support/store/writes.ts';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

const isText = (line: string): boolean => /^[a-z]\d*-\d+$/.test(line);

async function openHere(folder: string): ReturnType<typeof openJsonlStore> {
  return openJsonlStore({ folder, clock: { now: () => Date.now() }, report: () => undefined });
}

/** Opens the store again and checks that it holds each text once, with ascending stamps. */
async function holds(folder: string, texts: readonly string[]): Promise<Post[]> {
  const store = await openHere(folder);
  try {
    const page = await store.read.page('post', { order: 'oldest', limit: 1_000_000 });
    const posts = page.map(({ record }) => record);
    const there = posts.map(({ message }) => message).filter(isText);
    assert.equal(new Set(there).size, there.length);
    assert.deepEqual(
      texts.filter((text) => !there.includes(text)),
      [],
    );
    const stamps = posts.map(({ createdAt }) => createdAt);
    assert.deepEqual(stamps, [...new Set(stamps)].sort());
    return posts;
  } finally {
    await store.close();
  }
}

test('three processes that write at the same time lose nothing, see one order, and share one rate limit', async (t) => {
  const folder = folderFor(t);
  const children = ['a', 'b', 'c'].map((name) => new Child(t, folder, name));
  await Promise.all(children.map((child) => child.ready()));
  const said = await Promise.all(children.map((child) => child.run('write 40')));
  assert.equal(said.flat().filter(isText).length, 3 * 4 * 40);
  await Promise.all(children.map((child) => child.run('limit 24')));
  const posts = await holds(folder, said.flat().filter(isText));
  assert.equal(posts.filter(({ message }) => message.startsWith('limited')).length, 24);
  assert.equal(posts.length, 3 * 4 * 40 + 24);
  for (const child of children) assert.deepEqual(await child.run('show'), [JSON.stringify(posts)]);
  for (const child of children) assert.equal(await child.close(), 0);
});

test('processes killed during writes lose no acknowledged write, and the store opens', async (t) => {
  const folder = folderFor(t);
  const acknowledged: string[] = [];
  let next = [new Child(t, folder, 'a0'), new Child(t, folder, 'b0')] as const;
  for (let round = 1; round <= 4; round++) {
    const [a, b] = next;
    await Promise.all([a.ready(), b.ready()]);
    if (round < 4) next = [new Child(t, folder, `a${round}`), new Child(t, folder, `b${round}`)];
    for (const child of [a, b]) child.start('write 1000000');
    await Promise.all([a.waitForLines(isText, 20 * round), b.waitForLines(isText)]);
    await a.kill();
    const before = b.lines.length;
    await b.waitForLines(isText, before + 20);
    await b.kill();
    for (const child of [a, b]) acknowledged.push(...child.lines.filter(isText));
    await holds(folder, acknowledged);
  }
  assert.ok(acknowledged.length >= 200);
});

test('a stopped process blocks no other, and its writes after SIGCONT are stored once or not at all', async (t) => {
  const folder = folderFor(t);
  const child = new Child(t, folder, 'a');
  await child.ready();
  child.start('write 1000000');
  const store = await openHere(folder);
  const mine: string[] = [];
  for (let round = 0; round < 10; round++) {
    await child.waitForLines(isText, child.lines.length + 5);
    child.signal('SIGSTOP');
    for (let number = 0; number < 10; number++) {
      const text = `z-${mine.length}`;
      await addPost(store, text);
      mine.push(text);
    }
    assert.equal((await store.read.totals()).byPrefix['none'], (await store.read.totals()).posts);
    child.signal('SIGCONT');
  }
  await child.waitForLines(isText, child.lines.length + 20);
  await child.kill();
  await store.close();
  await holds(folder, [...mine, ...child.lines.filter(isText)]);
});
