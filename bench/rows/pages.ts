import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { porchlightWithClock, type BenchContext, type RunningServer } from '../bench-context.ts';
import { addPorch, createConversation, createText, type Conversation } from '../conversation.ts';
import { HttpClient } from '../http-client.ts';
import { measureHotPage } from '../hot-page.ts';
import { readCpuMilliseconds, untilIdle } from '../processes.ts';
import { median } from '../rounds.ts';
import { formatCount, formatKilobytes, type Bench, type Row, type Settings } from '../row.ts';
import { seed, writeSnapshot } from '../seed.ts';

const MAX_MS = 50;
const MAX_BYTES = 300 * 1024;

/** Each round is short, and the time of one read varies. */
const READS_PER_ROUND = 3;

/** Longer than the longest cache time. */
const STEP_MINUTES = 11;

/** The pages and feeds that have a goal. */
const listPaths = (conversation: Conversation): Record<string, string> => ({
  'the home page': '/',
  'a thread of 10 messages': `/posts/${conversation.threadId}`,
  'a thread of 301 messages': `/posts/${conversation.longThreadId}`,
  'the feed': '/feed',
  'the feed, RESULT': '/feed?prefix=RESULT',
  'the feed, a common word': `/feed?q=${conversation.commonWord}`,
  'the feed, a rare word': `/feed?q=${conversation.rareWord}`,
  'the work': '/work',
  'the archive': '/archive',
  'a day of the archive': `/archive/${conversation.day}`,
  'the projects': '/projects',
  'a project with 150 notes': `/projects/${conversation.projectId}`,
  'the guest book': '/guestbook',
  'the moderation log': '/moderation',
  about: '/about',
  'the feed as RSS': '/feed.xml',
  'the feed as Atom': '/feed.atom',
  'the feed as JSON': '/feed.json',
  'a thread of 301 messages as Atom': `/posts/${conversation.longThreadId}/feed.atom`,
});

/** Without a goal, because it has 10,000 addresses. */
const SITEMAP = '/sitemap.xml';

interface PageSample {
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
  readonly bytes: number;
}

/** Pages for people, and feeds: uncached ones, and a hot one compared with the hot feed. */
export const pages: Bench = {
  name: 'pages',
  run: async (context, settings) => {
    const folder = context.path('store');
    const conversation = createConversation(settings.large, Date.now());
    seed(folder, settings.large, conversation.postAt);
    await writeSnapshot(folder);
    const store = await openFolderStore({
      folder,
      clock: { now: () => Date.now() },
      report: () => undefined,
    });
    await addPorch(store, conversation, settings.large);
    await store.close();
    const server = await context.servePorchlight(folder);
    const hot = await measureHotPage(server, `/posts/${conversation.threadId}`, settings);
    await context.stopAll();
    return [...(await measureUncached(context, folder, conversation, settings)), ...hot];
  },
};

async function measureUncached(
  context: BenchContext,
  folder: string,
  conversation: Conversation,
  { rounds, large }: Settings,
): Promise<Row[]> {
  const clock = context.writeJson(0);
  const server = await context.serve(porchlightWithClock(folder, clock));
  const client = new HttpClient(server.url);
  const paths = listPaths(conversation);
  const samples = new Map<string, PageSample[]>([...Object.values(paths), SITEMAP].map((path) => [path, []]));
  let reads = 0;
  const expireCaches = async (): Promise<void> => {
    writeFileSync(clock, String(STEP_MINUTES * ++reads));
    await post(client, large + reads);
  };
  await untilIdle(server.pid);
  // The first round warms up.
  for (let round = -1; round < rounds * READS_PER_ROUND; round++)
    for (const [path, list] of samples) {
      await expireCaches();
      const sample = await readOnce(client, server, path);
      if (round >= 0) list.push(sample);
    }
  client.close();
  const found = Object.entries({ ...paths, 'the sitemap': SITEMAP }).map(([name, path]) => ({
    name,
    path,
    ...toMedians(samples.get(path)!),
  }));
  const judged = found.filter(({ path }) => path !== SITEMAP);
  const slowest = judged.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  const largest = judged.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  return [
    {
      path: `the slowest page, uncached, ${formatCount(large)} stored: ${slowest.name}`,
      goal: `<= ${MAX_MS} ms`,
      met: slowest.milliseconds <= MAX_MS,
      measured: `${slowest.milliseconds.toFixed(1)} ms`,
    },
    {
      path: `the largest page: ${largest.name}`,
      goal: `<= ${MAX_BYTES >> 10} KB`,
      met: largest.bytes <= MAX_BYTES,
      measured: formatKilobytes(largest.bytes),
    },
    ...found.map(({ name, milliseconds, cpuMilliseconds, bytes }) => ({
      path: `${name}, uncached`,
      goal: '',
      measured:
        `${milliseconds.toFixed(1)} ms (processor ${cpuMilliseconds.toFixed(1)} ms), ` +
        formatKilobytes(bytes),
    })),
  ];
}

async function post(client: HttpClient, n: number): Promise<void> {
  const { status } = await client.send({
    path: '/api/feed',
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message: createText(n, n) }),
  });
  assert.equal(status, 201);
}

async function readOnce(client: HttpClient, { pid }: RunningServer, path: string): Promise<PageSample> {
  const cpu = readCpuMilliseconds(pid);
  const start = performance.now();
  const { status, bytes } = await client.send({ path });
  const milliseconds = performance.now() - start;
  assert.equal(status, 200, path);
  return { milliseconds, cpuMilliseconds: readCpuMilliseconds(pid) - cpu, bytes };
}

function toMedians(samples: readonly PageSample[]): PageSample {
  return {
    milliseconds: median(samples.map((sample) => sample.milliseconds)),
    cpuMilliseconds: median(samples.map((sample) => sample.cpuMilliseconds)),
    bytes: Math.max(...samples.map((sample) => sample.bytes)),
  };
}
