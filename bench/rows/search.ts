import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { FeedIndex } from '#store/memory/feed/feed-index.ts';
import { toTimeKey } from '#store/memory/columns/time-key.ts';
import type { FeedFilter, Post, Store } from '#store/port/store.ts';
import { startPostgres } from '../../test/support/postgres/server.ts';
import { createSeeded, databaseUrl } from '../postgres/databases.ts';
import type { BenchContext } from '../bench-context.ts';
import { resultPost, writeResult } from '../result-post.ts';
import { measureInTurn, median } from '../rounds.ts';
import { formatRatio, type Bench, type Row } from '../row.ts';
import { CLOCK, fillWith, postId } from '../seed.ts';

const RANGE = { limit: 51, maxCandidates: 20_000 };
const MEASURED = 50;
const GOAL_MS = { jsonl: 5, postgres: 60 };
const POSTGRES_SIZE = 100_000;
const GOAL_BYTES = 70;

/** The longest messages that cost a search most. NFKC converts U+FDFA to eighteen characters. */
const LONG_TEXTS = {
  Han: `${'東京都水木金土日月火'.repeat(789)} oak`,
  'U+FDFA': `${'\u{FDFA}'.repeat(7890)} oak`,
};
const LONG_TEXT_COUNT = 200;
const LONG_PAGE = { limit: 101, maxCandidates: 20_000 };
const GOAL_BLOCK_MS = 50;

/** Messages of 7,900 different Han characters: about 15,800 words each, 13,400,000 in all. */
const GROWTH_COUNT = 850;
const HAN = 0x4e00;
const HAN_COUNT = 20_000;
const HAN_STEP = 7919;

const POSTING = { stored: 1000, writers: 50, each: 20, repetitions: 10 };

/** Queries that match different numbers of posts. Every seeded post has its number and the same sentence. */
const listQueries = (count: number): Record<string, FeedFilter> => ({
  'a common word': { words: ['libraries'] },
  'two common words': { words: ['libraries', 'hours'] },
  'a rare word': { words: [String(count >> 1)] },
  'the id of an old thread': { words: [postId(0)] },
  'a common and a rare word': { words: ['libraries', '7'] },
  'a word that occurs nowhere': { words: ['nowhere'] },
  'first posts': { threads: true },
  'a prefix that occurs nowhere': { prefix: 'CHANGE' },
});

/** Searches below the result cache, which would answer all but the first. */
export const search: Bench = {
  name: 'search',
  run: async (context, { sizes, rounds }) => {
    const rows: Row[] = [];
    for (const size of sizes) {
      const options = { folder: context.copyStore(size), clock: CLOCK, report: () => undefined };
      const store = await openFolderStore(options);
      rows.push(await measureBytes(store, size), ...(await measure(store, size, 'folder', GOAL_MS.jsonl)));
      await store.close();
    }
    for (const [name, text] of Object.entries(LONG_TEXTS)) rows.push(await measureBlock(context, name, text));
    rows.push(await measureGrowth(context), await measurePosting(context, rounds));
    const { url, stop } = await startPostgres();
    try {
      const name = await createSeeded(url, POSTGRES_SIZE);
      const store = await openPostgresStore({ url: databaseUrl(url, name), report: () => undefined });
      rows.push(...(await measure(store, POSTGRES_SIZE, 'PostgreSQL', GOAL_MS.postgres)));
      await store.close();
    } finally {
      await stop();
    }
    return rows;
  },
};

async function measure(store: Store, size: number, engine: string, goalMs: number): Promise<Row[]> {
  const rows = [await measureBuilding(store, size, engine)];
  const found: { readonly name: string; readonly milliseconds: number }[] = [];
  for (const [name, filter] of Object.entries(listQueries(size))) {
    const times: number[] = [];
    for (let time = 0; time < MEASURED; time++) {
      const start = performance.now();
      await store.read.feed(filter, RANGE);
      times.push(performance.now() - start);
    }
    found.push({ name, milliseconds: median(times) });
  }
  const slowest = found.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  const prefix = `${engine}, ${size.toLocaleString('en')} stored:`;
  return [
    ...rows,
    {
      path: `${prefix} the slowest of ${found.length} searches: ${slowest.name}`,
      goal: `<= ${goalMs} ms`,
      met: slowest.milliseconds <= goalMs,
      measured: `${slowest.milliseconds.toFixed(2)} ms`,
    },
    ...found.map(({ name, milliseconds }) => ({
      path: `${prefix} ${name}`,
      goal: '',
      measured: `${milliseconds.toFixed(2)} ms`,
    })),
  ];
}

/** Searches until nothing is left to build. */
async function measureBuilding(store: Store, size: number, engine: string): Promise<Row> {
  const start = performance.now();
  await searchAll(store, 'nowhere');
  const microseconds = ((performance.now() - start) * 1000) / size;
  return {
    path: `${engine}, ${size.toLocaleString('en')} stored: the first search of everything, for each post`,
    goal: '',
    measured: `${microseconds.toFixed(1)} us`,
  };
}

async function searchAll(store: Store, word: string): Promise<void> {
  let before: string | undefined;
  do {
    const { examinedTo } = await store.read.feed({ words: [word] }, { ...RANGE, before });
    before = examinedTo ?? undefined;
  } while (before !== undefined);
}

/** The memory of an index over the records of a store. */
async function measureBytes(store: Store, size: number): Promise<Row> {
  const posts: Post[] = [];
  for await (const entry of store.read.history())
    if ('record' in entry && 'message' in entry.record) posts.push(entry.record);
  const times = Float64Array.from(posts, ({ createdAt }) => toTimeKey(createdAt));
  const index = new FeedIndex({
    idOf: (post) => posts[post]?.id ?? '',
    timeOf: (post) => times[post] ?? 0,
    isVisible: () => true,
    prefixOf: (post) => posts[post]?.prefix ?? null,
    isFirst: (post) => posts[post]?.parentId === null,
    textsOf: (post) => posts[post],
  });
  for (const post of posts.keys()) index.add(post);
  while (index.advance(() => false));
  const bytes = index.bytes / size;
  return {
    path: `folder, ${size.toLocaleString('en')} stored: memory of the index, for each post`,
    goal: `<= ${GOAL_BYTES} bytes`,
    met: bytes <= GOAL_BYTES,
    measured: `${bytes.toFixed(0)} bytes`,
  };
}

/** The longest time for which one search blocks the event loop. */
async function measureBlock(context: BenchContext, name: string, text: string): Promise<Row> {
  const store = await openEmpty(context);
  await fillWith(store, LONG_TEXT_COUNT, text);
  await searchAll(store, 'oak');
  const { longest, total } = await longestBlock(() => store.read.feed({ words: ['oak'] }, LONG_PAGE));
  await store.close();
  return {
    path:
      `folder, ${LONG_TEXT_COUNT} messages of 7,900 characters, ${name}: ` +
      'longest block of the event loop by a search',
    goal: `<= ${GOAL_BLOCK_MS} ms`,
    met: longest <= GOAL_BLOCK_MS,
    measured: `${longest.toFixed(1)} ms (${total.toFixed(0)} ms in all)`,
  };
}

/** The longest time for which sequential posts block the event loop while the index grows. */
async function measureGrowth(context: BenchContext): Promise<Row> {
  const store = await openEmpty(context);
  store.prepareSearch();
  await addPost(store, `post_${randomUUID()}`, hanText(0));
  await searchAll(store, 'nowhere');
  const { longest } = await longestBlock(async () => {
    for (let n = 1; n < GROWTH_COUNT; n++) {
      await addPost(store, `post_${randomUUID()}`, hanText(n));
      await searchAll(store, 'nowhere');
    }
  });
  const megabytes = (store.searchIndexBytes?.() ?? 0) / 1e6;
  await store.close();
  return {
    path: `folder, ${GROWTH_COUNT} posts of 7,900 different Han characters: longest block of the event loop`,
    goal: `<= ${GOAL_BLOCK_MS} ms`,
    met: longest <= GOAL_BLOCK_MS,
    measured: `${longest.toFixed(1)} ms (index of ${megabytes.toFixed(0)} MB)`,
  };
}

/** Creates a text whose pairs of characters occur in no text of another number. */
function hanText(n: number): string {
  const codes = Array.from({ length: 7900 }, (_, index) => (index * (HAN_STEP + 2 * n) + n) % HAN_COUNT);
  return String.fromCharCode(...codes.map((code) => HAN + code));
}

function addPost(store: Store, id: string, message: string): Promise<unknown> {
  return store.write({ added: { type: 'record', id } }, ({ timestamp }) => {
    const record = { ...resultPost(id, timestamp), message };
    return { answer: undefined, operation: { action: 'add', kind: 'post', record } };
  });
}

function openEmpty(context: BenchContext): Promise<Store> {
  return openFolderStore({ folder: context.path('store'), clock: CLOCK, report: () => undefined });
}

/** Measures the longest block of the event loop and the total time, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<{ longest: number; total: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(20);
  const start = performance.now();
  await work();
  const total = performance.now() - start;
  await sleep(20);
  delay.disable();
  return { longest: delay.max / 1e6, total };
}

/** Posts to a folder whose index is updated in the background, and to one without an index. */
async function measurePosting(context: BenchContext, rounds: number): Promise<Row> {
  const open = (): Promise<Store> =>
    openFolderStore({
      folder: context.copyStore(POSTING.stored),
      clock: { now: () => Date.now() },
      report: () => undefined,
    });
  const [without, indexed] = [await open(), await open()];
  indexed.prepareSearch();
  const times = await measureInTurn(rounds * POSTING.repetitions, {
    without: () => measurePostMicroseconds(without),
    indexed: () => measurePostMicroseconds(indexed),
  });
  await without.close();
  await indexed.close();
  const [a, b] = [median(times.indexed), median(times.without)];
  return {
    path: `folder, a post by ${POSTING.writers} writers, with the search index over without`,
    goal: '',
    measured: `${formatRatio(a, b)} (${a.toFixed(0)} us, without ${b.toFixed(0)} us)`,
  };
}

async function measurePostMicroseconds(store: Store): Promise<number> {
  const { writers, each } = POSTING;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let n = 0; n < each; n++) await writeResult(store, `post_${randomUUID()}`);
    }),
  );
  return ((performance.now() - start) * 1000) / (writers * each);
}
