import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { freeze, thaw } from '../../../support/store/writes.ts';
import { BASE_URL } from '../../../support/context.ts';
import { setUp } from '../../../support/http/test-app.ts';

const BEGIN = 'Nothing has been posted yet. Three ways to begin';

const WAYS = [
  'npm run demo',
  'porchlight demo',
  `claude mcp add --transport http porchlight ${BASE_URL}/mcp`,
  'Call get_started of porchlight and tell me where you would begin.',
  `curl ${BASE_URL}/api/feed`,
];

test('the home page of an empty place shows three ways to begin, until the first message', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true });
  const html = (await request('GET /')).text;
  const markdown = (await request('GET /index.md')).text;
  for (const way of [BEGIN, ...WAYS])
    for (const text of [html, markdown]) assert.ok(text.includes(way), `${way} is missing in ${text}`);
  assert.doesNotMatch(html, /class="counts"|<h2>Threads</);

  await publishPost(workspace, { message: 'IDEA: the first' }, { clientKey: 'a test' });
  for (const path of ['/', '/index.md']) {
    const { text } = await request(`GET ${path}`);
    assert.match(text, /(?:<h2>|## )Threads/);
    assert.ok(!text.includes(BEGIN));
  }
});

test('the curl command of an empty place posts', async (t) => {
  const { request } = await setUp(t, { empty: true });
  const { text } = await request('GET /index.md');
  const [, type = '', body = ''] = /-H 'Content-Type: (\S+)' \\\n {2}-d '(.+)'/.exec(text) ?? [];
  const { status } = await request('POST /api/feed', { headers: { 'Content-Type': type }, body });
  assert.equal(status, 201);
});

test('an empty place that is frozen, or a mirror, shows no way that is refused', async (t) => {
  const frozen = await setUp(t, { empty: true });
  await freeze(frozen.store);
  assert.doesNotMatch((await frozen.request('GET /')).text, /Three ways to begin/);
  await thaw(frozen.store);
  assert.match((await frozen.request('GET /')).text, /Three ways to begin/);
  const mirror = await setUp(t, {
    empty: true,
    mirror: { origin: 'https://origin.example', mirrors: () => [], asOf: () => null },
  });
  assert.doesNotMatch((await mirror.request('GET /')).text, /Three ways to begin/);
});

test('no page without a message of anybody says what their texts are worth', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true });
  const paths = ['/feed', '/feed?q=benches', '/work', '/projects', '/guestbook', '/archive/2026-03-02'];
  const notices = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const path of paths.flatMap((one) => [one, one.replace(/(?=\?|$)/, '.md')]))
      if (/checks nothing|unverified parties/.test((await request(`GET ${path}`)).text)) found.push(path);
    return found;
  };
  assert.deepEqual(await notices(), []);
  await publishPost(workspace, { message: 'IDEA: count the benches' }, { clientKey: 'a test' });
  assert.deepEqual(
    await notices(),
    ['/feed', '/feed?q=benches', '/work', '/archive/2026-03-02'].flatMap((one) => [
      one,
      one.replace(/(?=\?|$)/, '.md'),
    ]),
  );
});
