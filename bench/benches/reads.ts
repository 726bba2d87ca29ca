import { setTimeout as sleep } from 'node:timers/promises';
import assert from 'node:assert/strict';
import { LARGE, SETTLE_MS, SMALL } from '../data.ts';
import { Connection, load, loadDuring, loadInTurn, MESSAGE, POST, postOf, type Sample } from '../load.ts';
import { longest, median, timed } from '../measure.ts';
import { headersOf, readCpuSeconds, type Programs, type RunningServer } from '../programs.ts';
import { formatNumber, formatRate, type Bench, type BenchContext } from '../rows.ts';

const POST_EVERY_MS = 50;

/** Of a long thread, and how often its page is made. */
const MESSAGES = 300;
const PAGES = 50;

/** Reads of a large feed, beside servers that only send the same bytes. */
export const reads: Bench = async (context) => {
  const { data, programs, rounds, seconds, row } = context;
  const ours = await programs.serveFolder(await data.copyFolder(LARGE));
  await sleep(SETTLE_MS);
  const feed = await servePeerOf(programs, `${ours.url}/api/feed`);
  const { messages } = JSON.parse(feed.body) as { messages: { id: string }[] };
  assert.equal(messages.length, 50);
  const threadPath = `/posts/${messages.at(-1)!.id}`;
  const home = await servePeerOf(programs, `${ours.url}/`);
  const thread = await servePeerOf(programs, ours.url + threadPath);
  const get =
    (server: RunningServer, path = '/') =>
    () =>
      load(server, { path }, seconds);
  const getNotModified = (): Promise<Sample> =>
    load(ours, { path: '/api/feed', headers: { 'If-None-Match': feed.etag }, status: 304 }, seconds);

  const quiet = await loadInTurn(rounds, {
    raw: get(feed.server),
    ours: get(ours, '/api/feed'),
    notModified: getNotModified,
    rawHome: get(home.server),
    home: get(ours, '/'),
    rawThread: get(thread.server),
    thread: get(ours, threadPath),
  });
  const rateRow = (name: Parameters<typeof row>[0], sample: Rate, raw: Rate): void =>
    row(
      name,
      sample.perSecond / raw.perSecond,
      `${formatRate(sample.perSecond)}, ${formatRate(raw.perSecond)}`,
    );
  rateRow('newest', quiet.ours, quiet.raw);
  const [cpu, rawCpu] = [quiet.ours.cpuMicroseconds, quiet.raw.cpuMicroseconds];
  row('newestProcessor', cpu / rawCpu, `${formatNumber(cpu)} us, ${formatNumber(rawCpu)} us`);
  rateRow('notModified', quiet.notModified, quiet.raw);
  const measuring = loadInTurn(rounds, { raw: get(feed.server), ours: get(ours, '/api/feed') });
  await loadDuring(ours, POST, POST_EVERY_MS, measuring);
  const writing = await measuring;
  rateRow('newestWhilePosting', writing.ours, writing.raw);
  rateRow('homePage', quiet.home, quiet.rawHome);
  rateRow('threadPage', quiet.thread, quiet.rawThread);
  await uncachedPage(context);
};

/** A post before each read empties the cache. */
async function uncachedPage({ data, programs, row }: BenchContext): Promise<void> {
  const server = await programs.serveFolder(await data.copyFolder(SMALL));
  const client = await Connection.open(server);
  const post = async (replyTo?: string): Promise<string> => {
    const response = await client.send(postOf(MESSAGE, replyTo));
    return (JSON.parse(response.slice(response.indexOf('{'))) as { id: string }).id;
  };
  const root = await post();
  for (let n = 1; n < MESSAGES; n++) await post(root);
  const makePages = async (): Promise<void> => {
    for (let n = 0; n < PAGES; n++) {
      await post();
      await client.send({ path: `/posts/${root}` });
    }
  };
  // The first pages are a warm-up.
  await makePages();
  const before = readCpuSeconds(server.pid);
  await makePages();
  row('uncachedPage', ((readCpuSeconds(server.pid) - before) / PAGES) * 1000);
  const state = { isDone: false };
  const other = await Connection.open(server);
  const making = makePages().finally(() => {
    state.isDone = true;
  });
  const times: number[] = [];
  while (!state.isDone) times.push(await timed(() => other.send({ path: '/healthz' })));
  await making;
  for (const connection of [client, other]) connection.close();
  row('uncachedPageTurn', longest(times), `median ${formatNumber(median(times))} ms`);
}

type Rate = Pick<Sample, 'perSecond'>;

/** Starts a peer that sends what a URL returns. */
async function servePeerOf(
  programs: Programs,
  url: string,
): Promise<{ server: RunningServer; body: string; etag: string }> {
  // A load accepts no encoding, so the peers get the plain form and its ETag.
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
  assert.equal(response.status, 200);
  const body = await response.text();
  const server = await programs.serve(programs.peer('raw', { headers: headersOf(response), body }));
  return { server, body, etag: response.headers.get('etag') ?? '' };
}
