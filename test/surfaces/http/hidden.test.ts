import assert from 'node:assert/strict';
import test from 'node:test';
import { IDEA, PROJECT, setUp, type Setting } from '../../support/http/setting.ts';
import { assertProblem } from '../../support/http/problem.ts';

const TRANSLATION = 'post_019c9a31-6400-7000-8000-000000000003';
const WORK = 'post_019c9a31-6400-7000-8000-000000000004';
const RESULT = 'post_019c9a31-6400-7000-8000-000000000005';
const GUEST = 'guest_019c9a31-6400-7000-8000-000000000002';
const NOTE = 'note_019c9a31-6400-7000-8000-000000000007';

const hide = ({ store }: Setting, id: string) => store.write((writer) => writer.hide(id, 'a test'));
const unhide = ({ store }: Setting, id: string) => store.write((writer) => writer.unhide(id, 'a test'));
const ids = (records: { id: string }[]): string[] => records.map(({ id }) => id);

const READS = [
  '/api/feed',
  '/api/start',
  '/api/guestbook',
  '/api/projects',
  '/feed.xml',
  '/',
  `/api/posts/${TRANSLATION}`,
  `/posts/${TRANSLATION}`,
  `/api/posts/${IDEA}`,
  `/api/projects/${PROJECT}`,
];

for (const id of [WORK, RESULT, GUEST, NOTE, TRANSLATION, PROJECT, IDEA]) {
  test(`while ${id.replace(/-.*0/, '…')} is hidden no read names it, and afterwards every read is as before`, async (t) => {
    const setting = await setUp(t);
    const read = (): Promise<string[]> =>
      Promise.all(READS.map(async (path) => (await setting.ask(`GET ${path}`)).text));
    const before = await read();
    await hide(setting, id);
    const during = await read();
    // As the parent or root of what stays visible it may be named.
    const named = new RegExp(`"id":"${id}"|/${id}|"postId":"${id}"`);
    for (const [index, text] of during.entries()) assert.doesNotMatch(text, named, READS[index]);
    await unhide(setting, id);
    assert.deepEqual(await read(), before);
  });
}

test('a hidden post: its own read is 404, a reply to it 422, it is gone from totals, its replies keep their parentId and stay readable', async (t) => {
  const setting = await setUp(t);
  await hide(setting, TRANSLATION);
  assertProblem(await setting.ask(`GET /api/posts/${TRANSLATION}`), 404, 'not_found');
  assertProblem(await setting.ask(`GET /posts/${TRANSLATION}`), 404, 'not_found');
  const reply = await setting.ask('POST /api/feed', { body: { message: 'x', replyTo: TRANSLATION } });
  assertProblem(reply, 422, 'invalid_reply_target');
  const { json } = await setting.ask('GET /api/feed');
  assert.deepEqual(json.totals, {
    messages: 4,
    threads: 2,
    replies: 2,
    byPrefix: { IDEA: 1, WORK: 1, RESULT: 1, REVIEW: 0, CHANGE: 0, none: 1 },
  });
  const work = (await setting.ask(`GET /api/posts/${WORK}`)).json;
  assert.deepEqual(
    [work.parentId, work.post.parentId, work.post.rootId],
    [TRANSLATION, TRANSLATION, TRANSLATION],
  );
  assert.ok(ids(json.messages).includes(WORK));
  const answer = await setting.ask('POST /api/feed', { body: { message: 'x', replyTo: WORK } });
  assert.deepEqual([answer.status, answer.json.rootId], [201, TRANSLATION]);
});

test('replyCount and noteCount count what is visible', async (t) => {
  const setting = await setUp(t);
  const counts = async (): Promise<number[]> => [
    (await setting.ask(`GET /api/posts/${TRANSLATION}`)).json.post.replyCount,
    (await setting.ask(`GET /api/projects/${PROJECT}`)).json.project.noteCount,
    (await setting.ask('GET /api/projects')).json.projects[0].noteCount,
    (await setting.ask('GET /api/guestbook')).json.total,
  ];
  assert.deepEqual(await counts(), [2, 1, 1, 2]);
  for (const id of [WORK, NOTE, GUEST]) await hide(setting, id);
  assert.deepEqual(await counts(), [1, 0, 0, 1]);
});

test('a hidden project: read and note are 404, and its notes are gone with it', async (t) => {
  const setting = await setUp(t);
  await hide(setting, PROJECT);
  assertProblem(await setting.ask(`GET /api/projects/${PROJECT}`), 404, 'not_found');
  assertProblem(
    await setting.ask(`POST /api/projects/${PROJECT}/notes`, { body: { name: 'a', note: 'b' } }),
    404,
    'not_found',
  );
  const { json } = await setting.ask('GET /api/projects');
  assert.deepEqual([json.total, json.projects], [0, []]);
});

test('an idea whose WORK is hidden is open again, a result whose REVIEW is hidden unreviewed again', async (t) => {
  const setting = await setUp(t);
  const waiting = async (): Promise<string[][]> => {
    const { json } = await setting.ask('GET /api/start');
    return [ids(json.openIdeas), ids(json.unreviewedResults), [json.firstContribution.arguments.postId]];
  };
  assert.deepEqual(await waiting(), [[IDEA], [RESULT], [RESULT]]);
  const review = await setting.ask('POST /api/feed', { body: { message: 'REVIEW: fine', replyTo: RESULT } });
  assert.deepEqual(await waiting(), [[IDEA], [], [IDEA]]);
  await hide(setting, review.json.id);
  await hide(setting, WORK);
  assert.deepEqual(await waiting(), [[TRANSLATION, IDEA], [RESULT], [RESULT]]);
});
