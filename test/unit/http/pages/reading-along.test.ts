import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { BROWSER, CALLER, DAY_MS, readPage, trim } from '../../../support/http/pages.ts';
import { textsOf } from '../../../support/http/html.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';
import { thoroughTest } from '../../../support/thorough.ts';

const OPTIONS = { empty: true, limits: NO_LIMITS } as const;

test('lists have a heading for each day, with its name until midnight, and times say that they are UTC', async (t) => {
  const app = await setUp(t, OPTIONS);
  const { workspace, clock, request } = app;
  const { createdAt } = await publishPost(workspace, { message: 'one' }, CALLER);
  const time = `${createdAt.slice(11, 16)} UTC`;
  const page = await readPage(app, '/feed');
  assert.equal(trim(page.all('h2', { class: 'day' })[0]?.text ?? ''), 'Today, Monday 2 March 2026 (UTC)');
  assert.equal(page.all('time')[0]?.text, time);
  assert.match(page.all('time')[0]?.attributes['datetime'] ?? '', /^2026-03-02T\d\d:\d\d:\d\dZ$/);
  const timeOfRow = async (): Promise<string | undefined> => (await readPage(app, '/')).all('time')[0]?.text;
  assert.equal(await timeOfRow(), createdAt.slice(11, 16));
  const etag = (await request('GET /feed', BROWSER)).header('ETag');
  clock.advance(60_000);
  assert.equal((await request('GET /feed', BROWSER)).header('ETag'), etag);
  clock.advance(DAY_MS);
  const [heading] = (await readPage(app, '/feed')).all('h2', { class: 'day' });
  assert.equal(trim(heading?.text ?? ''), 'Yesterday, Monday 2 March 2026 (UTC)');
  assert.equal(await timeOfRow(), `Mon ${createdAt.slice(11, 16)}`);
  clock.advance(6 * DAY_MS);
  assert.equal(await timeOfRow(), '2 Mar');
});

test('the home page counts what is new since which day, and links what there is', async (t) => {
  const app = await setUp(t, OPTIONS);
  const { workspace } = app;
  for (const message of ['one', 'two']) await publishPost(workspace, { message }, CALLER);
  app.clock.advance(DAY_MS);
  await publishPost(workspace, { message: 'three' }, CALLER);
  const since = async (): Promise<(string | undefined)[][]> =>
    (await readPage(app, '/'))
      .all('a')
      .flatMap(({ text, attributes: { href } }) =>
        href?.includes('?since=') === true ? [[text, href]] : [],
      );
  assert.deepEqual(await since(), [
    ['1 today', '/feed?since=2026-03-03'],
    ['3 today and yesterday', '/feed?since=2026-03-02'],
    ['3 in the last eight days', '/feed?since=2026-02-24'],
  ]);
  assert.match(
    (await app.request('GET /index.md')).text,
    /New: 1 today, 3 today and yesterday, 3 in the last eight days \(UTC\)\./,
  );
  app.clock.advance(DAY_MS);
  assert.deepEqual((await since())[0], ['1 today and yesterday', '/feed?since=2026-03-03']);
  assert.match((await app.request('GET /')).text, /New: 0 today, <a /);
  app.clock.advance(7 * DAY_MS);
  assert.deepEqual(await since(), []);
});

test('the feed begins at a day, and a search has its own feed and marks what it found', async (t) => {
  const app = await setUp(t, OPTIONS);
  const { workspace } = app;
  await publishPost(workspace, { message: 'IDEA: old benches' }, CALLER);
  app.clock.advance(DAY_MS);
  await publishPost(workspace, { message: 'RESULT: new benches\nTwelve of them.' }, CALLER);
  const titles = async (path: string): Promise<string[]> =>
    (await readPage(app, path)).all('a', { class: 'title' }).map(({ text }) => text);
  assert.deepEqual(await titles('/feed'), ['new benches', 'old benches']);
  assert.deepEqual(await titles('/feed?since=2026-03-03'), ['new benches']);
  assert.deepEqual(await titles('/feed?since=2026-03-03&q=old'), []);
  const page = await readPage(app, '/feed?q=benches+twelve');
  assert.deepEqual(textsOf(page.all('mark')), ['benches', 'Twelve']);
  const links = page
    .all('link', { type: 'application/atom+xml' })
    .map(({ attributes }) => attributes['href']);
  assert.deepEqual(links, ['/feed.atom?q=benches+twelve', '/feed.atom']);
  assert.ok(page.all('a', { href: '/feed.atom?q=benches+twelve' }).length === 1);
});

test('the feed of a name has what is signed exactly so, says that anybody may, and is not indexed', async (t) => {
  const app = await setUp(t, OPTIONS);
  const { workspace } = app;
  for (const name of ['Tally & Co', 'tally & co'])
    await publishPost(workspace, { message: `by ${name}`, name }, CALLER);
  const page = await readPage(app, '/feed?name=Tally+%26+Co');
  const titles = textsOf(page.all('a', { class: 'title' }));
  assert.deepEqual(titles, ['by Tally & Co']);
  assert.equal(page.all('h1')[0]?.text, 'Feed of one name; anyone can use a name');
  assert.match(page.all('meta', { name: 'robots' })[0]?.attributes['content'] ?? '', /noindex/);
  assert.equal(page.all('input', { name: 'name' })[0]?.attributes['value'], 'Tally & Co');
  const [link] = page.all('link', { type: 'application/atom+xml' });
  assert.equal(link?.attributes['href'], '/feed.atom?name=Tally+%26+Co');
  for (const path of ['/feed.atom', '/feed.xml', '/feed.json']) {
    const { text } = await app.request(`GET ${path}?name=Tally+%26+Co`);
    assert.ok(
      text.includes('With the name “Tally') && text.includes('by Tally') && !text.includes('by tally'),
      path,
    );
  }
});

test('a day leads to the days before and after it that have messages', async (t) => {
  const app = await setUp(t, OPTIONS);
  for (let day = 0; day < 3; day++) {
    await publishPost(app.workspace, { message: `day ${day}` }, CALLER);
    app.clock.advance(2 * DAY_MS);
  }
  const page = await readPage(app, '/archive/2026-03-04');
  assert.deepEqual(
    page
      .all('a')
      .flatMap(({ attributes: { rel, href }, text }) =>
        /^(prev|up|next)$/.test(rel ?? '') ? [[rel, href, text]] : [],
      ),
    [
      ['prev', '/archive/2026-03-02', '← Monday 2 March 2026'],
      ['up', '/archive?year=2026', 'All days'],
      ['next', '/archive/2026-03-06', 'Friday 6 March 2026 →'],
    ],
  );
  assert.equal((await readPage(app, '/archive')).all('h2')[0]?.text, 'March 2026');
});

thoroughTest('replies to a first post are listed on no page as messages that name it', async (t) => {
  const app = await setUp(t, OPTIONS);
  const { workspace } = app;
  const { id: root } = await publishPost(workspace, { message: 'IDEA: count the benches' }, CALLER);
  for (let number = 0; number < 305; number++)
    await publishPost(workspace, { message: 'a reply', replyTo: root }, CALLER);
  const other = await publishPost(
    workspace,
    { message: `IDEA: as ${root}, but lamps`, name: 'Fern' },
    CALLER,
  );
  const page = await readPage(app, `/posts/${root}`);
  const trails = page.all('p', { class: 'trail' }).map(({ text }) => trim(text));
  assert.deepEqual(trails, [`Referred to by IDEA …${other.id.slice(-4)}, 2 Mar 2026`]);
  assert.ok(page.all('a', { href: `/posts/${other.id}` }).length > 0);
});

test('a message that many others name shows six of them, and leads to all', async (t) => {
  const app = await setUp(t, OPTIONS);
  const { id } = await publishPost(app.workspace, { message: 'IDEA: count the benches' }, CALLER);
  for (let n = 0; n < 8; n++) {
    app.clock.advance(1000);
    await publishPost(app.workspace, { message: `IDEA: lamps ${n}, like ${id}` }, CALLER);
  }
  const page = await readPage(app, `/posts/${id}`);
  assert.match(page.all('p', { class: 'trail' })[0]?.text ?? '', /, 2 Mar 2026 and 2 more$/);
  const [all] = page.all('a', { href: `/feed?q=${id}` });
  assert.equal(all?.text, 'and 2 more');
  assert.match((await app.request(`GET /feed?q=${id}`)).text, />[^<]*lamps 7[^]*lamps 0/);
});

test('a day with long texts has pages, which hold each of them once', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  let day = '';
  for (let i = 0; i < 40; i++) {
    const { createdAt } = await publishPost(workspace, { message: `no ${i}.`.padEnd(8000, ' x') }, CALLER);
    day = createdAt.slice(0, 10);
  }
  const texts = [];
  for (let path: string | undefined = `/archive/${day}.md`; path !== undefined; ) {
    const { text } = await request(`GET ${path}`);
    texts.push(text);
    path = /^Later: (\S+)$/m.exec(text)?.[1];
  }
  assert.ok(texts.length > 1);
  assert.deepEqual(
    texts.flatMap((text) => [...text.matchAll(/^│ no (\d+)\./gm)].map(([, index]) => Number(index))),
    Array.from({ length: 40 }, (_, index) => index),
  );
});
