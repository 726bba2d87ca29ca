import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { standingWords } from '#http/html/standings.ts';
import { judge } from '#work/verdicts.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { keyFor, signerFor } from '../../../support/author-key.ts';
import { parsePage, type ParsedPage, textsOf } from '../../../support/http/html.ts';
import { BROWSER, CALLER, DAY_MS, postAs, readPage, trim } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { importPosts } from '../../../support/store/writes.ts';
import { deriveAt, RECORDED, storedOf } from '../../../support/strangers.ts';

/** The heads of the messages of a page, as a screen reader reads them. */
const headsOf = ({ all }: ParsedPage): string[] =>
  all('h2')
    .filter(({ path }) => path.includes('article'))
    .map(({ text }) => trim(text));

const PROGRESS = '6 of 16 results confirmed, 2 partly confirmed, 3 to review, 5 not confirmed.';
const ROWS: readonly RegExp[] = [
  /^confirmed PART 2, IBAN: .* Alder, 25 Nov, #11 Birch checked: took the blocks .* #27 Left open: lengths not .* Found wrong: iban\.mjs accepts .* Poplar says not confirmed \(not trusted here\): tried the program\. #15 Found wrong: some of the lengths are out of date\. newer version, partly confirmed: #47$/,
  /^being worked on PART 1 and PART 4 Cedar not signed looks like the name of #24, until 26 Nov, 09:00 UTC, #4$/,
  /^nearly a copy PART 3 .* Fern nearly a copy of #33, 25 Nov, #55$/,
  /^not confirmed PART 6, .* Linden, 25 Nov, #13 Alder checked: .* #16 .* Birch checked: .* #28 .* says confirmed \(not trusted here\): .* All reviews$/,
  /^replaced PART 4 .* Birch, 25 Nov, #8 Alder says partly confirmed: .* replaced by #32$/,
];

describe('the page of the recorded feed', async () => {
  const app = await setUp({ after }, { empty: true, limits: NO_LIMITS });
  const stored = storedOf(RECORDED);
  app.clock.set('2026-11-25T22:12:00.000000Z');
  await importPosts(app.store, stored);
  const root = stored[0]?.id ?? '';
  const page = await readPage(app, `/posts/${root}`);
  const thread = stored.filter(({ rootId }) => rootId === root);
  const numbers = new Map(thread.map(({ id }, index) => [id, index + 1]));
  const results = [...deriveAt(stored, Infinity).results.values()].filter(({ step }) => step.rootId === root);

  const rows = (): readonly string[] => {
    const [section] = page.all('section', { class: 'so-far' });
    assert.ok(section !== undefined);
    return page
      .all('li')
      .flatMap(({ path, text }) => (path.at(-1) === 'ol' && !path.includes('article') ? [trim(text)] : []));
  };

  it('is one page, and begins with what is known, of which eight rows are open', () => {
    assert.deepEqual(page.errors, []);
    assert.deepEqual(page.all('a', { rel: 'next' }), []);
    const open = page
      .all('li')
      .filter(({ path }) => path.at(-1) === 'ol' && !path.includes('details') && !path.includes('article'));
    assert.equal(open.length, 8);
    const folds = textsOf(page.all('summary'));
    assert.deepEqual(folds.slice(0, 2), ['4 more', 'Set aside: 8 (not confirmed, nearly a copy, replaced)']);
    assert.equal(trim(page.all('p', { class: 'sum' })[0]?.text), PROGRESS);
  });

  it('has each RESULT in a row, under the standing that follows from the feed', () => {
    const shown = rows();
    for (const result of results) {
      const word = standingWords(judge(result));
      const number = numbers.get(result.step.id);
      const row = shown.filter((text) => new RegExp(`, #${number}\\b`).test(text));
      assert.ok(
        row.length >= 1 && row.every((text) => text.includes(`${number === 55 ? 'nearly a copy' : word} `)),
        `#${number} ${word}: ${row}`,
      );
    }
    for (const expected of ROWS)
      assert.ok(
        shown.some((text) => expected.test(text)),
        `${expected}`,
      );
  });

  it('has a head for each message with its number, its outcome, and marks that can be computed', () => {
    const heads = headsOf(page);
    assert.equal(heads.length, thread.length);
    assert.equal(heads[0], '#1 IDEA, Alder');
    assert.equal(heads[15], '#16 REVIEW, Alder also wrote #1: not confirmed #13');
    assert.equal(heads[13], '#14 REVIEW, Hazel the only message with this name: confirmed #13: by others');
    assert.equal(
      heads[6],
      '#7 POST, Alder not signed looks like the name of #1 ends #2 without proof: not counted',
    );
    assert.equal(
      heads[37],
      '#38 REVIEW, ALDER not signed looks like the name of #1 withdraws #11 without proof: not counted',
    );
    assert.match(heads[7] ?? '', /: replaced by #32$/);
    assert.match(heads[54] ?? '', /nearly a copy of #33: to review$/);
  });

  it('has RESULTs that stand as cards, all else as a line that opens, with no link in it', () => {
    const cards = page
      .all('article')
      .filter(({ attributes }) => attributes['class']?.startsWith('message ') === true);
    const standing = results.filter((result) => {
      const number = numbers.get(result.step.id) ?? 0;
      return (
        ['confirmed', 'partlyConfirmed', 'unreviewed', 'reviewed'].includes(judge(result).standing) &&
        number !== 55
      );
    });
    const ofCards = cards.map(({ attributes }) => attributes['id']);
    assert.deepEqual(ofCards, [root, ...standing.map(({ step }) => step.id)]);
    const inSummary = page.elements.filter(({ name, path }) => name === 'a' && path.includes('summary'));
    assert.deepEqual(inSummary, []);
    const ids = page.elements
      .map(({ attributes }) => attributes['id'] ?? '')
      .filter((id) => id.startsWith('post_'));
    const expected = thread.map(({ id }) => id);
    assert.deepEqual(ids, expected);
    // Only what is inside of an element is shown when an address leads there.
    const rows = page.elements.filter(
      ({ name, attributes }) => name === 'span' && attributes['id']?.startsWith('post_') === true,
    );
    assert.ok(rows.length > 50 && rows.every(({ path }) => path.at(-2) === 'details'));
  });

  it('shows it in full or only what is confirmed, which no crawler lists', async () => {
    const full = await readPage(app, `/posts/${root}?view=full`);
    assert.equal(full.all('article').length, thread.length);
    assert.match(full.all('p', { class: 'printed' })[0]?.text ?? '', /\/posts\/post_[^?]*\?view=full$/);
    assert.equal(full.all('a', { href: '/about' }).length, 2);
    assert.match(full.all('meta', { name: 'robots' })[0]?.attributes['content'] ?? '', /noindex/);
    const confirmed = await readPage(app, `/posts/${root}?view=confirmed`);
    assert.deepEqual(
      headsOf(confirmed).map((head) =>
        /^#\d+ (?:RESULT|REVIEW).*: confirmed(?: #(?:11|32|33|34|51|57))?(?: (?:others say|newer version).*)?$/.test(
          head,
        ),
      ),
      Array<boolean>(12).fill(true),
    );
    assert.equal((await app.request(`GET /posts/${root}?view=none`, BROWSER)).status, 422);
  });
});

/** Posts a thread of twelve messages. */
async function postThread(app: TestApp, last: string): Promise<{ root: string; ids: string[] }> {
  const post = (message: string, replyTo?: string) => postAs(app, 'Tally', message, replyTo);
  const root = await post('IDEA: count the benches\nParts: north; south');
  const ids = [root];
  for (let number = 2; number < 12; number++) ids.push(await post(`message ${number}`, root));
  return { root, ids: [...ids, await post(last, root)] };
}

test('a link to a reply of another thread says its number there', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { root, ids } = await postThread(app, 'the last one');
  const { id } = await publishPost(
    app.workspace,
    { message: `IDEA: y\nas in ${root}, ${ids[1] ?? ''} and ${ids[2] ?? ''}`, name: 'Rook' },
    CALLER,
  );
  const links = (await readPage(app, `/posts/${id}`)).all('a').map(({ text }) => trim(text));
  assert.deepEqual(
    links.filter((text) => text.includes('…')),
    [
      `IDEA …${root.slice(-4)}, 2 Mar`,
      `message …${ids[1]?.slice(-4)}, 2 Mar, #2 of its thread`,
      `message …${ids[2]?.slice(-4)}, 2 Mar, #3 of its thread`,
    ],
  );
});

test('a thread without work says nothing of results', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { id } = await publishPost(app.workspace, { message: 'hello', name: 'Tally' }, CALLER);
  const read = async () => (await readPage(app, `/posts/${id}`)).all('section', { class: 'so-far' }).length;
  assert.equal(await read(), 0);
  await publishPost(app.workspace, { message: 'RESULT: a table', name: 'Tally', replyTo: id }, CALLER);
  assert.equal(await read(), 1);
});

test('the page changes when the clock ends what is under way, and is not sent again before', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { root } = await postThread(
    app,
    'WORK: the south\nPart: south\nNext update by (UTC): 2026-03-02 17:00',
  );
  const read = async (etag = '') => {
    const headers = { ...BROWSER.headers, ...(etag !== '' && { 'If-None-Match': etag }) };
    const response = await app.request(`GET /posts/${root}`, { headers });
    const { status, text } = response;
    return {
      status,
      etag: response.header('ETag'),
      sum: trim(parsePage(text).all('p', { class: 'sum' })[0]?.text),
      parts: trim(parsePage(text).all('ol', { class: 'known' })[0]?.text),
    };
  };
  const first = await read();
  assert.equal(first.sum, '0 of 2 parts confirmed, 1 being worked on, 1 with no one on it.');
  assert.equal(first.parts, 'north no one on it south being worked on the south Tally, until 17:00 UTC, #12');
  app.clock.advance(30 * 60_000);
  assert.equal((await read(first.etag)).status, 304);
  app.clock.advance(60 * 60_000);
  const later = await read(first.etag);
  assert.equal(later.status, 200);
  assert.equal(later.sum, '0 of 2 parts confirmed, 2 with no one on them.');
  assert.equal(later.parts, 'north no one on it south no one on it');
  assert.equal((await read(later.etag)).status, 304);
});

test('a name that looks like another says whose, and which letter is of another script', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const root = await postAs(app, 'Alder', 'IDEA: x');
  app.clock.advance(DAY_MS);
  const whole = '\u0410\u04cf\u0501\u0435\u0433';
  for (const name of ['Ald\u0435r', 'ALDER', 'Birch', whole]) await postAs(app, name, 'well', root);
  const page = await readPage(app, `/posts/${root}`);
  const signed = (name: string): string => `${name} ${signerFor(name, root).slice(0, 6)}`;
  assert.deepEqual(headsOf(page), [
    '#1 IDEA, Alder',
    `#2 POST, ${signed('Ald\u0435r')} looks like the name of #1: “\u0435” is Cyrillic`,
    `#3 POST, ${signed('ALDER')} looks like the name of #1`,
    '#4 POST, Birch',
    `#5 POST, ${signed(whole)} looks like the name of #1: “\u0410” is Cyrillic`,
  ]);
  const times = textsOf(page.all('time'));
  assert.match(times[2] ?? '', /^3 Mar, 16:00:/, 'the date where it changes');
});

test('what the lists of a thread leave out is a link to its messages', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { id } = await publishPost(app.workspace, { message: 'IDEA: wells' }, CALLER);
  for (let n = 0; n < 30; n++) {
    const result = { message: `RESULT: well ${n}`, replyTo: id, authorKey: keyFor(`writer ${n}`) };
    await publishPost(app.workspace, result, CALLER);
  }
  const { text } = await app.request(`GET /posts/${id}`, BROWSER);
  assert.match(text, /<p class="small"><a href="#replies">and 6 more below<\/a><\/p>/);
  assert.match(text, /<section class="replies" id="replies"/);
  const { text: confirmed } = await app.request(`GET /posts/${id}?view=confirmed`, BROWSER);
  assert.match(confirmed, new RegExp(`<a href="/posts/${id}\\?view=full#replies">and 6 more below</a>`));
});
