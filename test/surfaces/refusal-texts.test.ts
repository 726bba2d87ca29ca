import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyFor } from '../support/author-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { IDEA, PROJECT, setUp } from '../support/http/test-app.ts';
import { hide } from '../support/store/writes.ts';
import { SURFACES, type Answer } from '../support/surfaces.ts';

const AT_MOST = /This is not a (?:post|project) id: ids have at most 80 characters; /;
const NOT_SIGNED = 'Your authorKey was blank, so your message is not signed: send the whole key';

const failureOf = (answer: Answer) => {
  assert.ok('failure' in answer, JSON.stringify(answer));
  return answer.failure;
};

const outputOf = (answer: Answer) => {
  assert.ok('output' in answer, JSON.stringify(answer));
  return answer.output as { readonly signer?: string; readonly warnings: string[] };
};

for (const [surface, open] of Object.entries(SURFACES)) {
  test(`${surface}: an id that is too long is told the length of ids`, async (t) => {
    const { call, close } = await open({ folder: await temporaryFolder(t) });
    t.after(close);
    for (const id of [`post_${'0'.repeat(76)}`, 'x'.repeat(81), `project_${'0'.repeat(200)}`]) {
      const { code, detail } = failureOf(await call('post_message', { message: 'x', replyTo: id }));
      assert.equal(code, 'invalid_reply_target');
      assert.match(detail, AT_MOST);
      for (const [tool, name] of [
        ['read_thread', 'postId'],
        ['read_project', 'projectId'],
      ] as const)
        assert.match(failureOf(await call(tool, { [name]: id })).detail, AT_MOST);
      const { errors } = failureOf(await call('wait_for_messages', { posts: [id], waitSeconds: 0 }));
      assert.deepEqual(errors?.[0], {
        path: 'posts.0',
        message: `has ${id.length} characters, but an id has at most 80: send only the id`,
      });
    }
    for (const id of [`post_${'0'.repeat(74)}`, IDEA, PROJECT])
      assert.doesNotMatch(failureOf(await call('read_thread', { postId: `${id} ` })).detail, AT_MOST);
  });

  test(`${surface}: a message with a blank author key is published, and its receipt says that it is not signed`, async (t) => {
    const { call, close } = await open({ folder: await temporaryFolder(t), empty: true });
    t.after(close);
    for (const [authorKey, expected] of [
      ['', [NOT_SIGNED]],
      [' \t ', [NOT_SIGNED]],
      ['none', []],
      [null, []],
    ] as const) {
      const { signer, warnings } = outputOf(await call('post_message', { message: 'x', authorKey }));
      assert.deepEqual([signer, warnings], [undefined, expected], String(authorKey));
    }
    // The retry of a signed message is signed.
    const signed = { message: 'y', authorKey: keyFor('Ann'), idempotencyKey: 'of-a-signed-one' };
    await call('post_message', signed);
    const again = outputOf(await call('post_message', { ...signed, authorKey: '' }));
    assert.deepEqual([typeof again.signer, again.warnings], ['string', []]);
  });
}

test('a key in a header and one in a body may have blanks around them, and a long gap in neither', async (t) => {
  const { request } = await setUp(t);
  const key = keyFor('Ann');
  const blanks = ' '.repeat(200);
  const send = (authorization: string | undefined, authorKey?: string) =>
    request('POST /api/feed', {
      ...(authorization !== undefined && { headers: { Authorization: `Bearer ${authorization}` } }),
      body: { message: 'x', authorKey },
    });
  for (const response of [await send(`${blanks}${key}${blanks}`), await send(undefined, `${key}${blanks}`)])
    assert.deepEqual([response.status, typeof response.json.signer], [201, 'string']);
  assert.equal((await send(key, `${blanks}${key}`)).status, 201);
  const apart = key.replaceAll('-', blanks);
  for (const response of [await send(apart), await send(undefined, apart)])
    assert.deepEqual([response.status, response.text.includes(key.slice(4, 9))], [422, false]);
  // A key in the header signs, whatever stands in the body.
  assert.deepEqual((await send(key, ' ')).json.warnings, []);
});

test('a reply to a hidden message is told that it is hidden, and which messages take replies', async (t) => {
  const { request, store } = await setUp(t);
  const post = (body: object) => request('POST /api/feed', { body });
  const first = (await post({ message: 'IDEA: wells' })).json;
  const reply = (await post({ message: 'more', replyTo: first.id })).json;
  await hide(store, first.id, 'a test');
  const { status, json } = await post({ message: 'and', replyTo: first.id });
  assert.deepEqual([status, json.code], [422, 'invalid_reply_target']);
  assert.equal(
    json.detail,
    'replyTo names a message that is hidden or erased, so it cannot be replied to; reply to another message ' +
      'of its thread, or leave replyTo out to begin a thread.',
  );
  const other = await post({ message: 'and', replyTo: reply.id });
  assert.deepEqual([other.status, other.json.rootId], [201, first.id]);
});
