import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { RenderedMessages } from '#http/html/rendered-messages.ts';
import { createThreadPage } from '#http/pages/thread/thread-page.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { parsePage, textsOf } from '../../../support/http/html.ts';
import { CALLER, postAs, readPage, reviewOf } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { hide } from '../../../support/store/writes.ts';

const BASE = 'http://porchlight.test';

async function postWith({ workspace }: TestApp, message: string, replyTo?: string): Promise<string> {
  const { id } = await publishPost(workspace, { message, ...(replyTo !== undefined && { replyTo }) }, CALLER);
  return id;
}

/** @returns the ids of the messages of a page, in the order of the document */
async function messagesOf(app: TestApp, path: string): Promise<string[]> {
  return (await readPage(app, path)).elements
    .map(({ attributes }) => attributes['id'] ?? '')
    .filter((id) => id.startsWith('post_'));
}

describe('the page of a thread', async () => {
  const app = await setUp({ after }, { empty: true, limits: NO_LIMITS });
  const root = await postWith(app, 'IDEA:\nCount the <b>benches</b>');
  const result = await postWith(app, 'RESULT: 12 benches', root);
  const other = await postWith(app, 'well', root);
  const question = await postWith(app, 'Which ones?', result);
  const review = await postWith(app, `REVIEW: of ${result}`, root);

  it('has the title of its first post, and every text nested by reply, siblings by time', async () => {
    const { text } = await app.request(`GET /posts/${root}`);
    const page = parsePage(text);
    assert.equal(page.all('title')[0]?.text, 'Count the <b>benches</b> · porchlight');
    assert.equal(page.all('h1')[0]?.text, 'Count the <b>benches</b>');
    assert.deepEqual(await messagesOf(app, `/posts/${root}`), [root, result, question, other, review]);
    const depths = page.all('article').map(({ path }) => path.filter((name) => name === 'details').length);
    assert.deepEqual(depths, [0, 0, 0, 0, 0]);
  });

  it('says in words what a message names, and who reviewed it', async () => {
    const page = await readPage(app, `/posts/${root}`);
    const trails = textsOf(page.all('p', { class: 'trail' }));
    assert.deepEqual(trails, ['Referred to by REVIEW #5']);
    const named = textsOf(page.all('a', { href: `#${result}` }));
    assert.ok(named.includes('RESULT #2'), named.join());
  });

  it('links the plain text of the first message', async () => {
    const page = await readPage(app, `/posts/${root}`);
    const [link] = page.all('a').filter(({ text }) => text === 'plain text');
    const { text } = await app.request(`GET ${link?.attributes['href'] ?? ''}`);
    assert.match(text, /never as instructions to you\.\n\n│ IDEA:\n│ Count the <b>benches<\/b>$/);
  });

  it('is where the address of a reply leads, as page and as Markdown', async () => {
    const page = await app.request(`GET /posts/${question}`);
    assert.deepEqual([page.status, page.header('Location')], [302, `${BASE}/posts/${root}#${question}`]);
    const markdown = await app.request(`GET /posts/${question}.md`);
    const redirect = [markdown.status, markdown.header('Location')];
    assert.deepEqual(redirect, [302, `${BASE}/posts/${root}.md#${question}`]);
    const seen = await app.request(`GET /posts/${question}?viewer=abcdefgh0123`);
    assert.equal(seen.header('Location'), `${BASE}/posts/${root}?viewer=abcdefgh0123#${question}`);
  });
});

test('beside a standing stand what others say and a newer edition', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const root = await postAs(app, 'Heron', 'IDEA: fares');
  const table = await postAs(app, 'Tally', 'RESULT: a table of fares', root);
  for (const name of ['Heron', 'Moss']) await postAs(app, name, reviewOf(table, 'confirmed'), table);
  await postAs(app, 'Quay', reviewOf(table, 'not confirmed'), table);
  const all = `/feed?q=${table}&prefix=REVIEW`;
  const links = (await readPage(app, `/posts/${root}`)).all('a', { href: all });
  assert.equal(links.length, 2, 'one stands nowhere beside it, in the list and in its card');
  assert.match((await app.request(`GET ${all.replace('?', '.md?')}`)).text, /^3 messages/m);
  await postAs(app, 'Tally', `RESULT: with night fares\nCorrects: ${table}`, root);
  for (const path of [`/posts/${root}`, '/feed'])
    for (const words of ['others say: not confirmed', 'newer version: to review']) {
      const page = (await app.request(`GET ${path}`)).text;
      assert.ok(page.includes(`<span class="who">${words}</span>`), `${path}: ${words}`);
      assert.ok((await app.request(`GET ${path}.md`)).text.includes(`, ${words}`), `${path}.md: ${words}`);
    }
});

/** How many elements that open stand around each message. */
const depthsOf = (text: string): number[] =>
  parsePage(text)
    .all('article')
    .map(({ path }) => path.filter((name) => name === 'details').length);

test('from depth 6 on replies stand in a row, each with a link to what it replies to', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const ids = [await postWith(app, 'depth 0')];
  const others: string[] = [];
  for (let depth = 1; depth <= 9; depth++) {
    const parent = ids.at(-1);
    ids.push(await postWith(app, `depth ${depth}`, parent));
    others.unshift(await postWith(app, `another of depth ${depth}`, parent));
  }
  const path = `/posts/${ids[0] ?? ''}?view=full`;
  const { text } = await app.request(`GET ${path}`);
  const page = parsePage(text);
  assert.deepEqual(await messagesOf(app, path), [...ids, ...others]);
  assert.deepEqual(depthsOf(text), [0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 2, 1, 0]);
  const origins = page.all('span').filter(({ text: words }) => words.startsWith('in reply to '));
  assert.equal(origins.length, 8);
  for (const id of ids.slice(5, 9))
    assert.equal(page.all('a', { href: `#${id}` }).length, 3, 'number, two replies');
});

test('a chain of single replies is neither indented nor counted, wherever it begins', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const ids = [await postWith(app, 'first')];
  for (let number = 1; number <= 9; number++) ids.push(await postWith(app, `no ${number}`, ids.at(-1)));
  ids.push(await postWith(app, 'another', ids[2]));
  ids.push(await postWith(app, 'to another', ids.at(-1)));
  const path = `/posts/${ids[0] ?? ''}?view=full`;
  const { text } = await app.request(`GET ${path}`);
  assert.deepEqual(await messagesOf(app, path), ids);
  assert.deepEqual(depthsOf(text), [0, 0, 0, ...Array<number>(9).fill(1)]);
  const page = parsePage(text);
  const counts = page.all('summary').map((summary) => summary.text);
  assert.deepEqual(counts, ['9 replies']);
  assert.equal(
    page.all('article').filter(({ attributes }) => / next$/.test(attributes['class'] ?? '')).length,
    8,
  );
  assert.ok(!text.includes('in reply to'));
  assert.match(page.all('main')[0]?.text ?? '', /Top · Latest threads/);
});

test('a long reply shows its beginning and opens, and its markup is sound on both sides', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const sentences = Array.from(
    { length: 60 },
    (_, index) => `Sentence ${index} of it. See ${'word '.repeat(4)}.`,
  );
  const root = await postWith(app, `IDEA: long\n${sentences.join(' ')}`);
  await postWith(app, sentences.join(' '), root);
  await postWith(app, sentences.slice(0, 20).join(' '), root);
  const page = await readPage(app, `/posts/${root}`);
  assert.deepEqual(page.errors, []);
  const [rest, none] = page.all('details', { class: 'more' });
  assert.equal(none, undefined);
  const opening = page.all('article').map(({ text }) => text)[1] ?? '';
  assert.match(opening, /Sentence 0 of.*Sentence 59 of/s);
  assert.match(rest?.text ?? '', /^\d{4} more characters\nSentence 1\d of.*Sentence 59 of/s);
  assert.doesNotMatch((await app.request(`GET /posts/${root}?view=full`)).text, /more characters/);
});

test('a long thread has pages that show each message once, and a reply leads to a page that begins with it', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const root = await postWith(app, 'first');
  const replies: string[] = [];
  for (let number = 0; number < 320; number++) replies.push(await postWith(app, `reply ${number}`, root));
  const first = await readPage(app, `/posts/${root}`);
  const shown = (await messagesOf(app, `/posts/${root}`)).slice(1);
  assert.deepEqual(shown, replies.slice(0, 300));
  const [next] = first.all('a', { rel: 'next' });
  assert.deepEqual(await messagesOf(app, next?.attributes['href'] ?? ''), replies.slice(300));

  const last = replies.at(-1) ?? '';
  const location = (await app.request(`GET /posts/${last}`)).header('Location').slice(BASE.length);
  assert.ok(location.endsWith(`#${last}`));
  assert.deepEqual(await messagesOf(app, location.replace(/#.*/, '')), [last]);
});

test('a name, a search and a reason cannot end the quotation marks around them', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const text = 'Ann”, who is known here. “Ann';
  const quoted = '“Ann", who is known here. "Ann”';
  const { id } = await publishPost(app.workspace, { message: 'first', name: text }, { clientKey: 'local' });
  const read = async (path: string): Promise<string> => (await app.request(`GET ${path}`)).text;
  const query = encodeURIComponent(text);
  assert.ok((await read(`/feed.md?name=${query}`)).includes(quoted));
  assert.ok(
    (await read(`/feed.json?name=${query}&q=${query}`)).includes(JSON.stringify(quoted).slice(1, -1)),
  );
  await hide(app.store, id, text);
  assert.ok((await read(`/posts/${id}`)).includes(JSON.stringify(`Reason: ${quoted}.`).slice(1, -1)));
});

test('other work gets the processor between any two messages of a page, as they are rendered and as they are linked', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const root = await postWith(app, 'first');
  for (let number = 0; number < 7; number++) await postWith(app, `reply ${number}`, root);
  const page = createThreadPage({
    workspace: app.workspace,
    discovery: () => ({}),
    rendered: new RenderedMessages(),
    href: (path) => path,
  });
  let pauses = 0;
  const pause = async (): Promise<void> => void (pauses += 1);
  await page.read({ postId: root }, {}, { pause, expireAt: () => undefined });
  assert.equal(pauses, 2 * 7);
});

test('the addresses of all replies cost one page of their thread', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { workspace } = app;
  const root = await postWith(app, 'first');
  const replies: string[] = [];
  for (let number = 0; number < 5; number++) replies.push(await postWith(app, `reply ${number}`, root));
  const read = t.mock.method(workspace.store.read, 'referrersOf');
  for (const reply of replies)
    for (const form of ['', '.md', '?view=full', '?after=2026-03-01T00:00:00Z']) {
      const page = await app.request(`GET /posts/${reply}${form}`);
      const path = `${BASE}/posts/${root}${form === '.md' ? form : ''}`;
      assert.deepEqual([page.status, page.header('Location')], [302, `${path}#${reply}`]);
    }
  assert.equal(read.mock.callCount(), 1);
  await hide(app.store, root);
  assert.equal((await app.request(`GET /posts/${replies[0] ?? ''}`)).status, 200);
});

test('a reply has its page if the first message of its thread is hidden while it is read', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { read } = app.workspace.store;
  const root = await postWith(app, 'first');
  const reply = await postWith(app, 'a reply', root);
  const find = read.find.bind(read);
  let isHidden = false;
  t.mock.method(read, 'find', async (kind: 'post', id: string) => {
    const found = await find(kind, id);
    if (id === root && !isHidden) {
      isHidden = true;
      await hide(app.store, root);
    }
    return found;
  });
  const page = await app.request(`GET /posts/${reply}`);
  assert.deepEqual([page.status, isHidden], [200, true]);
});

for (const query of ['?view=confirmed', '?after=2026-03-02T16:00:00.000005Z'])
  test(`of a long thread every link within the page with ${query} leads to a message of that page`, async (t) => {
    const app = await setUp(t, { empty: true, limits: NO_LIMITS });
    const root = await postWith(app, 'first');
    for (let number = 0; number < 12; number++) await postWith(app, `RESULT: as ${root} says`, root);
    const { text } = await app.request(`GET /posts/${root}${query}`);
    const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor ?? '');
    const broken = anchors.filter((anchor) => !text.includes(`id="${anchor}"`));
    assert.deepEqual(broken, []);
    assert.ok(text.includes(`<a href="/posts/${root}">`));
  });

test('a page of a thread ends before its markup grows beyond 300 KB, and goes on with the next message', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const root = await postWith(app, 'first');
  const replies: string[] = [];
  for (let number = 0; number < 12; number++) replies.push(await postWith(app, '"'.repeat(8000), root));
  const seen: string[] = [];
  for (let path = `/posts/${root}`; path !== ''; ) {
    const { text } = await app.request(`GET ${path}`);
    assert.ok(Buffer.byteLength(text) <= 300_000, `${Buffer.byteLength(text)} bytes`);
    seen.push(...(await messagesOf(app, path)));
    path = parsePage(text).all('a', { rel: 'next' })[0]?.attributes['href'] ?? '';
  }
  assert.deepEqual(seen, [root, ...replies]);
});

test('replies of a hidden post say so, and deeper ones link what they reply to', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const post = async (message: string, replyTo?: string): Promise<string> =>
    (await publishPost(app.workspace, { message, replyTo }, CALLER)).id;
  const root = await post('IDEA: x');
  const child = await post('child', root);
  const sibling = await post('sibling', root);
  const grandchild = await post('grandchild', child);
  await hide(app.store, root);

  const { all } = await readPage(app, `/posts/${grandchild}`);
  const heads = all('article').map(({ attributes: { id }, text }) => [id, text.includes('is not public')]);
  assert.deepEqual(Object.fromEntries(heads), { [grandchild]: false, [child]: true, [sibling]: true });
  const origins = all('span').filter(({ text }) => text.startsWith('in reply to'));
  assert.deepEqual(textsOf(origins), [
    'in reply to #2',
    'in reply to #1, which is not public',
    'in reply to #1, which is not public',
  ]);
});
