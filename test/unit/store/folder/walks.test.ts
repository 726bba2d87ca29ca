import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStored, type DecodedLine } from '#store/folder/line.ts';
import { createReader } from '#store/folder/reader.ts';
import { State } from '#store/folder/state.ts';
import type { AddOperation } from '#store/engine/operation.ts';
import { aPost } from '../../../support/store/records.ts';
import { countTurns } from '../../../support/turns.ts';

const PAGE = { limit: 10, maxCandidates: 100 };

const timeOf = (n: number): string => `2026-11-20T00:00:00.${String(n).padStart(6, '0')}Z`;

const added = (message: string, n: number): AddOperation => ({
  action: 'add',
  kind: 'post',
  record: { ...aPost(message), createdAt: timeOf(n) },
});

for (const count of [0, 1])
  test(`a post that arrives while news of a store with ${count} posts are read is on the next page`, async () => {
    const state = new State();
    state.arrange();
    const add = (message: string, seq: number): void => {
      state.apply(added(message, seq), { seq, offset: 0, length: 0 });
    };
    if (count === 1) add('early', 1);
    let reads = 0;
    const currentState = (): Promise<State> => {
      reads += 1;
      // Between the look at the latest time and the walk over the posts.
      if (reads === 2) add('late', 2);
      return Promise.resolve(state);
    };
    const log = { readLines: () => [] };
    const { news } = createReader({ currentState, log, recent: state.recent }, { now: () => 0 });
    const first = await news({}, PAGE);
    const second = await news({}, { ...PAGE, after: first.latest ?? undefined });
    const pages = [first, second].map(({ items }) => items.map(({ record }) => record.message));
    assert.deepEqual(pages, [count === 1 ? ['early'] : [], ['late']]);
  });

test('a search that reads texts from the log pauses after 64 of them at the latest', async (t) => {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const state = new State();
  const lines: DecodedLine[] = [];
  for (let seq = 1; seq <= 300; seq++) {
    const operation = added('short', seq);
    lines[seq] = { seq, offset: seq, do: toStored(operation, undefined) } as DecodedLine;
    state.apply(operation, { seq, offset: seq, length: 0 });
  }
  state.arrange();
  const turns = countTurns(t);
  const textsOfTurns: number[] = [];
  const log = {
    readLines: (places: readonly { readonly offset: number }[]) => {
      now += 1;
      textsOfTurns[turns()] = (textsOfTurns[turns()] ?? 0) + places.length;
      return places.map(({ offset }) => lines[offset]);
    },
  };
  const source = { currentState: () => Promise.resolve(state), log, recent: state.recent };
  const found = await createReader(source, { now: () => 0 }).feed(
    { words: ['absent'] },
    { ...PAGE, maxCandidates: 300 },
  );
  assert.deepEqual(found, { items: [], examinedTo: timeOf(1) });
  assert.deepEqual(Object.values(textsOfTurns), [64, 64, 64, 64, 44]);
});

test('a thread whose last message is hidden while the threads are read is listed at the one before', async (t) => {
  let now = performance.now();
  // Each look at the time comes after the end of any slice.
  t.mock.method(performance, 'now', () => (now += 1000));
  const state = new State();
  state.arrange();
  const add = (seq: number, message: string, parentId?: string): string => {
    const record = { ...aPost(message, parentId === undefined ? {} : { parentId }), createdAt: timeOf(seq) };
    state.apply({ action: 'add', kind: 'post', record }, { seq, offset: 0, length: 0 });
    return record.id;
  };
  const first = add(1, 'first');
  for (let seq = 2; seq <= 200; seq++) add(seq, 'another');
  const last = add(201, 'last', first);
  let reads = 0;
  const currentState = (): Promise<State> => {
    reads += 1;
    // After a pause.
    if (reads === 3)
      state.apply(
        { action: 'hide', id: last, at: timeOf(202), reason: '' },
        { seq: 202, offset: 0, length: 0 },
      );
    return Promise.resolve(state);
  };
  const log = { readLines: () => [] };
  const { threads } = createReader({ currentState, log, recent: state.recent }, { now: () => 0 });
  const { items } = await threads({ order: 'oldest', after: '', limit: 500 });
  assert.deepEqual([items.length, items[0]?.lastId], [200, first]);
});

test('threads are read to their end while messages are hidden in each pause', async (t) => {
  let now = performance.now();
  t.mock.method(performance, 'now', () => (now += 1000));
  const state = new State();
  state.arrange();
  const ids: string[] = [];
  for (let seq = 1; seq <= 200; seq++) {
    const operation = added('a thread', seq);
    ids.push(operation.record.id);
    state.apply(operation, { seq, offset: 0, length: 0 });
  }
  let seq = 200;
  const currentState = (): Promise<State> => {
    seq += 1;
    const id = ids.pop();
    assert.ok(id !== undefined, 'the read does not end');
    state.apply({ action: 'hide', id, at: timeOf(seq), reason: '' }, { seq, offset: 0, length: 0 });
    return Promise.resolve(state);
  };
  const log = { readLines: () => [] };
  const { threads } = createReader({ currentState, log, recent: state.recent }, { now: () => 0 });
  const { items } = await threads({ order: 'oldest', after: '', limit: 500 });
  assert.equal(items.length, ids.length);
});
