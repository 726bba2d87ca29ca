import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReader } from '#store/folder/reader.ts';
import { State } from '#store/folder/state.ts';
import { aPost } from '../../../support/store/records.ts';

const PAGE = { limit: 10, maxCandidates: 100 };

for (const count of [0, 1])
  test(`a post that arrives while news of a store with ${count} posts are read is on the next page`, async () => {
    const state = new State();
    state.arrange();
    const add = (message: string, seq: number): void => {
      const record = { ...aPost(message), createdAt: `2026-11-20T00:00:00.00000${seq}Z` };
      state.apply({ action: 'add', kind: 'post', record }, { seq, at: 0, length: 0 });
    };
    if (count === 1) add('early', 1);
    let reads = 0;
    const current = (): Promise<State> => {
      reads += 1;
      // Between the look at the latest time and the walk over the posts.
      if (reads === 2) add('late', 2);
      return Promise.resolve(state);
    };
    const log = { readLines: () => [] };
    const { news } = createReader({ current, log, recent: state.recent }, { now: () => 0 });
    const first = await news({}, PAGE);
    const second = await news({}, { ...PAGE, after: first.latest ?? undefined });
    const pages = [first, second].map(({ items }) => items.map(({ record }) => record.message));
    assert.deepEqual(pages, [count === 1 ? ['early'] : [], ['late']]);
  });
