import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { addNote, createProject, signGuestbook } from '#workspace/porch/porch.ts';
import { assertProblem } from '../../support/http/problem.ts';
import { NO_LIMITS, setUp } from '../../support/http/test-app.ts';
import { firstOf, IS_THOROUGH } from '../../support/thorough.ts';

const app = await setUp({ after }, { empty: true, limits: NO_LIMITS }, {});
const { request, workspace, clock } = app;
const COUNT = IS_THOROUGH ? 1000 : 300;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const caller = { clientKey: 'a test' };

const ids = (records: { id: string }[]): string[] => records.map(({ id }) => id);

// All at the same time, since the clock of the test stands still.
const TOP = await publishPost(workspace, { message: 'the top' }, caller);
const posts = ids([
  TOP,
  ...(await Promise.all(
    range(COUNT).map((i) => publishPost(workspace, { message: `${i}`, replyTo: TOP.id }, caller)),
  )),
]);
const guests = ids(
  await Promise.all(range(COUNT).map((i) => signGuestbook(workspace, { name: 'a', note: `${i}` }, caller))),
);
const projects = ids(
  await Promise.all(
    range(COUNT).map((i) => createProject(workspace, { title: `${i}`, summary: 'b', by: 'c' }, caller)),
  ),
);
const PROJECT = projects[0]!;
const notes = ids(
  await Promise.all(
    range(COUNT).map((i) => addNote(workspace, { projectId: PROJECT, name: 'a', note: `${i}` }, caller)),
  ),
);

const WALKS: [path: string, list: string, cursor: string, sizes: number[], expected: string[]][] = [
  ['/api/feed', 'messages', 'nextBefore', [7, 100, 1], posts.toReversed()],
  [`/api/posts/${TOP.id}`, 'replies', 'nextBefore', [7, 100], posts.slice(1).reverse()],
  [`/api/posts/${TOP.id}?whole=true`, 'replies', 'nextAfter', [7, 100], posts.slice(1)],
  ['/api/guestbook', 'notes', 'nextBefore', [7, 200], guests.toReversed()],
  ['/api/projects', 'projects', 'nextBefore', [7, 200], projects.toReversed()],
  [`/api/projects/${PROJECT}`, 'notes', 'nextAfter', [7, 200], notes],
];

/** Follows Link rel=next and asserts that it has the cursor of the body. */
async function walk(
  path: string,
  list: string,
  cursor: string,
  between: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const seen: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { json, headers } = await request(`GET ${next}`);
    seen.push(...ids(json[list]));
    const link = /^<http:\/\/porchlight\.test(\/[^>]+)>; rel="next"$/.exec(String(headers['link']))?.[1];
    const parameter = cursor === 'nextBefore' ? 'before' : 'after';
    assert.equal(link && new URL(link, 'http://x').searchParams.get(parameter), json[cursor] ?? undefined);
    if (json[cursor] !== null) assert.equal(json[cursor], json[list].at(-1).createdAt);
    next = link;
    await between();
  }
  return seen;
}

describe('paging until the cursor is null returns every visible record once', () => {
  for (const [path, list, cursor, sizes, expected] of WALKS) {
    for (const size of firstOf(sizes)) {
      it(`${path.replace(/_.*/, '_…')} by ${size}`, async () => {
        const walked = await walk(`${path}${path.includes('?') ? '&' : '?'}limit=${size}`, list, cursor);
        assert.deepEqual(walked, expected);
      });
    }
  }
});

it('a last page that is full has no cursor and no Link', async () => {
  const last = await createProject(workspace, { title: 'a', summary: 'b', by: 'c' }, caller);
  await addNote(workspace, { projectId: last.id, name: 'a', note: 'b' }, caller);
  const { json, headers } = await request(`GET /api/projects/${last.id}?limit=1`);
  assert.deepEqual([json.notes.length, json.nextAfter, headers['link']], [1, null, undefined]);
});

it('a cursor between two microseconds has the record of the first one before it, and none twice', async () => {
  const between = `${TOP.createdAt.slice(0, -1)}5Z`;
  const { json: older } = await request(`GET /api/feed?before=${between}`);
  assert.deepEqual(ids(older.messages), [TOP.id]);
  const { json: newer } = await request(`GET /api/posts/${TOP.id}?whole=true&limit=1&after=${between}`);
  assert.deepEqual(ids(newer.replies), posts.slice(1, 2));
});

const READS = [
  '/api/feed',
  `/api/posts/${TOP.id}`,
  ...['/api/guestbook', '/api/projects', '/api/start', '/api/protocol', '/api/work', '/api/updates'],
  ...['/api/moderation', '/api/log'],
];
const DOCUMENTS = ['/', `/posts/${TOP.id}`, '/feed.xml', '/llms.txt', '/openapi.json'];

it('a read ignores an unknown query parameter, and a header of its own names it', async () => {
  for (const path of [...READS, ...DOCUMENTS]) {
    const plain = await request(`GET ${path}`);
    assert.equal(plain.headers['ignored-parameters'], undefined, path);
    for (const [query, names] of [
      ['colour=blue&colour=red', 'colour'],
      ['__proto__=x&constructor=1&=5', '__proto__, constructor, ""'],
      ['toolCallId=1', 'toolCallId'],
    ] as const) {
      const read = await request(`GET ${path}?${query}`);
      assert.deepEqual([read.status, read.headers['ignored-parameters']], [200, names], path);
      assert.equal(read.headers['etag'], plain.headers['etag'], path);
      assert.doesNotMatch(read.text, /colour|toolCallId/);
      const head = await request(`HEAD ${path}?${query}`);
      assert.deepEqual([head.status, head.headers['ignored-parameters']], [200, names], path);
      if (plain.headers['etag'] === undefined) continue;
      const headers = { 'If-None-Match': String(plain.headers['etag']) };
      const same = await request(`GET ${path}?${query}`, { headers });
      assert.deepEqual([same.status, same.headers['ignored-parameters']], [304, names], path);
    }
  }
  assert.equal((await request('GET /healthz?colour=blue')).status, 200);
});

it('a read refuses a near miss of a filter, and a filter that it does not have', async () => {
  for (const path of [...READS, '/', `/posts/${TOP.id}`, '/feed.xml', `/posts/${TOP.id}/feed.atom`])
    for (const query of ['Limit=1', 'author=x'])
      assertProblem(await request(`GET ${path}?${query}`), 422, 'invalid_request');
  const { json } = await request('GET /api/feed?author=blue&limit=1');
  const message =
    'is not an argument of read_feed, which takes limit, before, q, name, prefix, threads and view';
  assert.deepEqual(json.errors, [{ path: 'author', message }]);
  const near = await request('GET /api/feed?beforee=2026-03-02T16:00:00Z');
  assert.match(near.json.errors[0].message, /^is not an argument of read_feed: send it as before$/);
});

it('a near miss of a parameter of the path is ignored, the parameter itself and a second question mark are refused', async () => {
  const { status, headers } = await request(`GET /api/posts/${TOP.id}?id=1&thread_id=2`);
  assert.deepEqual([status, headers['ignored-parameters']], [200, 'id, thread_id']);
  for (const path of [`/api/posts/${TOP.id}?postId=post_1`, '/api/feed?limit=1?'])
    assertProblem(await request(`GET ${path}`), 422, 'invalid_request');
});

it('paging a whole thread while others post returns every reply once, oldest first', async () => {
  const path = `/api/posts/${posts[COUNT / 2]!}?whole=true&limit=7`;
  let number = 0;
  const seen = await walk(path, 'replies', 'nextAfter', async () => {
    if (number === 40) return;
    clock.advance(number % 2 === 0 ? -1000 : 500);
    await publishPost(workspace, { message: `meanwhile ${(number += 1)}`, replyTo: posts[number]! }, caller);
  });
  assert.deepEqual(seen.slice(0, COUNT), posts.slice(1));
  const { json } = await request(`GET ${path}`);
  assert.equal(json.post.id, TOP.id);
  assert.equal(json.threadCount, 1 + COUNT + 40);
  assert.equal(new Set(seen).size, COUNT + 40);
});
