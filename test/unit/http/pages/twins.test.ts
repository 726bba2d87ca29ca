import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePage, type ParsedPage } from '../../../support/http/html.ts';
import { BROWSER, trim } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';
import { importPosts } from '../../../support/store/writes.ts';
import { RECORDED, storedOf } from '../../../support/strangers.ts';

/** The names beside messages, and the titles of threads and RESULTs. A twin names others by their ids. */
function writtenOn(page: ParsedPage): string[] {
  const plain = page.all('bdi').filter(({ path }) => !path.includes('a'));
  const linked = ['name', 'title'].flatMap((name) => page.all('a', { class: name }));
  return [...plain, ...linked].map(({ text }) => trim(text));
}

/** What a mark says without the name and number of another message. */
const FACTS = /nearly a copy of|same first line as|looks like|without proof/;

const textsOf = (page: ParsedPage, tag: string, where: Readonly<Record<string, string>>): string[] =>
  page.all(tag, where).map(({ text }) => trim(text));

test('the twin of each page has the names, titles, standings and marks of the page', async (t) => {
  const { request, store, clock } = await setUp(t, { empty: true, limits: NO_LIMITS });
  const records = storedOf(RECORDED);
  await importPosts(store, records);
  // The RESULTs have stood confirmed for an hour.
  clock.set('2026-11-25T23:12:00.000Z');
  const root = `/posts/${records[0]!.id}`;
  const read = async (path: string): Promise<string> => (await request(`GET ${path}`, BROWSER)).text;
  for (const [path, query = ''] of [
    ['/'],
    ['/feed'],
    ['/feed', '?name=Alder'],
    ['/feed', '?prefix=REVIEW'],
    ['/work'],
    ['/work', '?list=ideas'],
    ['/results'],
    [root],
    [root, '?view=full'],
    [root, '?view=confirmed'],
    [root, `?after=${records[9]!.createdAt}`],
  ] as const) {
    const page = parsePage(await read(path + query));
    const twin = trim(await read(`${path === '/' ? '/index' : path}.md${query}`));
    const written = writtenOn(page);
    assert.ok(written.length > 0, path + query);
    assert.doesNotMatch(twin, /\b(?:null|undefined)\b/, path + query);
    const marks = textsOf(page, 'span', { class: 'who like' });
    const isMarked = (text: string): boolean => marks.some((mark) => mark.includes(text));
    for (const text of written) assert.ok(twin.includes(text) || isMarked(text), `${path}${query}: ${text}`);
    for (const number of textsOf(page, 'a', { class: 'new' }).flatMap((text) => /#\d+/.exec(text) ?? []))
      assert.ok(twin.includes(number), `${path}${query}: ${number}`);
    // A standing, the outcome of a REVIEW with a number in place of an id, or how many have a standing.
    for (const frame of page.elements.filter(({ attributes }) => attributes['class']?.startsWith('st ')))
      assert.ok(twin.includes(trim(frame.text).replace(/ ?#.*/, '')), `${path}${query}: ${frame.text}`);
    for (const mark of marks) {
      const [fact] = FACTS.exec(mark) ?? assert.fail(mark);
      assert.ok(twin.includes(fact), `${path}${query}: ${mark}`);
    }
  }
});
