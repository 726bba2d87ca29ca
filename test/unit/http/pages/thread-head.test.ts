import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { DAY_MS, publishAs, readPage, reviewOf, trim } from '../../../support/http/pages.ts';
import { textsOf, linksOf } from '../../../support/http/html.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

async function openThread(t: TestContext) {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const post = async (name: string, message: string, replyTo?: string) => {
    const { id, signer = '' } = await publishAs(app, name, message, replyTo);
    return { id, signer };
  };
  const lines = 'Useful outcome: a map of **all** benches\nParts: north; south; east';
  const { id: root } = await post('Heron', `IDEA: benches\n${lines}`);
  const readThread = (search = '') => readPage(app, `/posts/${root}${search}`);
  return { ...app, post, root, readThread };
}

test('a thread begins with what is wanted, and how its parts stand', async (t) => {
  const { post, root, readThread, clock } = await openThread(t);
  const north = await post('Tally', 'RESULT: twelve\nPart: north', root);
  clock.advance(DAY_MS);
  await post('Heron', reviewOf(north.id, 'confirmed'), root);
  const south = await post('Moss', 'RESULT: six\nPart: south', root);
  await post('Heron', reviewOf(south.id, 'partly confirmed'), root);
  const page = await readThread();
  assert.equal(page.all('p', { class: 'want' })[0]?.text, 'Wanted: a map of all benches');
  const rows = (): string[] =>
    page.all('li').flatMap(({ path, text }) => (path.at(-1) === 'ol' ? [trim(text)] : []));
  assert.deepEqual(rows(), [
    'north confirmed twelve Tally, 2 Mar; confirmed 3 Mar, #2 Heron checked: counted. #3',
    'south partly confirmed six Moss, 3 Mar, #4 Heron checked: counted. #5',
    'east no one on it',
  ]);
  const sum = trim(page.all('p', { class: 'sum' })[0]?.text);
  assert.equal(sum, '1 of 3 parts confirmed, 1 partly confirmed, 1 with no one on it.');
  assert.equal(page.all('i').length, 3);
  const trusted = trim(page.all('section', { class: 'trusted' })[0]?.text);
  assert.match(
    trusted,
    /^Trusted here The reviews of 2 signers count here: the opener has two votes, the others have one each\. They may all be one party with several keys\. Heron opened the thread; Tally wrote #2, confirmed in #3\. See the thread as Tally sees it\. What “confirmed” means$/,
  );
  assert.equal(page.all('a', { href: '/about#confirmed' }).length, 1);
  const ofRow = page.all('a', { href: `#${north.id}` }).filter(({ path }) => path.includes('ol'));
  assert.deepEqual(textsOf(ofRow), ['twelve']);
  assert.equal(page.all('a', { href: '#messages' }).length, 1);
});

test('a part names what votes refute and what is announced for it, and a WORK that holds it has a time', async (t) => {
  const { post, root, readThread } = await openThread(t);
  const wrong = await post('Tally', 'RESULT: twelve\nPart: north', root);
  await post('Heron', reviewOf(wrong.id, 'not confirmed'), root);
  await post('Moss', 'WORK: count\nPart: north\nNext update by (UTC): 2026-03-02 18:00', root);
  await post('Heron', 'WORK: count\nPart: south\nNext update by (UTC): 2026-03-02 18:00', root);
  const [list] = (await readThread()).all('ol', { class: 'known' });
  assert.equal(
    trim(list!.text),
    'north not confirmed not confirmed: #2 announced: #4 ' +
      'south being worked on count Heron, until 18:00 UTC, #5 east no one on it',
  );
});

test('a thread can be seen as eight of its trusted signers see it', async (t) => {
  const { post, root, readThread } = await openThread(t);
  const signers: string[] = [];
  for (let n = 0; n < 10; n++) signers.push((await post(`Writer ${n}`, 'hello', root)).signer);
  await post('Heron', `Trust: ${signers.join(', ')}`, root);
  const links = (await readThread())
    .all('a')
    .filter(({ attributes: { href } }) => href?.includes('viewer=') === true);
  assert.equal(links.length, 8);
});

test('a long thread can be seen as another trusted signer sees it, or one who is not', async (t) => {
  const { request, post, root, readThread } = await openThread(t);
  const first = await post('Tally', 'RESULT: twelve', root);
  await post('Heron', reviewOf(first.id, 'confirmed'), root);
  const other = await post('Moss', 'RESULT: six', root);
  const doubt = await post('Rook', reviewOf(first.id, 'not confirmed'), root);
  for (let more = 0; more < 9; more++) await post('Heron', 'and', root);
  const page = await readThread();
  const links = page.all('a').filter(({ attributes: { href } }) => href?.includes('viewer=') === true);
  assert.deepEqual(linksOf(links), [['Tally', `/posts/${root}?viewer=${first.signer}`]]);
  const standings = ({ all }: typeof page): number[] =>
    ['st refuted', 'tag refuted'].map((name) => all('span', { class: name }).length);
  assert.deepEqual(standings(page), [0, 0]);
  const outside = await readThread(`?viewer=${doubt.signer.toUpperCase()}`);
  assert.deepEqual(standings(outside), [2, 1], 'in the heads of the RESULT and the REVIEW, and in the list');
  assert.match(
    trim(outside.all('header')[1]?.text),
    /as the signer \w{12} sees it, not as the opener sees it\. That signer is not trusted here\./,
  );
  assert.equal(outside.all('meta', { name: 'robots' })[0]?.attributes['content'], 'noindex, follow');
  assert.ok(outside.all('a', { href: `/posts/${root}?view=full&viewer=${doubt.signer}` }).length === 1);
  const { text } = await request(`GET /posts/${root}.md?viewer=${doubt.signer}`);
  assert.match(text, /That signer is not trusted here/);
  const { post: opening } = (await request(`GET /api/posts/${root}`)).json;
  const later = new URLSearchParams({ viewer: doubt.signer, after: opening.createdAt });
  for (const path of [`/posts/${root}`, `/posts/${root}.md`])
    assert.match((await request(`GET ${path}?${later}`)).text, /not as the opener sees it/, path);
  const member = await readThread(`?viewer=${first.signer}`);
  assert.match(
    trim(member.all('header')[1]?.text),
    new RegExp(`as the signer ${first.signer} sees it, not as the opener sees it\\. (?!That)`),
  );
  assertProblem(await request(`GET /posts/${root}?viewer=aaaaaaaaaaaa`), 422, 'invalid_request');
  assert.ok(other.signer !== first.signer);
});

test('a long thread says which messages are of today, until midnight', async (t) => {
  const { post, root, readThread, clock } = await openThread(t);
  for (let more = 0; more < 11; more++) await post('Heron', 'and', root);
  clock.advance(DAY_MS);
  const show = async (): Promise<string> =>
    trim((await readThread()).all('nav', { class: 'small show' })[0]?.text);
  assert.match(await show(), /only what is confirmed$/);
  const { id } = await post('Moss', 'one', root);
  assert.match(await show(), /\. New: #13 today$/);
  await post('Moss', 'two', root);
  assert.match(await show(), /\. New: #13 to #14 today$/);
  const isLinked = (await readThread()).all('a', { href: `#${id}` }).some(({ text }) => text === '#13');
  assert.equal(isLinked, true);
  clock.advance(DAY_MS);
  assert.match(await show(), /only what is confirmed$/);
});

test('a preview says in one sentence what is known', async (t) => {
  const { post, root, request } = await openThread(t);
  const describe = async (id: string): Promise<string> => {
    const page = await readPage({ request }, `/posts/${id}`);
    return page.all('meta', { property: 'og:description' })[0]?.attributes['content'] ?? '';
  };
  assert.match(
    await describe(root),
    /^0 of 3 parts confirmed, 3 with no one on them, as other agents judge\. Message/,
  );
  const north = await post('Tally', 'RESULT: twelve\nPart: north', root);
  await post('Heron', reviewOf(north.id, 'confirmed'), root);
  assert.match(
    await describe(root),
    /^1 of 3 parts confirmed, 2 with no one on them, as other agents judge\. Message/,
  );
  const own = await post('Heron', 'RESULT: six lamps');
  assert.match(await describe(own.id), /^This result is to review\. Message/);
  await post('Tally', 'hello', own.id);
  await post('Heron', `Trust: ${(await post('Moss', 'hello', own.id)).signer}`, own.id);
  const check = `${reviewOf(own.id, 'confirmed')}\nRemaining uncertainty: “lamp” 6`;
  await post('Moss', check, own.id);
  assert.match(
    await describe(own.id),
    /^This result is confirmed; checked: “counted\.”; left open: “"lamp" 6\.”\. Message/,
  );
});
