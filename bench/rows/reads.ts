import assert from 'node:assert/strict';
import type { BenchContext, RunningServer } from '../bench-context.ts';
import { interleave, load, type Sample } from '../load.ts';
import { formatRate, formatRatio, type Bench, type Row } from '../row.ts';

const HEADERS = ['content-type', 'etag', 'cache-control', 'access-control-allow-origin'];

/** A page for people, and a peer that sends its bytes. */
interface Page {
  readonly name: string;
  readonly path: string;
  readonly raw: RunningServer;
}

/** Reads of a large feed, compared with servers that only send the same bytes. */
export const reads: Bench = {
  name: 'reads',
  run: async (context, { rounds, seconds, large }) => {
    const ours = await context.servePorchlight(context.copyStore(large));
    // The load generator accepts no encoding, so the peers get the plain form and its ETag.
    const response = await fetch(`${ours.url}/api/feed`, { headers: { 'Accept-Encoding': 'identity' } });
    const body = await response.text();
    assert.equal((JSON.parse(body) as { messages: unknown[] }).messages.length, 50);
    const etag = response.headers.get('etag')!;
    const file = context.writeJson({
      body,
      headers: Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)])),
    });
    const [raw, express] = [await context.servePeer('raw', file), await context.servePeer('express', file)];
    const { messages } = JSON.parse(body) as { messages: { id: string }[] };
    const pages: Page[] = [];
    for (const [name, path] of Object.entries({
      'the home page': '/',
      'the page of a thread': `/posts/${messages.at(-1)!.id}`,
    }))
      pages.push({ name, path, raw: await servePage(context, ours.url + path) });
    const measure =
      (server: typeof ours, path: string, headers = {}, status = 200) =>
      () =>
        load(server, { path, headers, status }, seconds);
    const result = await interleave(rounds, {
      raw: measure(raw, '/'),
      'Express, prebuilt': measure(express, '/prebuilt'),
      'Express, JSON': measure(express, '/json'),
      feed: measure(ours, '/api/feed'),
      'not modified': measure(ours, '/api/feed', { 'If-None-Match': etag }, 304),
      ...Object.fromEntries(pages.map(({ name, path }) => [name, measure(ours, path)])),
      ...Object.fromEntries(pages.map(({ name, raw: peer }) => [`raw ${name}`, measure(peer, '/')])),
    });
    const writing = await whilePosting(ours.url, () =>
      interleave(rounds, { raw: measure(raw, '/'), feed: measure(ours, '/api/feed') }),
    );
    const limit = result['raw']!;
    const row = (path: string, sample: Sample, goal: number, peer = limit): Row => ({
      path,
      goal: `>= ${goal} of raw`,
      met: sample.perSecond >= goal * peer.perSecond,
      measured: `${formatRatio(sample.perSecond, peer.perSecond)} (${formatRate(sample.perSecond)})`,
    });
    const feed = result['feed']!;
    const processor = formatRatio(feed.cpuMicroseconds, limit.cpuMicroseconds);
    return [
      {
        path: `raw node:http, ${body.length >> 10} KB`,
        goal: '',
        measured: `1.00 (${formatRate(limit.perSecond)})`,
      },
      {
        path: 'Express 5, prebuilt buffer',
        goal: '',
        measured: formatRatio(result['Express, prebuilt']!.perSecond, limit.perSecond),
      },
      {
        path: 'Express 5, res.json',
        goal: '',
        measured: formatRatio(result['Express, JSON']!.perSecond, limit.perSecond),
      },
      row(`GET /api/feed, ${large.toLocaleString('en')} stored`, feed, 1),
      {
        path: 'the same, processor time of a request',
        goal: '<= 1.3 x raw',
        met: feed.cpuMicroseconds <= 1.3 * limit.cpuMicroseconds,
        measured: `${processor} (${feed.cpuMicroseconds.toFixed(0)} us)`,
      },
      row('the same, not modified (304)', result['not modified']!, 1.2),
      {
        path: 'the same while one client posts 20 a second',
        goal: '>= 0.8 of raw',
        met: writing['feed']!.perSecond >= 0.8 * writing['raw']!.perSecond,
        measured: formatRatio(writing['feed']!.perSecond, writing['raw']!.perSecond),
      },
      ...pages.map(({ name }) => row(`GET ${name}, of its bytes`, result[name]!, 1, result[`raw ${name}`])),
    ];
  },
};

/** Starts a raw peer that sends what a URL returns. */
async function servePage(context: BenchContext, url: string): Promise<RunningServer> {
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
  assert.equal(response.status, 200);
  const headers = { 'Content-Type': response.headers.get('content-type') };
  return context.servePeer('raw', context.writeJson({ headers, body: await response.text() }));
}

async function whilePosting<Result>(url: string, operation: () => Promise<Result>): Promise<Result> {
  let posted = Promise.resolve();
  const post = async (): Promise<void> => {
    const { status } = await fetch(`${url}/api/feed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: `now ${performance.now()}` }),
    });
    assert.equal(status, 201);
  };
  const timer = setInterval(() => {
    posted = post();
  }, 50);
  try {
    return await operation();
  } finally {
    clearInterval(timer);
    await posted;
  }
}
