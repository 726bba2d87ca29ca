import assert from 'node:assert/strict';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { Post, Store } from '#store/store.ts';
import { readFeedPage, toPreview } from '#workspace/feed-page.ts';
import { importEntry } from '#workspace/import-entry.ts';
import { findWork } from '#workspace/find-work.ts';
import { startPostgres } from '../../test/support/postgres/server.ts';
import { createSeeded, copyDatabase } from '../postgres/databases.ts';
import { median } from '../rounds.ts';
import { formatCount, formatRatio, type Bench, type Row } from '../row.ts';
import { CLOCK } from '../seed.ts';

const WORKS = 10_000;
const BATCH_SIZE = 1000;
const CALLER = { clientKey: 'a bench' };
/** A call reads lists, four counts and what is under way, and reads the due line of each WORK. */
const GOAL = { JSONL: 16, PostgreSQL: 8 };

/**
 * The lists of work with many WORKs under way, compared with one page of previews of the feed, without the
 * result cache.
 */
export const work: Bench = {
  name: 'work',
  run: async (context, { rounds, sizes }) => {
    const report = (): void => undefined;
    const size = sizes[0] ?? 1000;
    const folder = await openJsonlStore({ folder: context.copyStore(size), clock: CLOCK, report });
    const rows = await measure('JSONL', folder, rounds);
    await folder.close();
    const { url: server, stop } = await startPostgres();
    try {
      const url = await copyDatabase(server, await createSeeded(server, size), 'work');
      const database = await openPostgresStore({ url, clock: CLOCK, report });
      rows.push(...(await measure('PostgreSQL', database, rounds)));
      await database.close();
      return rows;
    } finally {
      await stop();
    }
  },
};

async function measure(engine: keyof typeof GOAL, store: Store, rounds: number): Promise<Row[]> {
  await addWorks(store);
  const now = CLOCK.now();
  const readers = {
    'the newest of each list': () => findWork(store.read, {}, CALLER, now),
    'a page of 50 under way': () => findWork(store.read, { list: 'working', limit: 50 }, CALLER, now),
  };
  const rows: Row[] = [];
  for (const [name, read] of Object.entries(readers)) {
    const times = { work: [] as number[], feed: [] as number[] };
    for (let round = -300; round < rounds * 100; round++) {
      const start = performance.now();
      const { counts, working } = await read();
      const between = performance.now();
      const { items } = await readFeedPage(
        store.read,
        { limit: 50, threads: false, view: 'preview' },
        CALLER,
      );
      items.map(toPreview);
      // The feed reads the totals too.
      await store.read.totals();
      const end = performance.now();
      assert.ok(counts.working === 1000 && working.length >= 5);
      // The first rounds warm up.
      if (round < 0) continue;
      times.work.push(between - start);
      times.feed.push(end - between);
    }
    const [ofWork, ofFeed] = [median(times.work), median(times.feed)];
    rows.push({
      path: `${engine}, find_work with ${formatCount(WORKS)} under way: ${name}`,
      goal: `<= ${GOAL[engine]} x a page of the feed`,
      met: ofWork <= GOAL[engine] * ofFeed,
      measured: `${formatRatio(ofWork, ofFeed)} (${ofWork.toFixed(2)} ms)`,
    });
  }
  return rows;
}

/** Adds WORKs of the last hours, each on an idea of its own. None is due before a day has passed. */
async function addWorks(store: Store): Promise<void> {
  const idOfPost = (kind: number, n: number): string =>
    `post_019c9a32-${kind}000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const createPost = (
    given: Pick<Post, 'id' | 'message' | 'prefix' | 'parentId' | 'rootId'>,
    at: number,
  ): Post => ({
    ...given,
    answers: [],
    createdAt: new Date(at).toISOString().replace('Z', '000Z'),
  });
  for (let from = 0; from < WORKS; from += BATCH_SIZE) {
    const posts = Array.from({ length: BATCH_SIZE }, (_, index) => {
      const n = from + index;
      const at = CLOCK.now() - 2 * (WORKS - n) * 1000;
      const idea = idOfPost(1, n);
      return [
        createPost({ id: idea, message: `IDEA: ${n}`, prefix: 'IDEA', parentId: null, rootId: idea }, at),
        createPost(
          { id: idOfPost(2, n), message: `WORK: ${n}`, prefix: 'WORK', parentId: idea, rootId: idea },
          at + 1000,
        ),
      ];
    });
    await Promise.all(posts.flat().map((record) => importEntry(store, { kind: 'post', record })));
  }
}
