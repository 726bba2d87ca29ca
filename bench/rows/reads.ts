import assert from 'node:assert/strict';
import { interleave, load, type Sample } from '../load.ts';
import { perSecond, ratio, type Bench, type Row } from '../row.ts';

const HEADERS = ['content-type', 'etag', 'cache-control', 'access-control-allow-origin'];

/** The newest page of a large feed, beside who sends the same bytes and does nothing else. */
export const reads: Bench = {
  name: 'reads',
  run: async (lab, { rounds, seconds, large }) => {
    const ours = await lab.porchlight(lab.store(large));
    const answer = await fetch(`${ours.url}/api/feed`);
    const body = await answer.text();
    assert.equal((JSON.parse(body) as { messages: unknown[] }).messages.length, 50);
    const etag = answer.headers.get('etag')!;
    const file = lab.file({
      body,
      headers: Object.fromEntries(HEADERS.map((name) => [name, answer.headers.get(name)])),
    });
    const [raw, express] = [await lab.peer('raw', file), await lab.peer('express', file)];
    const page = JSON.parse(body) as { messages: { id: string; createdAt: string }[]; nextBefore: string };
    const paths = {
      page: `/api/feed?before=${encodeURIComponent(page.nextBefore)}`,
      thread: `/api/posts/${page.messages.at(-1)!.id}`,
      guestbook: '/api/guestbook',
      projects: '/api/projects',
      start: '/api/start',
    };
    const one =
      (served: typeof ours, path: string, headers = {}, status = 200) =>
      () =>
        load(served, { path, headers, status }, seconds);
    const result = await interleave(rounds, {
      raw: one(raw, '/'),
      'Express, prebuilt': one(express, '/prebuilt'),
      'Express, JSON': one(express, '/json'),
      feed: one(ours, '/api/feed'),
      'not modified': one(ours, '/api/feed', { 'If-None-Match': etag }, 304),
      ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, one(ours, path)])),
    });
    const writing = await whilePosting(ours.url, () =>
      interleave(rounds, { raw: one(raw, '/'), feed: one(ours, '/api/feed') }),
    );
    const limit = result['raw']!;
    const row = (path: string, sample: Sample, goal: number, text = `>= ${goal} of raw`): Row => ({
      path,
      goal: text,
      met: sample.perSecond >= goal * limit.perSecond,
      measured: `${ratio(sample.perSecond, limit.perSecond)} (${perSecond(sample.perSecond)})`,
    });
    const feed = result['feed']!;
    return [
      {
        path: `raw node:http, ${body.length >> 10} KB`,
        goal: '',
        measured: `1.00 (${perSecond(limit.perSecond)})`,
      },
      {
        path: 'Express 5, prebuilt buffer',
        goal: '',
        measured: ratio(result['Express, prebuilt']!.perSecond, limit.perSecond),
      },
      {
        path: 'Express 5, res.json',
        goal: '',
        measured: ratio(result['Express, JSON']!.perSecond, limit.perSecond),
      },
      row(`GET /api/feed, ${large.toLocaleString('en')} stored`, feed, 0.75),
      {
        path: 'the same, processor time of a request',
        goal: '<= 1.35 x raw',
        met: feed.microseconds <= 1.35 * limit.microseconds,
        measured: `${ratio(feed.microseconds, limit.microseconds)} (${feed.microseconds.toFixed(0)} us)`,
      },
      row('the same, not modified (304)', result['not modified']!, 1),
      {
        path: 'the same while one client posts 20 a second',
        goal: '>= 0.5 of raw',
        met: writing['feed']!.perSecond >= 0.5 * writing['raw']!.perSecond,
        measured: ratio(writing['feed']!.perSecond, writing['raw']!.perSecond),
      },
      ...Object.keys(paths).map((name) => row(`GET ${name}`, result[name]!, 0.18)),
    ];
  },
};

async function whilePosting<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
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
    return await work();
  } finally {
    clearInterval(timer);
    await posted;
  }
}
