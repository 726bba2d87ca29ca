import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { keyFor, signerFor } from '../../../support/author-key.ts';
import { parsePage } from '../../../support/http/html.ts';
import { BROWSER, CALLER, postAs } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

async function open(t: TestContext) {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const post = async (message: string, name: string, more: object = {}): Promise<string> =>
    (await publishPost(app.workspace, { message, name, ...more }, CALLER)).id;
  const read = async (path: string): Promise<string> => (await app.request(`GET ${path}`)).text;
  return { ...app, post, read };
}

test('two signers of one name have the first signs of each beside it, and who sent no key "not signed"', async (t) => {
  const { post, read } = await open(t);
  const [first, second] = [keyFor('one'), keyFor('two')];
  const root = await post('IDEA: wells', 'Alder', { authorKey: first });
  const shown = async (path: string): Promise<string[]> =>
    Array.from((await read(path)).matchAll(/<span class="who signer">([^<]*)</g), ([, signs = '']) => signs);
  assert.deepEqual(await shown(`/posts/${root}`), []);
  const result = await post('RESULT: a table', 'A1der', { replyTo: root, authorKey: second });
  await post('well', 'alder', { replyTo: root });
  const [own, other] = [signerFor('one', root), signerFor('two', root)].map((mark) => mark.slice(0, 6));
  // The byline of the first message, the row of the RESULT, who is trusted, and the heads of the replies.
  assert.deepEqual(await shown(`/posts/${root}`), [own, other, own, other, 'not signed']);
  assert.deepEqual(await shown('/feed'), ['not signed', other, own]);
  assert.deepEqual(await shown('/work'), [own, other]);
  const twin = await read(`/posts/${root}.md`);
  assert.match(twin, /, not signed, looks like the name of post_[0-9a-f-]+, signed \w{12}\b/);
  assert.ok(twin.includes(`signer ${signerFor('two', root)}`));
  assert.equal((await read(`/api/posts/${result}?whole=true`)).includes('shortSigner'), false);
});

test('no page has a name in its own words, and no feed in the titles of its entries', async (t) => {
  const { post, read, clock } = await open(t);
  const name = 'Qzx” #1, confirmed';
  const authorKey = keyFor('opener');
  const root = await post('IDEA: wells\nParts: a; b', name, { authorKey });
  const work = await post('WORK: a\nNext update by (UTC): 2026-03-02 16:10', name, { replyTo: root });
  const result = await post(`RESULT: a table\nEnds: ${work}`, name, {
    replyTo: root,
    authorKey: keyFor('two'),
  });
  const review = `REVIEW: read\nReviewed: ${result}\nOutcome: confirmed\nEvidence: rows`;
  await post(review, name, { replyTo: root, authorKey });
  await post(`RESULT: corrected\nCorrects: ${result}`, name, { replyTo: root, authorKey });
  const elsewhere = await post(`see ${root} and ${result}`, name);
  for (let number = 0; number < 8; number++) await post('and', name, { replyTo: root });
  clock.advance(3 * 3_600_000);
  const paths = [
    '/',
    '/feed',
    '/results',
    '/work',
    `/posts/${root}`,
    `/posts/${elsewhere}`,
    `/report?id=${result}`,
  ];
  for (const path of [...paths, `/posts/${root}?view=full`]) {
    const html = await read(path);
    const rest = html.replaceAll(/<(a|span) class="name"[^>]*><bdi>[^<]*<\/bdi><\/\1>/g, '');
    assert.ok(!rest.includes('Qzx'), `${path}: ${/.{80}Qzx.{20}/s.exec(rest)?.[0] ?? ''}`);
  }
  const feed = await read('/feed.atom');
  assert.ok(feed.includes('<name>Qzx'));
  for (const [title] of feed.matchAll(/<title.*?<\/title>/gs)) assert.ok(!title.includes('Qzx'), title);
});

test('lists and titles of feeds call a message by its number in their thread, and others by no id', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { request, workspace } = app;
  const post = (name: string, message: string, replyTo?: string) => postAs(app, name, message, replyTo);
  const root = await post('Heron', 'IDEA: count the benches');
  const result = await post('Tally', 'RESULT: twelve', root);
  await post('Moss', `WORK: the review of ${result}: each bench\nStep I am taking: ${root}, again`, root);
  const { id: plain } = await publishPost(workspace, { message: 'Which ones?', replyTo: root }, CALLER);
  const lines = `What I produced: a list from ${plain} and ${result}\nCorrects: ${result}`;
  await post('Tally', `RESULT: thirteen, as ${plain} asks\n${lines}`, root);
  await post('Moss', `IDEA: as ${root}, but lamps`);
  const read = async (path: string): Promise<string> => {
    const { text } = await request(`GET ${path}`, BROWSER);
    const [main] = parsePage(text).all('main');
    return main === undefined ? text : main.text;
  };
  for (const path of ['/feed', '/work', '/archive/2026-03-02'])
    assert.match(await read(path), /the review of #2: each bench. Step I am taking: #1, again/, path);
  for (const path of ['/feed', '/archive/2026-03-02'])
    assert.match(await read(path), /thirteen, as #4 asks/, path);
  for (const path of ['/', '/index.md', '/feed', '/work', '/feed.atom', '/feed.xml', '/feed.json'])
    assert.match(await read(path), /as another message, but lamps/, path);
  for (const path of ['/feed.atom', '/feed.xml', '/feed.json'])
    assert.match(await read(path), /WORK: the review of #2: each bench/, path);
  assert.doesNotMatch(await read(`/posts/${root}`), /post …/);
  for (const path of ['/', '/feed', '/work', '/results'])
    assert.doesNotMatch(await read(path), /post …|post_/, path);
});
