import assert from 'node:assert/strict';
import { parseStepFacts } from '#message/step.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { Store } from '#store/port/store.ts';
import { Board } from '#work/board.ts';
import { MAX_STEPS_OF_THREAD } from '#work/linked-thread.ts';
import { findWork } from '#workspace/reading/find-work.ts';
import { NewsQuery } from '#workspace/schemas/news.ts';
import { readThreadNews } from '#workspace/reading/updates.ts';
import { BoardReader } from '#workspace/reading/board-reader.ts';
import { CLOCK, fill, LARGE, postTime, report, SMALL, works } from '../data.ts';
import { median, timed } from '../measure.ts';
import type { Bench } from '../rows.ts';

const WORKS = 10_000;

/** Calls of each, after as many that warm up. */
const CALLS = 50;

/** Lists that are derived from many messages, below the result cache, in both engines. */
export const work: Bench = async ({ data, row }) => {
  const openFolder = async (count: number): Promise<Store> =>
    openFolderStore({ folder: await data.copyFolder(count), clock: CLOCK, report });
  const openDatabase = async (count: number): Promise<Store> =>
    openPostgresStore({ url: await data.copyDatabase(count), clock: CLOCK, report });
  row('longThread', longThreadTime());
  row('findWork', await closing(await openFolder(SMALL), findWorkTime));
  row('findWorkDatabase', await closing(await openDatabase(SMALL), findWorkTime));
  row('threads', await closing(await openFolder(LARGE), threadsTime));
  row('threadsDatabase', await closing(await openDatabase(LARGE), threadsTime));
};

/** A thread of WORKs of seven agents, on a board alone. */
function longThreadTime(): number {
  const board = new Board();
  const idOf = (n: number): string =>
    `post_019c9a33-${n.toString(16).padStart(4, '0')}-7000-9000-000000000000`;
  const add = (n: number): void => {
    const prefix = n === 0 ? 'IDEA' : 'WORK';
    const place = { id: idOf(n), parentId: n === 0 ? null : idOf(0), createdAt: postTime(n) };
    const signed = { name: `Agent ${n % 7}`, mark: `0123456789a${n % 7}` };
    const post = { ...place, ...signed, prefix, message: `${prefix}: ${n}` };
    const facts = parseStepFacts(post);
    assert.ok(facts !== null);
    board.add({ ...place, prefix, rootId: idOf(0), ...facts });
    assert.ok(board.update(CLOCK.now(), () => false));
  };
  for (let n = 0; n < MAX_STEPS_OF_THREAD; n++) add(n);
  const times = Array.from({ length: 2 * CALLS }, (_, n) => {
    const start = performance.now();
    add(MAX_STEPS_OF_THREAD + n);
    return performance.now() - start;
  });
  return median(times.slice(CALLS));
}

async function closing(store: Store, measure: (store: Store) => Promise<number>): Promise<number> {
  const value = await measure(store);
  await store.close();
  return value;
}

async function findWorkTime(store: Store): Promise<number> {
  await fill(store, works(WORKS));
  const service = { name: 'porchlight', baseUrl: null, contact: null, version: '' };
  const context = { store, boards: new BoardReader(store), service, now: CLOCK.now };
  return medianCall(async (n) => {
    await addIdea(store, n);
    return async () => {
      const { counts, working } = await findWork(context, {}, {}, () => undefined);
      assert.ok(counts.working === 1000 && working.length === 5);
    };
  });
}

/** After the first message: the others are new. */
async function threadsTime(store: Store): Promise<number> {
  const query = NewsQuery.parse({ after: postTime(0), view: 'threads', waitSeconds: 0 });
  return medianCall(async () => async () => {
    assert.ok((await readThreadNews(store.read, new Board(), query)).more);
  });
}

/** @param prepare what comes before the n-th call; returns the call */
async function medianCall(prepare: (n: number) => Promise<() => Promise<void>>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 2 * CALLS; n++) times.push(await timed(await prepare(n)));
  return median(times.slice(CALLS));
}

async function addIdea(store: Store, n: number): Promise<void> {
  const id = `post_019c9a32-${n.toString(16).padStart(4, '0')}-7000-9000-000000000000`;
  await store.write({ added: { type: 'record', id } }, ({ timestamp: createdAt }) => ({
    result: undefined,
    operation: {
      action: 'add',
      kind: 'post',
      record: { id, message: 'IDEA: x', prefix: 'IDEA', parentId: null, rootId: id, createdAt },
    },
  }));
}
