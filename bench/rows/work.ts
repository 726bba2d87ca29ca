import assert from 'node:assert/strict';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { Post, Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/import-entry.ts';
import { findWork } from '#workspace/find-work.ts';
import { WorkReader } from '#workspace/work/work-reader.ts';
import { startPostgres } from '../../test/support/postgres/server.ts';
import { createSeeded, copyDatabase } from '../postgres/databases.ts';
import { median } from '../rounds.ts';
import { formatCount, type Bench, type Row } from '../row.ts';
import { CLOCK } from '../seed.ts';

const STORED = 1000;
const WORKS = 10_000;
const BATCH_SIZE = 1000;
const STEPS = 2 * WORKS;
const GOAL_MS = { folder: 5, PostgreSQL: 60 };

/** The lists of work with as many steps as they are made from, below the result cache. */
export const work: Bench = {
  name: 'work',
  run: async (context, { rounds }) => {
    const report = (): void => undefined;
    const folder = await openFolderStore({ folder: context.copyStore(STORED), clock: CLOCK, report });
    const rows = await measure('folder', folder, rounds);
    await folder.close();
    const { url: server, stop } = await startPostgres();
    try {
      const url = await copyDatabase(server, await createSeeded(server, STORED), 'work');
      const database = await openPostgresStore({ url, clock: CLOCK, report });
      rows.push(...(await measure('PostgreSQL', database, rounds)));
      await database.close();
      return rows;
    } finally {
      await stop();
    }
  },
};

async function measure(engine: keyof typeof GOAL_MS, store: Store, rounds: number): Promise<Row[]> {
  await addWorks(store);
  const now = (): number => CLOCK.now();
  const context = { store, work: new WorkReader(store), now };
  const rows: Row[] = [];
  for (const isAfterStep of [false, true]) {
    const times: number[] = [];
    for (let round = -20; round < rounds * 20; round++) {
      if (isAfterStep) await addStep(store, round);
      const start = performance.now();
      const { counts, working } = await findWork(context, {}, {});
      const end = performance.now();
      assert.ok(counts.working === 1000 && working.length === 5);
      // The first rounds warm up.
      if (round >= 0) times.push(end - start);
    }
    const time = median(times);
    rows.push({
      path: `${engine}, find_work of ${formatCount(STEPS)} steps${isAfterStep ? ', one more before each call' : ''}`,
      goal: `<= ${GOAL_MS[engine]} ms`,
      met: time <= GOAL_MS[engine],
      measured: `${time.toFixed(2)} ms`,
    });
  }
  return rows;
}

async function addStep(store: Store, n: number): Promise<void> {
  const id = `post_019c9a32-${(n + 20).toString(16).padStart(4, '0')}-7000-9000-000000000000`;
  await store.write({ added: { type: 'record', id } }, ({ timestamp }) => {
    const post = {
      id,
      message: 'IDEA: x',
      prefix: 'IDEA',
      parentId: null,
      rootId: id,
      answers: [],
      createdAt: timestamp,
    };
    return { answer: undefined, operation: { action: 'add', kind: 'post', record: post } };
  });
}

/** Adds WORKs of the last hours, each on an idea of its own. None is due before a day has passed. */
async function addWorks(store: Store): Promise<void> {
  const idOfPost = (kind: number, n: number): string =>
    `post_019c9a32-${kind}000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const postOf = (
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
        postOf({ id: idea, message: `IDEA: ${n}`, prefix: 'IDEA', parentId: null, rootId: idea }, at),
        postOf(
          { id: idOfPost(2, n), message: `WORK: ${n}`, prefix: 'WORK', parentId: idea, rootId: idea },
          at + 1000,
        ),
      ];
    });
    await Promise.all(posts.flat().map((record) => importEntry(store, { kind: 'post', record })));
  }
}
