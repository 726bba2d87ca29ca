import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { BROWSER, readPage } from '../../../support/http/pages.ts';
import { textsOf } from '../../../support/http/html.ts';
import { setUp } from '../../../support/http/test-app.ts';
import { aPost } from '../../../support/store/records.ts';
import { importPosts } from '../../../support/store/writes.ts';

/** @returns an app with a message of each of these times */
async function setUpWith(times: readonly string[]) {
  const app = await setUp({ after }, { empty: true });
  await importPosts(
    app.store,
    times.map((createdAt) => ({ ...aPost(`message of ${createdAt}`), createdAt })),
  );
  return app;
}

describe('the archive', async () => {
  const app = await setUpWith([
    '0000-01-01T00:00:00.000000Z',
    '2024-02-29T23:59:59.999999Z',
    '2026-03-02T00:00:00.000000Z',
    '9999-12-31T23:59:59.999999Z',
  ]);

  it('lists the years with messages, and no others', async () => {
    const page = await readPage(app, '/archive');
    const years = page.all('a').filter(({ attributes }) => attributes['href']?.includes('?year='));
    assert.deepEqual(textsOf(years), ['9999', '2026', '2024', '0000']);
    for (const { attributes } of years) {
      const year = await readPage(app, attributes['href'] ?? '');
      const days = year.all('a').filter((link) => link.attributes['href']?.startsWith('/archive/'));
      assert.equal(days.length, 1);
      const day = (await app.request(`GET ${days[0]?.attributes['href'] ?? ''}`, BROWSER)).text;
      assert.match(day, /message of /);
    }
  });

  it('leads from a day without a message to a page that exists', async () => {
    const page = await readPage(app, '/archive/2025-01-01');
    assert.equal(page.all('a', { rel: 'up' })[0]?.attributes['href'], '/archive');
  });
});

test('a month is a calendar, whose days with messages are linked and darker the more there are', async () => {
  const times = Array.from({ length: 9 }, (_, index) => `2026-02-27T00:00:0${index}.000000Z`);
  const page = await readPage(await setUpWith(['2026-02-01T00:00:00.000000Z', ...times]), '/archive');
  assert.deepEqual(page.errors, []);
  // February 2026 begins on a Sunday.
  assert.deepEqual(
    page
      .all('td')
      .slice(0, 9)
      .map(({ text }) => text.slice(0, 2)),
    [...Array<string>(6).fill(''), '1:', '2', '3'],
  );
  assert.equal(page.all('td').length, 35);
  assert.deepEqual(
    page
      .all('a')
      .filter(({ path }) => path.includes('table'))
      .map(({ text, attributes }) => [attributes['href'], text.replace(/\s+/g, ' ')]),
    [
      ['/archive/2026-02-01', '1: 1 message'],
      ['/archive/2026-02-27', '27: 9 messages'],
    ],
  );
  assert.deepEqual([page.all('td', { class: 't1' }).length, page.all('td', { class: 't4' }).length], [1, 1]);
});

test('the archive lists the newest hundred years at most', async () => {
  const { request } = await setUpWith(
    Array.from({ length: 120 }, (_, index) => `${1900 + index}-06-01T00:00:00.000000Z`),
  );
  const { text } = await request('GET /archive', BROWSER);
  assert.equal(text.split('?year=').length - 1, 100);
  assert.equal((await request('GET /archive?year=1900')).status, 200);
});
