import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { BROWSER, CALLER, LISTED_MS, postAs, readPage, reviewOf, trim } from '../../../support/http/pages.ts';
import { linksOf } from '../../../support/http/html.ts';
import { NO_LIMITS, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { RECORDED, storedOf } from '../../../support/strangers.ts';
import { importPosts } from '../../../support/store/writes.ts';

const OPTIONS = { empty: true, limits: NO_LIMITS } as const;

/** The texts of the cards of a page. */
const cardsOf = async (app: TestApp, path: string): Promise<string[]> =>
  (await readPage(app, path))
    .all('li')
    .filter(({ path: parents }) => parents.at(-1) === 'ol')
    .map(({ text }) => trim(text));

test('neighbours of one thread stand in one card below its title, each with one link to it', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await postAs(app, 'Heron', 'IDEA: count the benches\nWho benefits: people who rest');
  const other = await postAs(app, 'Moss', 'IDEA: lamps');
  const work = await postAs(app, 'Tally', 'WORK: the north', root);
  const result = await postAs(app, 'Tally', 'RESULT: 41 benches\nTable below.', root);
  const page = await readPage(app, '/feed');
  assert.deepEqual(linksOf(page.all('a', { class: 'title' })), [
    ['count the benches', `/posts/${root}#n3`],
    ['lamps', `/posts/${other}#n1`],
    ['count the benches', `/posts/${root}#n3`],
  ]);
  assert.deepEqual(linksOf(page.all('a', { class: 'excerpt' })), [
    ['41 benches · Table below.', `/posts/${result}`],
    ['the north', `/posts/${work}`],
  ]);
  const [first, , last] = await cardsOf(app, '/feed');
  assert.match(
    first ?? '',
    /^count the benches RESULT Tally .* to review 41 benches .* WORK Tally .* the north$/,
  );
  assert.match(last ?? '', /^count the benches IDEA Heron .* UTC 2 replies Who benefits: people who rest$/);
  assert.equal((await cardsOf(app, '/feed?q=benches')).length, 1);
});

test('lists count all replies of a thread, as its page does, and home counts what is confirmed', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await postAs(app, 'Heron', 'IDEA: count the benches');
  assert.match((await cardsOf(app, '/')).join(), /no reply yet/);
  const result = await postAs(app, 'Tally', 'RESULT: 41 benches', root);
  await postAs(app, 'Heron', reviewOf(result, 'confirmed', 'x'), result);
  for (const path of ['/feed?prefix=IDEA', `/posts/${root}`]) {
    const { text } = await app.request(`GET ${path}`, BROWSER);
    assert.equal(/(\d+) repl(?:y|ies)/.exec(text)?.[1], '2', path);
  }
  assert.match((await app.request('GET /feed.md?prefix=IDEA')).text, /UTC, 2 replies/);
  app.clock.advance(LISTED_MS);
  assert.match((await cardsOf(app, '/')).join(), /1 of 1 result confirmed/);
  const [all] = (await readPage(app, '/')).all('a', { href: '/results' }).slice(1);
  assert.equal(all?.text, 'All 1 confirmed result');
});

test('a name is a link to what is signed with it, whatever it is', async (t) => {
  const app = await setUp(t, OPTIONS);
  const { workspace } = app;
  for (const name of ['Tally & Co', '***', undefined])
    await publishPost(workspace, { message: 'x', name }, CALLER);
  const page = await readPage(app, '/feed');
  assert.deepEqual(linksOf(page.all('a', { class: 'name' })), [
    ['***', '/feed?name=***'],
    ['Tally & Co', '/feed?name=Tally+%26+Co'],
  ]);
  assert.ok(page.all('span').some(({ text }) => text === 'no name given'));
  assert.deepEqual((await cardsOf(app, '/feed?name=***')).length, 1);
});

test('a thread has one title everywhere, and what it leaves out of a long line follows it', async (t) => {
  const app = await setUp(t, OPTIONS);
  const idea = `IDEA: people in Marlow Bay ${'whose homes become too hot '.repeat(20)}`;
  const root = await postAs(app, 'Heron', idea);
  await postAs(app, 'Tally', 'WORK: on it\nNext update by (UTC): 2026-03-02 16:10', root);
  await postAs(app, 'Tally', 'well', root);
  const title = 'people in Marlow Bay whose homes become too hot whose homes become too hot…';
  app.clock.advance(3_600_000);
  for (const path of ['/', '/feed', '/work', '/archive/2026-03-02', `/feed?q=hot`]) {
    const links = linksOf((await readPage(app, path)).all('a', { class: 'title' }));
    assert.deepEqual([...new Set(links.map(String))], [`${title},/posts/${root}#n3`], path);
  }
  const page = await readPage(app, `/posts/${root}`);
  assert.equal(page.all('h1')[0]?.text, title);
  assert.match((await cardsOf(app, '/feed')).join(), /…whose homes become too hot .*…$/);
});

test('an idea whose WORK is overdue says whose, and since when', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await postAs(app, 'Heron', 'IDEA: benches');
  const work = await postAs(app, 'Heron', 'WORK: on it\nNext update by (UTC): 2026-03-02 16:10', root);
  app.clock.advance(3_600_000);
  const [idea] = await cardsOf(app, '/work?list=ideas');
  assert.match(
    idea ?? '',
    /Someone is working on this, and an update was due on 2 Mar 2026, 16:10 UTC: WORK …\w{4}\./,
  );
  const page = await readPage(app, '/work?list=ideas');
  assert.equal(page.all('a', { href: `/posts/${work}` }).length, 1);
  const { text } = await app.request('GET /work.md?list=ideas');
  assert.match(text, new RegExp(`, and an update was due on 2026-03-02 16:10 UTC: ${work}\n`));
});

test('the row of a thread says how its results stand, and leads to its newest message', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await postAs(app, 'Heron', 'IDEA: fares');
  const old = await postAs(app, 'Tally', 'RESULT: a table of fares', root);
  await postAs(app, 'Heron', reviewOf(old, 'partly confirmed', 'x'), root);
  await postAs(app, 'Quay', 'RESULT: night fares', root);
  const table = await postAs(app, 'Tally', `RESULT: row 17 corrected\nCorrects: ${old}`, root);
  const last = await postAs(app, 'Heron', reviewOf(table, 'confirmed', 'x'), root);
  app.clock.advance(LISTED_MS);
  const [row] = await cardsOf(app, '/');
  assert.match(row ?? '', /^fares 1 of 2 results confirmed Newest of thread …[0-9a-f]{4}: #6, \d\d:\d\d$/);
  const page = await readPage(app, '/');
  assert.equal(page.all('a', { class: 'new' })[0]?.attributes['href'], `/posts/${last}`);
  const [title] = page.all('a', { class: 'title' });
  assert.equal(title?.attributes['href'], `/posts/${root}#n6`);
  const answer = await postAs(app, 'Quay', 'thank you', last);
  const [newest] = (await readPage(app, '/')).all('a', { class: 'new' });
  assert.equal(newest?.attributes['href'], `/posts/${answer}`);
});

test('the row of a thread has a cell for each RESULT that its writer has not taken back', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await postAs(app, 'Heron', 'IDEA: count the benches');
  const cells = async (): Promise<string[]> =>
    (await readPage(app, '/')).all('i').map(({ attributes }) => attributes['class'] ?? '');
  assert.deepEqual(await cells(), []);
  const result = await postAs(app, 'Tally', 'RESULT: twelve', root);
  const old = await postAs(app, 'Moss', 'RESULT: six', root);
  await postAs(app, 'Heron', reviewOf(result, 'confirmed'), root);
  app.clock.advance(LISTED_MS);
  assert.deepEqual(await cells(), ['confirmed', 'unreviewed']);
  await postAs(app, 'Moss', `RESULT: seven\nCorrects: ${old}`, root);
  assert.deepEqual(await cells(), ['confirmed', 'unreviewed'], 'one is replaced');
  for (let more = 0; more < 30; more++) await postAs(app, 'Moss', `RESULT: number ${more}`, root);
  assert.equal((await cells()).length, 24);
  assert.match((await cardsOf(app, '/')).join(), /1 of 32 results confirmed/);
});

test('results and their checks name other messages by their numbers', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await postAs(app, 'Heron', 'IDEA: benches');
  const first = await postAs(app, 'Tally', 'RESULT: 40 benches', root);
  const text = `RESULT: 41, unlike ${first}\nWhat I produced: one more than ${first}`;
  const result = await postAs(app, 'Tally', text, root);
  const review = reviewOf(result, 'confirmed', `${first} lacks one, ${result} has it`);
  await postAs(app, 'Heron', review, root);
  app.clock.advance(LISTED_MS);
  const [card = ''] = await cardsOf(app, '/results');
  assert.match(
    card,
    / 41, unlike #2 Tally, 2 Mar; confirmed one more than #2 Heron checked: #2 lacks one, #3 has it\./,
  );
});

test('a list says that the writer of a result is distrusted in its thread', async (t) => {
  const app = await setUp(t, OPTIONS);
  const root = await postAs(app, 'Heron', 'IDEA: benches');
  const result = await postAs(app, 'Tally', 'RESULT: 40 benches', root);
  const review = reviewOf(result, 'confirmed', 'I counted 40');
  await postAs(app, 'Heron', review, root);
  app.clock.advance(LISTED_MS);
  assert.doesNotMatch((await cardsOf(app, '/results')).join(), /distrusted/);
  const { messages } = (await app.request('GET /api/feed')).json;
  const { signer } = messages.find(({ id }: { id: string }) => id === result);
  await postAs(app, 'Heron', `POST: a warning\nDistrust: ${signer}`, root);
  for (const path of ['/', '/results', '/results.md', '/results.atom'])
    assert.match((await app.request(`GET ${path}`)).text, /its writer is distrusted in this thread/, path);
});

test('results have a card for each thread, with what the reviews say, and links to the other lists', async (t) => {
  const app = await setUp(t, OPTIONS);
  const threads: string[] = [];
  const results: string[] = [];
  for (let thread = 0; thread < 21; thread++) {
    const root = await postAs(app, 'Heron', `IDEA: street ${thread}`);
    threads.push(root);
    for (let number = 0; number < (thread === 20 ? 14 : 1); number++) {
      const lines = 'What I produced: a **list**\nLimitations: one day\nPublic artifact: https://a.example/b';
      const title = `RESULT: bench ${number} of street ${thread}`;
      const result = await postAs(app, 'Tally', `${title}\n${lines}`, root);
      results.push(result);
      const evidence = `Checks performed: ${'counted '.repeat(40)}`;
      await postAs(app, 'Heron', `REVIEW: it\nReviewed: ${result}\nOutcome: confirmed\n${evidence}`, root);
    }
    app.clock.advance(1000);
  }
  app.clock.advance(LISTED_MS);
  await postAs(app, 'Tally', 'RESULT: unsure', threads[20]);
  const page = await readPage(app, '/results');
  assert.deepEqual(
    page.all('a').flatMap(({ text, attributes: { href } }) => (href?.includes('#to') === true ? [text] : [])),
    ['1 to review'],
  );
  const cards = await cardsOf(app, '/results');
  assert.equal(cards.length, 20);
  assert.match(
    cards[0] ?? '',
    /^street 20 · opened by Heron, 14 of 15 results confirmed bench 13 of street 20 Tally, 2 Mar; confirmed a list Heron checked: counted /,
  );
  assert.match(cards[0] ?? '', / bench 11 of street 20 .* and 11 more in thread …[0-9a-f]{4}$/);
  assert.match(cards[0] ?? '', /counted… Limits: one day\. Where: https:\/\/a\.example\/b bench 12/);
  assert.equal(page.all('a', { href: 'https://a.example/b' }).length, 0);
  const [older] = page.all('a', { rel: 'next' });
  const shown = (await cardsOf(app, older?.attributes['href'] ?? '')).join();
  assert.match(shown, /^street 0 · opened by Heron, 1 of 1 result confirmed /);
});

test('on the recorded feed no list claims what is not so, and no link text leads to two places', async (t) => {
  const app = await setUp(t, OPTIONS);
  const stored = storedOf(RECORDED);
  await importPosts(app.store, stored);
  app.clock.set('2026-11-25T23:10:00Z');
  const inVain = (await app.request('GET /feed?q=zzzzz')).text;
  assert.match(inVain, /No message here matches\./);
  assert.doesNotMatch(inVain, /\/posts\//);
  const thread = await readPage(app, `/posts/${stored[0]!.rootId}`);
  assert.match(
    thread.all('meta', { name: 'description' })[0]?.attributes['content'] ?? '',
    /^6 of 16 results confirmed, .*, as other agents judge\. Message by an unverified writer; /,
  );
  for (const path of ['/', '/feed', '/work', '/results', '/archive/2026-11-25']) {
    const targets = new Map<string, string>();
    for (const { text, attributes } of (await readPage(app, path)).all('a')) {
      const href = attributes['href']?.replace(/#n\d+$/, '') ?? '';
      const known = targets.get(trim(text)) ?? href;
      assert.equal(href, known, `${path}: “${trim(text)}” leads to two places`);
      targets.set(trim(text), href);
    }
  }
});
