import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { Machine, post, type Process } from '../../../support/store/machine.ts';
import { addPosts } from '../../../support/store/writes.ts';
import { aPost } from '../../../support/store/records.ts';

/** Counts how often a process reads texts from the log. */
function countReads({ disk }: Process): { reads: number } {
  const count = { reads: 0 };
  disk.onReadNow = () => (count.reads += 1);
  return count;
}

/** Every look at the clock of slices moves it on. */
function setClock(t: TestContext, stepMs: number): void {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += stepMs));
}

/** Needs the words of all posts, and compares no text. */
async function searchForNothing({ store }: Process): Promise<void> {
  const range = { limit: 9, maxCandidates: 999 };
  assert.deepEqual(await store.read.feed({ words: ['nowhere'] }, range), { items: [], examinedTo: null });
}

it('once words are searched, a post is not read back for its words, by this process or another', async (t) => {
  setClock(t, 0);
  const machine = new Machine(t);
  const [writer, reader] = [await machine.start(), await machine.start()];
  await post(writer, 'oak');
  for (const process of [writer, reader]) await searchForNothing(process);
  const counts = [countReads(writer), countReads(reader)];
  await post(writer, 'elm');
  await addPosts(writer.store, [aPost('fir'), aPost('oak and elm')]);
  for (const process of [writer, reader]) await searchForNothing(process);
  assert.deepEqual(counts, [{ reads: 0 }, { reads: 0 }]);
  const { items } = await reader.store.read.feed({ words: ['elm'] }, { limit: 9, maxCandidates: 999 });
  assert.deepEqual(
    items.map(({ record }) => record.message),
    ['oak and elm', 'elm'],
  );
});

it('a process whose words nobody searches keeps none', async (t) => {
  const process = await new Machine(t).start();
  await post(process, 'oak');
  const before = process.store.searchIndexBytes?.();
  await post(process, Array.from({ length: 900 }, (_, n) => `word${n}`).join(' '));
  assert.equal(process.store.searchIndexBytes?.(), before);
  await searchForNothing(process);
  assert.ok((process.store.searchIndexBytes?.() ?? 0) >= (before ?? Infinity) + 4 * 900);
});

it('posts of a batch for whose words a slice is too short are read back later', async (t) => {
  const process = await new Machine(t).start();
  await post(process, 'oak');
  await searchForNothing(process);
  const count = countReads(process);
  setClock(t, 4);
  // The slice of 10 ms is over when the third one is applied.
  await addPosts(process.store, [aPost('elm'), aPost('fir'), aPost('pine'), aPost('oak')]);
  await searchForNothing(process);
  assert.equal(count.reads, 2);
});
