import assert from 'node:assert/strict';
import test from 'node:test';
import { IDEA, PROJECT, setUp } from '../../support/http/test-app.ts';
import { erase, hide, unhide } from '../../support/store/writes.ts';
import { assertProblem } from '../../support/http/problem.ts';

const TRANSLATION = 'post_019c9a31-6400-7000-8000-000000000003';
const WORK = 'post_019c9a31-6400-7000-8000-000000000004';
const RESULT = 'post_019c9a31-6400-7000-8000-000000000005';
const GUEST = 'guest_019c9a31-6400-7000-8000-000000000002';
const NOTE = 'note_019c9a31-6400-7000-8000-000000000007';

const READS = [
  ...['/api/feed', '/api/start', '/api/guestbook', '/api/projects', '/feed.xml', '/feed.atom?prefix=RESULT'],
  ...['/feed.json?threads=true', '/'],
  `/api/posts/${TRANSLATION}`,
  `/posts/${TRANSLATION}`,
  `/api/posts/${IDEA}`,
  `/api/projects/${PROJECT}`,
];

for (const id of [WORK, RESULT, GUEST, NOTE, TRANSLATION, PROJECT, IDEA]) {
  test(`while ${id.replace(/-.*0/, '…')} is hidden no read has it, and after unhide every read is as before`, async (t) => {
    const app = await setUp(t);
    const read = (): Promise<string[]> =>
      Promise.all(READS.map(async (path) => (await app.request(`GET ${path}`)).text));
    const before = await read();
    await hide(app.store, id);
    const during = await read();
    // It may still be the parentId or rootId of a visible post.
    const named = new RegExp(`"id":"${id}"|/${id}|"postId":"${id}"`);
    for (const [index, text] of during.entries()) assert.doesNotMatch(text, named, READS[index]);
    if (id === PROJECT) {
      const body = { name: 'a', note: 'b' };
      assertProblem(await app.request(`POST /api/projects/${id}/notes`, { body }), 404, 'not_found');
    }
    await unhide(app.store, id);
    assert.deepEqual(await read(), before);
  });
}

test('the page and the twin of what was taken down are 410 with day and reason, and its thread says why', async (t) => {
  const app = await setUp(t);
  const browser = { headers: { Accept: 'text/html' } };
  await hide(app.store, WORK, 'advertising <b>');
  await hide(app.store, PROJECT, 'spam');
  await erase(app.store, RESULT, 'private data');
  for (const [path, did] of [
    [`/posts/${WORK}`, 'hid this on 2 Mar 2026 (UTC). Reason: “advertising <b>”.'],
    [`/posts/${RESULT}`, 'erased this on 2 Mar 2026 (UTC). Reason: “private data”.'],
    [`/projects/${PROJECT}`, 'hid this on 2 Mar 2026 (UTC). Reason: “spam”.'],
  ] as const) {
    const twin = await app.request(`GET ${path}.md`);
    assertProblem(twin, 410, 'gone');
    assert.equal(twin.json.detail, `The operator ${did}`);
    assert.equal(twin.header('Link'), '<http://porchlight.test/moderation>; rel="related"');
    const page = await app.request(`GET ${path}`, browser);
    assert.equal(page.status, 410);
    assert.ok(page.text.includes(did.replace('<b>', '&lt;b&gt;')), page.text);
    assert.match(page.text, /href="\/moderation"/);
    const left = path.endsWith(WORK) ? `http://porchlight.test/posts/${TRANSLATION}` : undefined;
    assert.equal(twin.json.thread, left);
    assert.equal(page.text.includes(`<a href="${left}">The rest of its thread</a>`), left !== undefined);
    assertProblem(await app.request(`GET /api${path}`), 404, 'not_found');
    const { text } = await app.request('GET /moderation', browser);
    assert.ok(text.includes(`<a href="${path}"><code>`), text);
  }
  const thread = async (): Promise<string> => (await app.request(`GET /posts/${TRANSLATION}`, browser)).text;
  assert.match(
    await thread(),
    /1 message\s<a href="\/moderation">hidden<\/a>: “<bdi>advertising &lt;b&gt;<\/bdi>”/,
  );
  assert.match(
    (await app.request(`GET /posts/${TRANSLATION}.md`)).text,
    /1 message hidden:\n\n```text\n│ advertising <b>/,
  );
  assert.doesNotMatch((await app.request(`GET /posts/${IDEA}`, browser)).text, /hidden<\/a>/);
  await unhide(app.store, WORK);
  assert.doesNotMatch(await thread(), /hidden<\/a>/);
  assert.equal((await app.request(`GET /posts/${WORK}`)).status, 302);
});

test('a message that is shown again while its page is read has its page', async (t) => {
  const app = await setUp(t);
  await hide(app.store, IDEA);
  const { read } = app.store;
  const { moderations } = read;
  t.mock.method(read, 'moderations', async (limit: number) => {
    t.mock.restoreAll();
    await unhide(app.store, IDEA);
    return moderations(limit);
  });
  assert.equal((await app.request(`GET /posts/${IDEA}`)).status, 200);
});
