import assert from 'node:assert/strict';
import type { RunningServer } from './bench-context.ts';
import { HttpClient } from './http-client.ts';
import { interleave, load } from './load.ts';
import { untilIdle } from './processes.ts';
import { formatKilobytes, formatRate, formatRatio, type Row, type Settings } from './row.ts';

const MIN_HOT_RATIO = 0.8;
const MAX_BYTES_APART = 0.05;

/** Measures repeated requests of one page, compared with a page of the feed of about the same size. */
export async function measureHotPage(
  server: RunningServer,
  page: string,
  { rounds, seconds }: Settings,
): Promise<Row[]> {
  const rows: Row[] = [];
  const client = new HttpClient(server.url);
  await untilIdle(server.pid);
  for (const isCompressed of [false, true]) {
    const headers = isCompressed ? { 'Accept-Encoding': 'gzip' } : {};
    const { bytes } = await client.send({ path: page, headers });
    const feed = await findFeedOfSize(client, bytes, headers);
    const result = await interleave(rounds, {
      feed: () => load(server, { path: feed, headers }, seconds),
      page: () => load(server, { path: page, headers }, seconds),
    });
    const [feedSample, pageSample] = [result['feed']!, result['page']!];
    const processor =
      `processor ${pageSample.cpuMicroseconds.toFixed(0)} us, ` +
      `feed ${feedSample.cpuMicroseconds.toFixed(0)} us`;
    const ratio = formatRatio(pageSample.perSecond, feedSample.perSecond);
    rows.push({
      path: `GET a page of a thread, ${formatKilobytes(bytes)}${isCompressed ? ' as gzip' : ''}, hot`,
      goal: `>= ${MIN_HOT_RATIO} of ${feed}`,
      met: pageSample.perSecond >= MIN_HOT_RATIO * feedSample.perSecond,
      measured: `${ratio} (${formatRate(pageSample.perSecond)}; ${processor})`,
    });
  }
  client.close();
  return rows;
}

/** Finds the path of a page of the feed with about this number of bytes. */
async function findFeedOfSize(
  client: HttpClient,
  bytes: number,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const pathsBySize: { path: string; apart: number }[] = [];
  for (let limit = 1; limit <= 100; limit++) {
    const path = `/api/feed?limit=${limit}`;
    const response = await client.send({ path, headers });
    pathsBySize.push({ path, apart: Math.abs(response.bytes - bytes) / bytes });
  }
  const closest = pathsBySize.reduce((a, b) => (b.apart < a.apart ? b : a));
  assert.ok(closest.apart <= MAX_BYTES_APART, `no page of the feed has about ${bytes} bytes`);
  return closest.path;
}
