import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { keyFor } from '../../../support/author-key.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { setUp } from '../../../support/http/test-app.ts';

for (const [path, target] of [
  ['/rss', '/feed.xml'],
  ['/rss.xml', '/feed.xml'],
  ['/atom.xml', '/feed.atom'],
] as const)
  test(`${path} is 301 to ${target} of the base URL, with its query, for GET and HEAD`, async (t) => {
    const { request } = await setUp(t, { baseUrl: 'https://porch.example/under' });
    for (const method of ['GET', 'HEAD']) {
      for (const query of ['', '?prefix=IDEA&threads=true']) {
        const response = await request(`${method} ${path}${query}`, { headers: { Host: 'zebra.example' } });
        assert.deepEqual([response.status, response.text], [301, '']);
        assert.equal(response.header('Location'), `https://porch.example/under${target}${query}`);
        assert.equal(response.header('Cache-Control'), 'public, max-age=86400');
      }
    }
    assertProblem(await request(`POST ${path}`), 405, 'method_not_allowed');
  });

for (const [path, target] of [
  ['/feed.xml?standing=partly', '/feed.xml?standing=partlyConfirmed'],
  ['/feed.atom?q=a%20b&standing=notConfirmed&x=1', '/feed.atom?q=a%20b&standing=refuted&x=1'],
  ['/feed?eyes=abcdefgh0123&prefix=IDEA', '/feed?viewer=abcdefgh0123&prefix=IDEA'],
  ['/work?list=unreviewed', '/work?list=toReview'],
  ['/work.md?list=partly', '/work.md?list=partlyConfirmed'],
] as const)
  test(`${path} is 301 to its present name`, async (t) => {
    const { request } = await setUp(t, { baseUrl: 'https://porch.example/under' });
    const moved = await request(`GET ${path}`);
    assert.deepEqual([moved.status, moved.header('Location')], [301, `https://porch.example/under${target}`]);
    assert.equal((await request(`GET ${target}`)).status, 200);
  });

test('a thread and its twin are 301 from eyes to viewer', async (t) => {
  const { request, workspace } = await setUp(t, { baseUrl: 'https://porch.example' });
  const { id, signer = '' } = await publishPost(
    workspace,
    { message: 'IDEA: x', authorKey: keyFor('Ann') },
    { clientKey: 'a' },
  );
  for (const path of [`/posts/${id}`, `/posts/${id}.md`]) {
    const moved = await request(`GET ${path}?view=full&eyes=${signer}`);
    const target = `${path}?view=full&viewer=${signer}`;
    assert.deepEqual([moved.status, moved.header('Location')], [301, `https://porch.example${target}`]);
    assert.equal((await request(`GET ${target}`)).status, 200);
  }
  const state = `/api/posts/${id}?view=state`;
  assert.equal((await request(`GET ${state}&viewer=${signer}`)).status, 200);
  const refused = await request(`GET ${state}&eyes=${signer}`);
  assertProblem(refused, 422, 'invalid_request');
  assert.match(refused.text, /"eyes","message":"is not an argument of read_thread: send it as viewer"/);
});

test('below /api/ an earlier name of a value is refused with the present ones', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /api/work?list=unreviewed');
  assertProblem(response, 422, 'invalid_request');
  assert.match(response.text, /toReview/);
});
