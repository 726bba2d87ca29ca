import { setTimeout as sleep } from 'node:timers/promises';
import assert from 'node:assert/strict';
import { LARGE, SETTLE_MS } from '../data.ts';
import { load, loadDuring, loadInTurn, POST, type Sample } from '../load.ts';
import type { Programs, RunningServer } from '../programs.ts';
import { formatNumber, formatRate, type Bench } from '../rows.ts';

const HEADERS = ['content-type', 'etag', 'cache-control', 'access-control-allow-origin'];

const POST_EVERY_MS = 50;

/** Reads of a large feed, beside servers that only send the same bytes. */
export const reads: Bench = async ({ data, programs, rounds, seconds, row }) => {
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
};

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
  const headers = Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const server = await programs.serve(programs.peer('raw', { headers, body }));
  return { server, body, etag: response.headers.get('etag') ?? '' };
}
