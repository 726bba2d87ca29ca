import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { StoreFailure } from '#store/store.ts';
import { addPost, anOrigin } from '../../../support/store/records.ts';
import { Machine, post, visibleTexts, type Process } from '../../../support/store/machine.ts';

/** Makes `b` append just before `a` does, so that the line of `a` loses the race. */
async function displaced<Result>(a: Process, b: Process, write: () => Promise<Result>): Promise<Result> {
  a.disk.interpose('append', () => post(b, 'by b'), /^log/);
  return write();
}

test('a write that lost the race is decided again, and is stored once', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const seen: number[] = [];
  const { record } = await displaced(a, b, () =>
    a.store.write(async (writer) => {
      seen.push((await writer.recentWriteAges('v', 'feed', 1000, 9)).length);
      return addPost(writer, 'by a', anOrigin('v'));
    }),
  );
  assert.deepEqual(seen, [0, 0]);
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['by b', 'by a']);
  assert.deepEqual((await b.store.read.find('post', record.id))?.record, record);
  const lines = readFileSync(machine.path('log-000001.jsonl'), 'utf8').split('\n');
  assert.equal(lines.filter((line) => line.includes('"by a"')).length, 2);
});

test('a rejected write is decided again if a write that it depended on lost the race', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const answers = await displaced(a, b, () =>
    Promise.allSettled([
      a.store.write(async (writer) => {
        const { posts } = await b.store.read.totals();
        return posts === 0 ? addPost(writer, 'only if first', anOrigin('v')) : undefined;
      }),
      a.store.write(async (writer) => {
        if ((await writer.recentWriteAges('v', 'feed', 1000, 9)).length > 0) throw new Error('refused');
        return 'accepted';
      }),
    ]),
  );
  assert.deepEqual(
    answers.map((answer) => ('value' in answer ? answer.value : 'rejected')),
    [undefined, 'accepted'],
  );
  assert.deepEqual(await visibleTexts(a), ['by b']);
});

test('an idempotent replay is decided again if the write that it repeats lost the race', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const trace = anOrigin('v', { key: 'key-00001' });
  const publish = (): Promise<string> =>
    a.store.write(async (writer) => {
      const earlier = await writer.idempotentHit('post', trace, 1000);
      return earlier?.id ?? (await addPost(writer, 'once', trace)).record.id;
    });
  const ids = await displaced(a, b, () => Promise.all([publish(), publish(), publish()]));
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual(await visibleTexts(a), ['by b', 'once']);
  assert.ok(await a.store.read.find('post', ids[0]));
});

test('rejections and replays settle after the fsync of the writes that they depend on', async (t) => {
  const a = await new Machine(t).start();
  const unsynced = a.disk.stopBefore('sync');
  const settled: string[] = [];
  const kept = post(a, 'x', anOrigin('v')).then(() => settled.push('kept'));
  const refused = a.store
    .write(async (writer) => {
      if ((await writer.recentWriteAges('v', 'feed', 1000, 9)).length > 0) throw new Error('refused');
    })
    .catch(() => settled.push('refused'));
  const replayed = a.store
    .write((writer) => writer.recentDuplicate('post', anOrigin('v'), 1000))
    .then(() => settled.push('replayed'));
  await unsynced.arrived;
  await visibleTexts(a);
  assert.deepEqual(settled, []);
  unsynced.release();
  await Promise.all([kept, refused, replayed]);
  assert.deepEqual(settled, ['kept', 'refused', 'replayed']);
});

test('a rejected write that depended on an unconfirmed write fails with StoreFailure, any other with its own error', async (t) => {
  const a = await new Machine(t).start();
  const refusal = new Error('refused');
  const refuse = (): Promise<never> => a.store.write(() => Promise.reject(refusal));
  a.disk.failNext('sync', 'EIO');
  const works = [refuse(), post(a, 'x'), refuse()];
  const [before, unknown, after] = await Promise.all(
    works.map((work) =>
      work.then(
        () => null,
        (error: unknown) => error,
      ),
    ),
  );
  assert.equal(before, refusal);
  assert.ok(unknown instanceof StoreFailure && unknown.stored === 'unknown');
  assert.ok(after instanceof StoreFailure && after.stored === 'nothing');
});

test('a batch that was appended only in part is stored completely or not at all, and each line once', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const outcomes = new Set<number>();
  for (let takes = 0; takes < 900; takes += 43) {
    const before = await visibleTexts(a);
    a.disk.shortNext(takes, /^log/);
    const texts = ['x', 'y', 'z'].map((name) => name + String(takes));
    const settled = await Promise.allSettled(texts.map((text) => post(a, text)));
    const kept = texts.filter((_, index) => settled[index]?.status === 'fulfilled');
    outcomes.add(kept.length);
    for (const reader of [a, await machine.start()])
      assert.deepEqual(await visibleTexts(reader), [...before, ...kept]);
  }
  assert.deepEqual([...outcomes], [0, 3]);
});

test('a batch of more than one megabyte is appended in several system calls', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  a.disk.calls.length = 0;
  const texts = Array.from({ length: 50 }, (_, number) => String(number) + 'x'.repeat(50_000));
  await Promise.all(texts.map((text) => post(a, text)));
  assert.equal(a.disk.calls.filter((call) => call.startsWith('append')).length, 3);
  assert.deepEqual(await visibleTexts(await machine.start()), texts);
});
