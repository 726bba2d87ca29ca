import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { readFeed } from '#workspace/reading/feed.ts';
import { keyFor } from '../../../support/author-key.ts';
import { CALLER } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp, type TestApp } from '../../../support/http/test-app.ts';

const post = async ({ workspace, clock }: TestApp, message: string, replyTo?: string): Promise<string> => {
  clock.advance(1000);
  return (await publishPost(workspace, { message, ...(replyTo !== undefined && { replyTo }) }, CALLER)).id;
};

/** @returns the text of the page between the form and the foot, its words apart by one blank */
const read = async ({ request }: TestApp, path: string): Promise<string> => {
  const { text } = await request(`GET ${path}`);
  const main = text.slice(text.indexOf('</form>\n<p'), text.indexOf('</main>'));
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
};

const OPTIONS = { empty: true, limits: NO_LIMITS };

test('a page of the feed says how many there are, not how many it shows', async (t) => {
  const app = await setUp(t, OPTIONS);
  for (let n = 0; n < 60; n++) await post(app, n % 12 === 0 ? `IDEA: bench ${n}` : `bench ${n}`);
  assert.match(await read(app, '/feed'), /^The newest 50 of 60 messages\./);
  assert.match((await app.request('GET /feed.md')).text, /\n\nThe newest 50 of 60 messages\n\n/);
  assert.match(await read(app, '/feed?since=2026-03-02'), /^The newest 50 of 60 messages: since Monday/);
  assert.match(await read(app, '/feed?since=2025-01-01'), /^The newest 50 messages: since Wednesday/);
  assert.match(await read(app, '/feed?prefix=IDEA'), /^5 messages: IDEA\./);
  const shown = await read(app, '/feed?since=2026-03-02&prefix=none');
  assert.match(shown, /^The newest 50 of 55 messages: without/);
  assert.match(await read(app, '/feed?q=bench'), /^The newest 50 messages: “bench”\./);
  const { messages } = await readFeed(app.workspace, { limit: 50, threads: false, view: 'preview' }, {});
  const before = messages.at(-1)?.createdAt ?? '';
  assert.match(await read(app, `/feed?before=${before}`), /^Older ones: 10 of 60 messages\./);
});

test('a search that finds little also finds words that begin alike, and nothing else', async (t) => {
  const app = await setUp(t, OPTIONS);
  await post(app, 'IDEA: the opening hours of the library');
  await post(app, 'Librarians know them.');
  await post(app, 'IDEA: benches');
  const page = await read(app, '/feed?q=libraries');
  assert.match(
    page,
    /^Few messages have “libraries”; these have words that begin with “librar”\. 2 messages: “librar”\./,
  );
  assert.match(page, /opening hours of the library/);
  assert.match((await app.request('GET /feed?q=libraries')).text, /name="q" [^>]*value="libraries"/);
  assert.match((await app.request('GET /feed.md?q=libraries')).text, /│ Librarians know them\./);
  const inVain = await read(app, '/feed?q=libary');
  assert.match(inVain, /^No message here matches\. Follow this search/);
  assert.doesNotMatch(inVain, /benches|opening/);
});

test('a search is repeated only where shorter words are other words, and its own are rare', async (t) => {
  const app = await setUp(t, OPTIONS);
  for (let n = 0; n < 5; n++) await post(app, `benches ${n}`);
  await post(app, 'IDEA: the opening hours of the library');
  const { feed } = app.store.read;
  let searches = 0;
  app.store.read.feed = (...args) => {
    searches += 1;
    return feed(...args);
  };
  for (const [q, count] of [
    ['q=libraries', 2],
    ['q=hour  the', 1],
    ['q=benches', 1],
    ['q=benches&since=2026-03-03', 1],
    ['q=benches&prefix=IDEA', 2],
  ] as const) {
    searches = 0;
    await app.request(`GET /feed?${q.replaceAll(' ', '+')}`);
    assert.equal(searches, count, q);
  }
});

test('a search shows first what has its words in a title', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await post(app, 'IDEA: wells of the valley\nWho benefits: all');
  await post(app, 'IDEA: benches\nFirst step: ask those at the wells of the valley');
  await post(app, 'I know the valley and its wells', root);
  const page = await read(app, '/feed?q=valley+wells');
  assert.match(page, /In titles wells of the valley .* Today, .* benches /);
  assert.match((await app.request('GET /feed.md?q=valley+wells')).text, /its wells[^]*all[^]*First step/);
});

test('a search shows copies last, and its links to what is new keep its filters', async (t) => {
  const app = await setUp(t, OPTIONS);
  const lines = Array.from({ length: 6 }, (_, n) => `line ${n} of the wells`).join('\n');
  const original = await post(app, `IDEA: wells\n${lines}`);
  const copy = await post(app, `IDEA: wells\n${lines}`);
  for (const path of ['/feed?q=wells', '/feed.md?q=wells']) {
    const { text } = await app.request(`GET ${path}`);
    assert.ok(text.indexOf(copy) > text.indexOf(original), path);
  }
  const { text } = await app.request('GET /feed?q=wells&prefix=IDEA');
  assert.match(text, /href="\/feed\?q=wells&amp;prefix=IDEA&amp;since=2026-03-01">yesterday</);
});

test('a search offers what is confirmed of it', async (t) => {
  const app = await setUp(t, OPTIONS);
  const by = async (key: string, message: string, replyTo?: string): Promise<string> => {
    app.clock.advance(1000);
    const signed = { message, authorKey: key, ...(replyTo !== undefined && { replyTo }) };
    return (await publishPost(app.workspace, signed, CALLER)).id;
  };
  const [opener, other] = [keyFor('opener'), keyFor('other')];
  const root = await by(opener, 'IDEA: wells');
  const result = await by(other, 'RESULT: forty wells', root);
  await by(other, 'RESULT: fifty wells', root);
  await by(opener, `REVIEW:\nResult being checked: ${result}\nOutcome: confirmed\nEvidence: read`, root);
  const { text } = await app.request('GET /feed?q=wells');
  assert.match(text, /<a href="\/feed\?q=wells&amp;standing=confirmed">Confirmed only<\/a>/);
  const page = await read(app, '/feed?q=wells&standing=confirmed');
  assert.match(page, /^1 message: “wells”, confirmed only\. All messages \./);
  assert.match(page, /forty wells/);
  assert.doesNotMatch(page, /fifty/);
  assert.match(await read(app, '/feed?q=wells&standing=confirmed&prefix=IDEA'), /^No message here matches/);
});
