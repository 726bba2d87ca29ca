import assert from 'node:assert/strict';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { Store } from '#store/port/store.ts';
import { newest, readPage } from '#workspace/page.ts';
import { readThread } from '#workspace/thread.ts';
import { startPostgres } from '../../test/support/postgres/server.ts';
import { copyDatabase, createSeeded } from '../postgres/databases.ts';
import { median } from '../rounds.ts';
import { formatCount, formatRatio, type Bench, type Row } from '../row.ts';
import { CLOCK, fillThread, postId } from '../seed.ts';

const REPLIES = 1000;
const LIMIT = 100;
const GOAL = 1.5;

/** A whole thread of a large store, compared with as many messages of its feed. */
export const threads: Bench = {
  name: 'threads',
  run: async (context, { rounds, large }) => {
    const report = (): void => undefined;
    const folder = await openFolderStore({ folder: context.copyStore(large), clock: CLOCK, report });
    const rows = [await measure('JSONL', folder, large, rounds)];
    await folder.close();
    const { url: server, stop } = await startPostgres();
    try {
      const url = await copyDatabase(server, await createSeeded(server, large), 'threads');
      const database = await openPostgresStore({ url, clock: CLOCK, report });
      rows.push(await measure('PostgreSQL', database, large, rounds));
      await database.close();
      return rows;
    } finally {
      await stop();
    }
  },
};

async function measure(engine: string, store: Store, large: number, rounds: number): Promise<Row> {
  await fillThread(store, large, REPLIES);
  const times = { thread: [] as number[], feed: [] as number[] };
  for (let round = -1; round < rounds * 5; round++) {
    const thread = await timed(() => readWholeThread(store));
    const feed = await timed(() => readNewest(store));
    // The first round warms up.
    if (round < 0) continue;
    times.thread.push(thread);
    times.feed.push(feed);
  }
  const [thread, feed] = [median(times.thread), median(times.feed)];
  return {
    path: `${engine}, a whole thread of ${formatCount(REPLIES)}, ${formatCount(large)} stored`,
    goal: `<= ${GOAL} x the feed`,
    met: thread <= GOAL * feed,
    measured: `${formatRatio(thread, feed)} (${thread.toFixed(1)} ms)`,
  };
}

async function timed(read: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const count = await read();
  const elapsed = performance.now() - start;
  assert.ok(count >= REPLIES);
  return elapsed;
}

async function readWholeThread({ read }: Store): Promise<number> {
  let count = 0;
  for (let after: string | null | undefined; after !== null; ) {
    const query = { postId: postId(0), whole: true, limit: LIMIT, after };
    const { replies, nextAfter } = await readThread(read, query, {});
    count += replies.length;
    after = nextAfter;
  }
  return count;
}

async function readNewest({ read }: Store): Promise<number> {
  let count = 0;
  for (let before: string | undefined; count < REPLIES; ) {
    const { items, next } = await readPage(read, 'post', newest({ limit: LIMIT, before }), {});
    // The feed reads the totals too.
    await read.totals();
    count += items.length;
    before = next ?? undefined;
  }
  return count;
}
