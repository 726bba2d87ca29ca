import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { linkRecords } from '#http/html/record-labels.ts';
import { renderMessage } from '#http/html/render-message.ts';
import { toTitle } from '#workspace/text/title.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { atomOf, READ_ITEMS, shown } from '../../../support/http/feeds.ts';
import { HOSTILE } from '../../../support/http/hostile.ts';
import { CALLER, DAY_MS, LISTED_MS, postAs, publishAs, reviewOf } from '../../../support/http/pages.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { IDEA, NO_LIMITS, PROJECT, setUp } from '../../../support/http/test-app.ts';
import { hide, importPosts } from '../../../support/store/writes.ts';
import { RECORDED, storedOf } from '../../../support/strangers.ts';
import { IS_THOROUGH } from '../../../support/thorough.ts';

const toLink = (kind: string, id: string) => ({ href: `http://porchlight.test/${kind}s/${id}` });

const inLines = (text: string): string => text.replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n');
const toLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

for (const [path, readItems] of Object.entries(READ_ITEMS)) {
  describe(`${path}: with hostile messages a parser reads each title and text, and nothing else`, async () => {
    const { request, workspace } = await setUp({ after }, { empty: true, limits: NO_LIMITS });
    for (const message of HOSTILE) await publishPost(workspace, { message, name: 'x' }, CALLER);
    const items = readItems((await request(`GET ${path}`)).text).reverse();
    assert.equal(items.length, HOSTILE.length);
    for (const [index, message] of HOSTILE.entries()) {
      it(JSON.stringify(message).slice(0, 60), () => {
        const { title, html, text } = items[index]!;
        const prefix = /^IDEA: /.exec(message)?.[0] ?? '';
        assert.equal(path === '/feed.xml' ? shown(title) : title, prefix + toTitle(message));
        assert.equal(html, toLineFeeds(linkRecords(renderMessage(message), toLink).text));
        if (path === '/feed.json') assert.equal(text, message);
        if (path === '/feed.xml') assert.equal(shown(text ?? ''), inLines(message));
      });
    }
  });

  test(`${path} has the newest 50 messages, newest first`, async (t) => {
    const { request, workspace } = await setUp(t, { limits: NO_LIMITS });
    for (let i = 0; i < 60; i++) await publishPost(workspace, { message: `${i}` }, CALLER);
    const titles = readItems((await request(`GET ${path}`)).text).map(({ title }) => title);
    assert.deepEqual(
      titles,
      Array.from({ length: 50 }, (_, i) => `${59 - i}`),
    );
  });

  if (IS_THOROUGH || path === '/feed.xml')
    test(`${path} ends with the message whose text reaches 150,000 characters`, async (t) => {
      const { request, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
      for (let i = 0; i < 30; i++)
        await publishPost(workspace, { message: `${i}`.padEnd(8000, ' x') }, CALLER);
      assert.equal(readItems((await request(`GET ${path}`)).text).length, 19);
    });

  test(`${path}: the author of an item is the name of its message, whatever it holds`, async (t) => {
    const { request, workspace } = await setUp(t, { empty: true });
    const names = ['Harbour', 'a & b &amp; <c> ]]> "d" \u{1F3E1}'];
    for (const name of names) await publishPost(workspace, { message: 'x', name }, CALLER);
    const authors = readItems((await request(`GET ${path}`)).text).map(({ author }) => author);
    assert.deepEqual(authors, names.toReversed());
  });

  test(`${path}: a reply says what it is, what it says and in which thread, and no two titles are alike`, async (t) => {
    const { request, workspace, store } = await setUp(t, { empty: true });
    const first = await publishPost(workspace, { message: 'IDEA: count the benches' }, CALLER);
    const reply = await publishPost(
      workspace,
      { message: 'WORK: I do', name: 'Tally', replyTo: first.id },
      CALLER,
    );
    await publishPost(workspace, { message: 'well', replyTo: reply.id }, CALLER);
    const titles = async (query = ''): Promise<string[]> =>
      readItems((await request(`GET ${path}${query}`)).text).map(({ title }) => title);
    assert.deepEqual(await titles(), [
      'Reply: well (in: count the benches)',
      'WORK: I do (in: count the benches)',
      'IDEA: count the benches',
    ]);
    assert.deepEqual(await titles('?prefix=WORK'), ['WORK: I do (in: count the benches)']);
    await hide(store, first.id);
    assert.deepEqual(await titles(), ['Reply: well', 'WORK: I do']);
    await publishPost(
      workspace,
      { message: 'WORK: I do', name: 'Tally', replyTo: reply.id },
      {
        clientKey: 'another',
      },
    );
    assert.equal((await titles())[0], 'WORK: I do #4');
    assert.equal(new Set(await titles()).size, 3);
  });

  test(`${path}: a message carries its kind, how it stands, and whose it may be`, async (t) => {
    const app = await setUp(t, { empty: true });
    const root = await postAs(app, 'Moss', 'IDEA: benches');
    const tally = await publishAs(app, 'Tally', 'RESULT: 41 benches', root);
    await postAs(app, 'Moss', reviewOf(tally.id, 'not confirmed'), root);
    const { text } = await app.request(`GET ${path}`);
    for (const word of ['RESULT', 'not confirmed', `signer ${tally.signer ?? ''}`])
      assert.ok(
        text.includes(path === '/feed.json' ? `"${word}"` : `${word}"`) || text.includes(`>${word}<`),
        word,
      );
    const titles = readItems(text).map(({ title }) => title);
    assert.ok(titles.includes('RESULT (not confirmed): 41 benches (in: benches)'), titles.join());
  });

  test(`${path}: q, prefix and threads filter, in any order, and other parameters are ignored`, async (t) => {
    const { request } = await setUp(t);
    const idsOf = async (query: string): Promise<string[]> =>
      readItems((await request(`GET ${path}${query}`)).text).map(({ id }) => id.slice(-1));
    assert.deepEqual(await idsOf('?prefix=IDEA'), ['3', '1']);
    assert.deepEqual(await idsOf('?prefix=none'), ['9']);
    assert.deepEqual(await idsOf('?prefix=REVIEW'), []);
    assert.deepEqual(await idsOf('?q=Spanish+leaflet&prefix=IDEA'), ['3']);
    assert.deepEqual(await idsOf('?threads=true&prefix=RESULT'), []);
    assert.deepEqual(await idsOf('?threads=false&utm_source=x&utm_source=y'), await idsOf(''));
    assert.ok((await idsOf('?threads=true')).length < (await idsOf('')).length);
    assert.deepEqual(await idsOf('?q=&prefix=&threads=&name=&standing='), await idsOf(''), 'empty ones');
    const { text } = await request(`GET ${path}?threads=true&x=&prefix=IDEA`);
    assert.equal((await request(`GET ${path}?prefix=IDEA&threads=true`)).text, text);
    assert.match(text, /http:\/\/porchlight\.test\/feed\.\w+\?prefix=IDEA(?:&amp;|&)threads=true"/);
    assert.match(text, /porchlight · IDEA · first posts/);
    assert.match((await request(`GET ${path}?prefix=none`)).text, /porchlight · no prefix/);
    assert.match(text, /http:\/\/porchlight\.test\/feed\?prefix=IDEA["<]/, 'its page');
    assert.match((await request(`GET ${path}?q=leaflet`)).text, /porchlight · “leaflet”/);
  });

  test(`${path} is 422 with the parameter and what it may be`, async (t) => {
    const { request } = await setUp(t);
    const known = 'is not an argument of this URL, which takes q, name, prefix, threads and standing';
    for (const [query, why] of [
      ['prefix=idea', /must be/],
      ['threads=1', /must be/],
      ['threads=true&threads=false', /more than once/],
      ['before=2026-03-02T00:00:00Z', new RegExp(known)],
    ] as const) {
      const response = await request(`GET ${path}?${query}`);
      assertProblem(response, 422, 'invalid_request');
      assert.match(response.json.errors[0].message, why);
      assert.equal(response.json.errors[0].path, query.slice(0, query.indexOf('=')));
    }
  });

  test(`${path}: items have the prefix as category, and links to records are absolute`, async (t) => {
    const { request, workspace } = await setUp(t, { empty: true });
    const code = '```\n  two  blanks\n\ttab\n```';
    await publishPost(workspace, { message: `WORK: see ${IDEA} and ${PROJECT}\n${code}` }, CALLER);
    const [{ category, html } = assert.fail('no item')] = readItems((await request(`GET ${path}`)).text);
    assert.equal(category, 'WORK');
    assert.ok(html.includes(`<a href="http://porchlight.test/posts/${IDEA}">${IDEA}</a>`), html);
    assert.ok(html.includes(`<a href="http://porchlight.test/projects/${PROJECT}">project …0006</a>`), html);
    assert.ok(html.includes('<code>  two  blanks\n\ttab\n</code>'), html);
  });

  test(`${path} names a post that is visible in words, without its name or title, and keeps the id of one that is not`, async (t) => {
    const { request, workspace, store } = await setUp(t);
    const { id } = await publishPost(workspace, { message: `see ${IDEA} and ${PROJECT}` }, CALLER);
    const readHtml = async (): Promise<string> => {
      const items = readItems((await request(`GET ${path}`)).text);
      return items.find((item) => item.id.endsWith(id.slice(5)))?.html ?? '';
    };
    assert.match(await readHtml(), /<a href="[^"]+">IDEA …[0-9a-f]{4}, 2 Mar 2026<\/a>/);
    assert.match(await readHtml(), /<a href="[^"]+">project …[0-9a-f]{4}<\/a>/);
    await hide(store, IDEA);
    assert.ok((await readHtml()).includes(`<a href="http://porchlight.test/posts/${IDEA}">${IDEA}</a>`));
  });

  test(`${path} is not sent again to a client that has it, by time, until a message comes or goes`, async (t) => {
    const { request, clock, workspace, store } = await setUp(t);
    const statusSince = async (time: string): Promise<number> =>
      (await request(`GET ${path}`, { headers: { 'If-Modified-Since': time } })).status;
    const lastModified = async (query = ''): Promise<string | undefined> => {
      const { headers } = await request(`GET ${path}${query}`);
      return headers['last-modified'] as string | undefined;
    };
    const first = (await lastModified()) ?? '';
    assert.equal(first, 'Mon, 02 Mar 2026 15:30:00 GMT');
    assert.equal(await lastModified('?prefix=REVIEW'), undefined);
    assert.equal(await statusSince(first), 304);
    assert.equal(await statusSince('Mon, 02 Mar 2026 15:29:59 GMT'), 200);
    assert.equal(await statusSince('Monday, 02-Mar-26 15:30:00 GMT'), 304);
    for (const other of ['Mon Mar  2 15:30:00 2099', '2099', '2099-01-01T00:00:00Z', 'yesterday'])
      assert.equal(await statusSince(other), 200, other);
    const both = { 'If-Modified-Since': first, 'If-None-Match': '"another"' };
    assert.equal((await request(`GET ${path}`, { headers: both })).status, 200);

    await publishPost(workspace, { message: 'new' }, CALLER);
    // Another message may follow within the same second.
    assert.equal(await lastModified(), undefined);
    clock.advance(999);
    assert.equal(await lastModified(), undefined);
    clock.advance(1);
    assert.notEqual(await lastModified(), undefined);
    clock.advance(5000);
    await hide(store, IDEA);
    clock.advance(5000);
    assert.equal(await statusSince(first), 200);
    await hide(store, 'post_019c9a31-6400-7000-8000-000000000003');
    assert.equal(await statusSince(first), 200);
  });
}

for (const [when, seconds] of [
  ['at once', 0],
  ['after some seconds', 5],
] as const)
  test(`a feed that was read before a hide, and ends ${when}, is sent again to a client that asks by time`, async (t) => {
    const { request, clock, store } = await setUp(t);
    const { read } = store;
    const readRelated = read.related.bind(read);
    clock.advance(5000);
    t.mock.method(read, 'related', async (...asked: Parameters<typeof readRelated>) => {
      t.mock.restoreAll();
      const related = await readRelated(...asked);
      await hide(store, IDEA);
      clock.advance(seconds * 1000);
      return related;
    });
    const { headers, text } = await request('GET /feed.json');
    assert.ok(text.includes(IDEA));
    clock.advance(5000);
    const since = { 'If-Modified-Since': headers['last-modified'] };
    assert.equal((await request('GET /feed.json', { headers: since })).status, 200);
  });

test('a feed of results has what was confirmed an hour ago, without a write in between', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { request, store, clock } = app;
  const post = (name: string, message: string, replyTo?: string) => postAs(app, name, message, replyTo);
  const root = await post('Heron', 'IDEA: count the benches');
  const result = await post('Tally', 'RESULT: twelve', root);
  const other = await post('Moss', 'RESULT: nine', root);
  await post('Heron', reviewOf(result, 'confirmed'), root);
  const ids = async (path: string): Promise<string[]> => {
    const { status, json } = await request(`GET ${path}`);
    assert.equal(status, 200);
    return json.items.map(({ url }: { url: string }) => url.replace(/.*\//, ''));
  };
  assert.deepEqual(await ids('/results.json'), []);
  assert.deepEqual(await ids('/feed.json?standing=confirmed'), []);
  clock.advance(LISTED_MS);
  assert.deepEqual(await ids('/feed.json?standing=confirmed'), [result]);
  assert.deepEqual(await ids('/results.json'), [result]);
  const atom = await request('GET /results.atom');
  const { text } = atom;
  assert.match(text, /<title>porchlight · Confirmed results<\/title>/);
  assert.match(text, /<title>RESULT \(confirmed\): twelve \(in: count the benches\)<\/title>/);
  assert.equal(atom.headers['last-modified'], undefined, 'time alone adds to it');
  const page = (await request('GET /results', { headers: { Accept: 'text/html' } })).text;
  for (const path of ['/results.atom', '/results.json'])
    assert.match(page, new RegExp(`<link rel="alternate" [^>]*title="Confirmed results" href="${path}">`));
  const entriesOf = async (path: string) => atomOf((await request(`GET ${path}`)).text).entry;
  const [entry] = await entriesOf('/results.atom');
  await post('Heron', reviewOf(other, 'confirmed'), root);
  clock.advance(LISTED_MS);
  const [grown, ...rest] = await entriesOf('/results.atom');
  assert.deepEqual([grown.id, rest], [entry.id, []], 'the id of an entry stays while it grows');
  const also = new RegExp(`<b>Also confirmed:</b> <a href="[^"]*/${other}">nine</a>`);
  assert.match(grown.content['#text'], also);
  const ofThread = await entriesOf(`/posts/${root}/feed.atom`);
  const isOther = ofThread.every(({ id }: { id: string }) => id !== entry.id);
  assert.ok(isOther, 'no other entry has its id');
  assert.equal(ofThread[0].title, 'REVIEW (confirmed): it (in: count the benches) #5');
  for (const id of [result, other]) await hide(store, id);
  assert.deepEqual(await ids('/results.json'), []);
});

test('a feed of results says for a week what took a result off, one message a thread a day', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { request, clock } = app;
  const post = (name: string, message: string, replyTo?: string) => postAs(app, name, message, replyTo);
  const titles = async (): Promise<string[]> =>
    (await request('GET /results.json')).json.items.map(({ title }: { title: string }) => title);
  const root = await post('Heron', 'IDEA: count the benches');
  const results = [await post('Tally', 'RESULT: twelve', root), await post('Moss', 'RESULT: nine', root)];
  for (const result of results) await post('Heron', reviewOf(result, 'confirmed'), root);
  const [first, second] = results as [string, string];
  clock.advance(LISTED_MS);
  assert.deepEqual(
    await titles(),
    ['RESULT (confirmed): twelve (in: count the benches)'],
    'the first of its day',
  );
  clock.advance(DAY_MS);
  await post('Tally', reviewOf(first, 'withdrawn'), root);
  const edition = await post('Moss', `RESULT: ten\nCorrects: ${second}`, root);
  await post('Heron', reviewOf(edition, 'confirmed'), root);
  const gone = 'No longer confirmed: twelve (in: count the benches)';
  assert.deepEqual(await titles(), [gone], 'none for an edition');
  for (const [path, heading] of [
    ['/results', '>No longer confirmed</h2>'],
    ['/results.md', '## No longer confirmed\n'],
  ] as const) {
    const [, lost] = (await request(`GET ${path}`)).text.split(heading);
    assert.ok(lost?.includes('twelve') && lost.includes('withdrawn') && !lost.includes('nine'), path);
  }
  clock.advance(LISTED_MS);
  const listed = 'RESULT (confirmed): ten (in: count the benches)';
  assert.deepEqual(await titles(), [listed, gone]);
  await post('Heron', reviewOf(edition, 'not confirmed'), root);
  const nine = 'RESULT (confirmed): nine (in: count the benches)';
  assert.deepEqual(await titles(), [gone, nine], 'one a thread a day');
  clock.advance(DAY_MS);
  await post('Heron', reviewOf(edition, 'confirmed'), root);
  clock.advance(LISTED_MS);
  assert.deepEqual(await titles(), [listed, gone]);
  await post('Heron', reviewOf(edition, 'not confirmed'), root);
  await post('Heron', reviewOf(edition, 'not confirmed'), root);
  assert.deepEqual(await titles(), ['No longer confirmed: ten (in: count the benches)', gone, nine]);
  assert.match((await request('GET /results')).text, /id="lost"/);
  clock.advance(7 * DAY_MS + 1);
  assert.deepEqual(await titles(), [nine]);
  assert.doesNotMatch((await request('GET /results')).text, /id="lost"/);
});

test('an entry is dated by the hour of its listing, and begins with who checked what and left what open', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { request, workspace, clock } = app;
  const post = (name: string, message: string, replyTo?: string) => postAs(app, name, message, replyTo);
  const root = await post('Heron', 'IDEA: count the benches');
  const result = await post('Tally', 'RESULT: twelve\nWhat I produced: a list', root);
  const other = await post('Moss', 'RESULT: nine', root);
  clock.advance(7_200_000);
  const check = await post(
    'Heron',
    `${reviewOf(result, 'confirmed', 'rows <1> to 12')}\nRemaining uncertainty: row 13`,
    root,
  );
  await post('Heron', reviewOf(other, 'confirmed', 'counted'), root);
  await post(
    'Quay',
    `${reviewOf(result, 'not confirmed', 'row 13')}\nFindings / corrections: it is two`,
    root,
  );
  clock.advance(LISTED_MS);
  const entriesOf = async (
    path: string,
  ): Promise<Record<'title' | 'date_published' | 'content_text' | 'content_html', string>[]> =>
    (await request(`GET ${path}`)).json.items;
  const entry = (await entriesOf('/results.json'))[0]!;
  assert.match(entry.date_published, /^2026-03-02T19:/);
  assert.match(
    entry.content_text,
    /^Heron checked: rows <1> to 12\.\nLeft open: row 13\.\nQuay says not confirmed \(not trusted here\): row 13\.\nFound wrong: it is two\.\nHeron opened the thread: count the benches\nWritten 2 Mar 2026, 16:.* UTC, confirmed 2 Mar 2026, 18:.* UTC\.\nAlso confirmed: nine\n\nRESULT: twelve\n/,
  );
  assert.ok(
    entry.content_html.startsWith(
      `<p><b><bdi>Heron</bdi> checked:</b> <a href="${workspace.service.baseUrl}/posts/${check}">rows &lt;1&gt; to 12.</a><br>\n<b>Left open:</b> row 13.<br>`,
    ),
    entry.content_html,
  );
  const { text } = await request('GET /results.atom');
  for (const name of ['updated', 'published'])
    assert.match(text, new RegExp(`<entry>[^]*<${name}>${entry.date_published.slice(0, 23)}`));
  assert.match((await request('GET /feed.xml?standing=confirmed')).text, /<pubDate>Mon, 02 Mar 2026 19:/);
  assert.deepEqual(await entriesOf('/feed.json?standing=confirmed'), [entry], 'the same with a filter');
  for (const [query, count] of [
    ['q=list', 1],
    ['q=nine', 1],
    ['q=absent', 0],
    ['name=Tally', 1],
    ['name=Heron', 0],
    ['threads=true', 0],
  ] as const)
    assert.equal((await entriesOf(`/feed.json?standing=confirmed&${query}`)).length, count, query);
  clock.advance(DAY_MS);
  await post('Heron', reviewOf(result, 'not confirmed', 'row 13'), root);
  const gone = (await entriesOf('/feed.json?standing=confirmed&name=Tally'))[0]!;
  assert.match(gone.title, /^No longer confirmed: twelve/);
  assert.match(
    gone.content_text,
    /^No longer confirmed: twelve\nHeron opened the thread: count the benches\nHow it stands now: not confirmed\.\n\nREVIEW: it\n/,
  );
  assert.deepEqual(await entriesOf('/feed.json?standing=confirmed&name=Heron'), []);
});

test('feeds take a standing with other filters, and refuse what is nearly the name of a filter', async (t) => {
  const { request, store, clock } = await setUp(t, { empty: true, limits: NO_LIMITS });
  await importPosts(store, storedOf(RECORDED));
  clock.set('2026-11-25T23:10:00Z');
  const count = async (query: string): Promise<number> =>
    (await request(`GET /feed.json?${query}`)).json.items.length;
  const counts = ['confirmed', 'partlyConfirmed', 'unreviewed', 'reviewed', 'refuted', 'contested'];
  // Six of one thread are confirmed.
  assert.deepEqual(await Promise.all(counts.map((one) => count(`standing=${one}`))), [1, 2, 4, 1, 5, 0]);
  assert.equal(await count('standing=confirmed&name=Nobody'), 0);
  assert.equal(await count('standing=confirmed&prefix=IDEA'), 0);
  for (const query of ['standng=confirmed', 'standing=good'])
    assertProblem(await request(`GET /feed.atom?${query}`), 422, 'invalid_request');
  for (const query of ['utm_source=a', 'utm_name=a', 'fbclid=a', 'gclid=a', 'ref=a', 'mc_cid=a', 'x=1'])
    assert.equal((await request(`GET /feed.atom?${query}`)).status, 200, query);
});
