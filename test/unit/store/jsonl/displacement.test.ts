import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { StoreFailure, type Post } from '#store/port/store.ts';
import { anOrigin, aPost } from '../../../support/store/records.ts';
import { Machine, post, visibleTexts, type Process } from '../../../support/store/machine.ts';
import { recentDuplicate } from '../../../support/store/writes.ts';

const agesOf = (clientKey: string) =>
  ({ type: 'recentWriteAges', by: { clientKey, limitScope: 'feed' }, windowMs: 1000, limit: 9 }) as const;

/** Makes `b` append just before `a` does, so that the lines of `a` lose the race. */
async function displaced<Result>(a: Process, b: Process, write: () => Promise<Result>): Promise<Result> {
  a.disk.interpose('append', () => post(b, 'by b', anOrigin('b')), /^log/);
  return write();
}

/** Adds a post of the client `v`, if `isWanted` says so. */
function postIf(
  { store }: Process,
  message: string,
  isWanted: (byB: readonly number[]) => boolean,
): Promise<Post | undefined> {
  const added = aPost(message);
  return store.write({ added: { type: 'record', id: added.id }, byB: agesOf('b') }, ({ byB, timestamp }) => {
    if (!isWanted(byB)) return { answer: undefined };
    const record = { ...added, createdAt: timestamp };
    return { answer: record, operation: { action: 'add', kind: 'post', record, origin: anOrigin('v') } };
  });
}

/** Is rejected if the client `v` has written. */
const refuseAfterV = ({ store }: Process): Promise<string> =>
  store.write({ byV: agesOf('v') }, ({ byV }) => {
    if (byV.length > 0) throw new Error('refused');
    return { answer: 'accepted' };
  });

test('a write that lost the race is decided again, and is stored once', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const seen: number[] = [];
  const record = await displaced(a, b, () =>
    postIf(a, 'by a', (byB) => {
      seen.push(byB.length);
      return true;
    }),
  );
  // Twice before the race, since the first write of a process makes the key of the day.
  assert.deepEqual(seen, [0, 0, 1]);
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['by b', 'by a']);
  assert.deepEqual((await b.store.read.find('post', record!.id))?.record, record);
  const lines = readFileSync(machine.path('log-000001.jsonl'), 'utf8').split('\n');
  assert.equal(lines.filter((line) => line.includes('"by a"')).length, 2);
});

test('a rejected write is decided again if a write that it depended on lost the race', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const answers = await displaced(a, b, () =>
    Promise.allSettled([postIf(a, 'only if first', (byB) => byB.length === 0), refuseAfterV(a)]),
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
  const origin = anOrigin('v', { key: 'key-00001' });
  const publish = (): Promise<string> => {
    const added = aPost('once');
    const lookups = {
      added: { type: 'record', id: added.id },
      earlier: { type: 'idempotentHit', kind: 'post', origin, windowMs: 1000 },
    } as const;
    return a.store.write(lookups, ({ earlier, timestamp }) => {
      if (earlier !== undefined) return { answer: earlier.id };
      const record = { ...added, createdAt: timestamp };
      return { answer: record.id, operation: { action: 'add', kind: 'post', record, origin } };
    });
  };
  const ids = await displaced(a, b, () => Promise.all([publish(), publish(), publish()]));
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual(await visibleTexts(a), ['by b', 'once']);
  assert.ok(await a.store.read.find('post', ids[0]));
});

test('of a batch whose lines stand in part, the writes that saw only these settle, and the others are decided again', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const origin = anOrigin('v', { key: 'key-00001' });
  const lookup = { type: 'idempotentHit', kind: 'post', origin, windowMs: 1000 } as const;
  const runs: Record<string, number> = { before: 0, after: 0 };
  const count = (name: string) =>
    a.store.write({ lookup }, (facts) => {
      runs[name]! += 1;
      return { answer: facts.lookup?.id };
    });
  const [before, stored, after] = await displaced(a, b, () =>
    Promise.all([count('before'), post(a, 'x', origin), count('after')]),
  );
  assert.deepEqual([before, after], [undefined, stored.record.id]);
  // Each twice before the race, since the first write of a process makes the key of the day.
  assert.deepEqual(runs, { before: 2, after: 3 });
});

test('rejections and replays settle after the fsync of the writes that they depend on', async (t) => {
  const a = await new Machine(t).start();
  const unsynced = a.disk.stopBefore('sync', /^log/);
  const settled: string[] = [];
  const stored = post(a, 'x', anOrigin('v')).then(() => settled.push('stored'));
  const refused = refuseAfterV(a).catch(() => settled.push('refused'));
  const replayed = recentDuplicate(a.store, 'post', anOrigin('v'), 1000).then(() => settled.push('replayed'));
  await unsynced.arrived;
  await visibleTexts(a);
  assert.deepEqual(settled, []);
  unsynced.release();
  await Promise.all([stored, refused, replayed]);
  assert.deepEqual(settled, ['stored', 'refused', 'replayed']);
});

test('no other write of the process comes between a decision and its append', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const order: string[] = [];
  await post(a, 'first', anOrigin('v'));
  a.disk.beforeCall = (call) => {
    if (call.startsWith('append')) order.push('append');
  };
  const decided = postIf(a, 'x', () => {
    order.push('decided');
    // Runs before the append if anything is awaited between them.
    queueMicrotask(() => order.push('microtask'));
    return true;
  });
  await decided;
  assert.deepEqual(order.slice(0, 2), ['decided', 'append']);
});

test('a rejected write that depended on an unconfirmed write fails with StoreFailure, any other with its own error', async (t) => {
  const a = await new Machine(t).start();
  const refusal = new Error('refused');
  const refuse = (): Promise<unknown> =>
    a.store.write({}, () => {
      throw refusal;
    });
  a.disk.failNext('sync', 'EIO', /^log/);
  a.disk.failNext('open', 'EIO', /^\.tmp-/);
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
