import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { linkRecords } from '#http/html/link-records.ts';
import { renderMessage } from '#http/html/render-message.ts';
import { toTitle } from '#workspace/text/title.ts';
import { READ_ITEMS, shown } from '../../../support/http/feeds.ts';
import { HOSTILE } from '../../../support/http/hostile.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { IDEA, NO_LIMITS, PROJECT, setUp } from '../../../support/http/test-app.ts';
import { hide } from '../../../support/store/writes.ts';

const CLIENT = { clientKey: 'a test' };

const addressOf = (kind: string, id: string): string => `http://porchlight.test/${kind}s/${id}`;

const toLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

for (const [path, readItems] of Object.entries(READ_ITEMS)) {
  describe(`${path}: with hostile messages a parser reads each title and text, and nothing else`, async () => {
    const { request, workspace } = await setUp({ after }, { empty: true, limits: NO_LIMITS });
    for (const message of HOSTILE) await workspace.feed.post({ message, name: 'x' }, CLIENT);
    const items = readItems((await request(`GET ${path}`)).text).reverse();
    assert.equal(items.length, HOSTILE.length);
    for (const [index, message] of HOSTILE.entries()) {
      it(JSON.stringify(message).slice(0, 60), () => {
        const { title, html } = items[index]!;
        assert.equal(path === '/feed.xml' ? shown(title) : title, toTitle(message));
        assert.equal(html, toLineFeeds(linkRecords(renderMessage(message), addressOf).text));
      });
    }
  });

  test(`${path} has the newest 50 messages, newest first`, async (t) => {
    const { request, workspace } = await setUp(t, { limits: NO_LIMITS });
    for (let i = 0; i < 60; i++) await workspace.feed.post({ message: `${i}` }, CLIENT);
    assert.deepEqual(
      readItems((await request(`GET ${path}`)).text).map(({ title }) => title),
      Array.from({ length: 50 }, (_, i) => `${59 - i}`),
    );
  });

  test(`${path} ends with the message whose text reaches 150,000 characters`, async (t) => {
    const { request, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
    for (let i = 0; i < 30; i++) await workspace.feed.post({ message: `${i}`.padEnd(8000, ' x') }, CLIENT);
    assert.equal(readItems((await request(`GET ${path}`)).text).length, 19);
  });

  test(`${path}: the author of an item is the name of its message, whatever it holds`, async (t) => {
    const { request, workspace } = await setUp(t, { empty: true });
    const names = [undefined, 'Harbour', 'a & b &amp; <c> ]]> "d" \u{1F3E1}'];
    for (const name of names) await workspace.feed.post({ message: 'x', name }, CLIENT);
    assert.deepEqual(
      readItems((await request(`GET ${path}`)).text).map(({ author }) => author),
      names.toReversed(),
    );
  });

  test(`${path}: a reply has the title of its thread, or its own while the first post is hidden`, async (t) => {
    const { request, workspace, store } = await setUp(t, { empty: true });
    const first = await workspace.feed.post({ message: 'IDEA: count the benches' }, CLIENT);
    const reply = await workspace.feed.post({ message: 'WORK: I do', replyTo: first.id }, CLIENT);
    await workspace.feed.post({ message: 'well', replyTo: reply.id }, CLIENT);
    const titles = async (query = ''): Promise<string[]> =>
      readItems((await request(`GET ${path}${query}`)).text).map(({ title }) => title);
    assert.deepEqual(await titles(), ['Re: count the benches', 'Re: count the benches', 'count the benches']);
    assert.deepEqual(await titles('?prefix=WORK'), ['Re: count the benches']);
    await hide(store, first.id);
    assert.deepEqual(await titles(), ['well', 'I do']);
  });

  test(`${path}: prefix and threads filter, in any order, and other parameters are ignored`, async (t) => {
    const { request } = await setUp(t);
    const idsOf = async (query: string): Promise<string[]> =>
      readItems((await request(`GET ${path}${query}`)).text).map(({ id }) => id.slice(-1));
    assert.deepEqual(await idsOf('?prefix=IDEA'), ['3', '1']);
    assert.deepEqual(await idsOf('?prefix=none'), ['9']);
    assert.deepEqual(await idsOf('?prefix=REVIEW'), []);
    assert.deepEqual(await idsOf('?threads=true&prefix=RESULT'), []);
    assert.deepEqual(await idsOf('?threads=false&utm_source=x&utm_source=y'), await idsOf(''));
    assert.ok((await idsOf('?threads=true')).length < (await idsOf('')).length);
    const { text } = await request(`GET ${path}?threads=true&x=&prefix=IDEA`);
    assert.equal((await request(`GET ${path}?prefix=IDEA&threads=true`)).text, text);
    assert.match(text, /http:\/\/porchlight\.test\/feed\.\w+\?prefix=IDEA(?:&amp;|&)threads=true"/);
    assert.match(text, /porchlight · IDEA · first posts/);
    assert.match((await request(`GET ${path}?prefix=none`)).text, /porchlight · no prefix/);
  });

  for (const query of [
    'prefix=FOO',
    'prefix=idea',
    'prefix=',
    'threads=maybe',
    'threads=1',
    'threads=',
    'prefix=IDEA&prefix=IDEA',
    'threads=true&threads=false',
  ])
    test(`${path}?${query} is 422 with the parameter and what it may be`, async (t) => {
      const { request } = await setUp(t);
      const response = await request(`GET ${path}?${query}`);
      assertProblem(response, 422, 'invalid_request');
      assert.match(response.json.errors[0].message, /must be|more than once/);
      assert.equal(response.json.errors[0].path, query.slice(0, query.indexOf('=')));
    });

  test(`${path}: items have the prefix as category, and links to records are absolute`, async (t) => {
    const { request, workspace } = await setUp(t, { empty: true });
    const code = '```\n  two  blanks\n\ttab\n```';
    await workspace.feed.post({ message: `WORK: see ${IDEA} and ${PROJECT}\n${code}` }, CLIENT);
    const [{ category, html } = assert.fail('no item')] = readItems((await request(`GET ${path}`)).text);
    assert.equal(category, 'WORK');
    assert.ok(html.includes(`<a href="http://porchlight.test/posts/${IDEA}">${IDEA}</a>`), html);
    assert.ok(html.includes(`<a href="http://porchlight.test/projects/${PROJECT}">${PROJECT}</a>`), html);
    assert.ok(html.includes('<code>  two  blanks\n\ttab\n</code>'), html);
  });

  test(`${path} has the time of its newest message as Last-Modified, and If-Modified-Since is not evaluated`, async (t) => {
    const { request } = await setUp(t);
    const { headers } = await request(`GET ${path}`);
    assert.equal(headers['last-modified'], 'Mon, 02 Mar 2026 15:30:00 GMT');
    const again = await request(`GET ${path}`, {
      headers: { 'If-Modified-Since': headers['last-modified'] },
    });
    assert.equal(again.status, 200);
    assert.equal((await request(`GET ${path}?prefix=REVIEW`)).headers['last-modified'], undefined);
  });
}
