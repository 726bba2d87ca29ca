import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PART_LINES } from '#store/jsonl/log/snapshot.ts';
import { Machine } from '../../../../support/store/machine.ts';
import { readSnapshotFile, writeSnapshot } from '../../../../support/store/snapshot.ts';
import { erase, hide, importEntries } from '../../../../support/store/writes.ts';

const COUNT = PART_LINES + 2000;
const START = Date.UTC(2026, 0, 1);

const toId = (n: number): string => `post_019c9a31-6400-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** The n-th oldest post: a reply to one that a part before its own may describe, unless it is a root. */
function aPost(n: number) {
  const root = n % 1000;
  return {
    kind: 'post' as const,
    record: {
      id: toId(n),
      message: n === root ? `text ${n}` : `WORK: ${n}, see ${toId(n - 1000)}`,
      prefix: n === root ? null : 'WORK',
      parentId: n === root ? null : toId(root),
      rootId: toId(root),
      answers: n === root ? [] : [toId(n - 1000)],
      createdAt: new Date(START + n).toISOString().replace('Z', '000Z'),
    },
  };
}

test('a start from a snapshot of several parts gives the same answers as one that reads every line', async (t) => {
  const machine = new Machine(t);
  const writer = await machine.start();
  for (let from = 0; from < COUNT; from += 5000)
    await importEntries(
      writer.store,
      Array.from({ length: Math.min(5000, COUNT - from) }, (_, n) => aPost(from + n)),
    );
  await hide(writer.store, toId(PART_LINES - 1));
  await erase(writer.store, toId(PART_LINES));
  await writer.store.close();
  assert.equal(await writeSnapshot(machine), true);
  assert.ok(readSnapshotFile(machine.folder).head.count > PART_LINES);
  const answers: string[] = [];
  for (const readsEveryLine of [false, true]) {
    const { store } = await machine.start(undefined, undefined, { readsEveryLine });
    const page = await store.read.page('post', { order: 'oldest', limit: COUNT });
    answers.push(JSON.stringify([page, await store.read.totals()]));
    await store.close();
  }
  assert.ok(answers[0] === answers[1]);
});
