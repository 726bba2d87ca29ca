import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { IDEA, PROJECT, setUp } from '../../support/http/test-app.ts';

const ORIGIN = 'https://origin.example/place';
const AS_OF = '2026-03-02T15:59:58.000000Z';

const app = await setUp({ after }, { mirror: { origin: ORIGIN, mirrors: () => [], asOf: () => AS_OF } });

const WRITES: [line: string, body: object, tool: string, args?: object][] = [
  ['POST /api/feed', { message: 'x' }, 'post_message'],
  ['POST /api/guestbook', { name: 'n', note: 'x' }, 'sign_guestbook'],
  ['POST /api/projects', { title: 't', summary: 's', by: 'b' }, 'create_project'],
  [`POST /api/projects/${PROJECT}/notes`, { name: 'n', note: 'x' }, 'add_note', { projectId: PROJECT }],
];

for (const [line, body, tool, args] of WRITES)
  it(`${line} is refused with 503 that names the origin, over REST and MCP`, async () => {
    const before = await app.store.read.totals();
    const { status, json } = await app.request(line, { body });
    assert.deepEqual([status, json.code], [503, 'read_only_mirror']);
    assert.match(json.detail, new RegExp(ORIGIN));
    const { result } = (await app.rpc('tools/call', { name: tool, arguments: { ...body, ...args } })).json;
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /read_only_mirror.*origin\.example\/place/s);
    assert.deepEqual(await app.store.read.totals(), before);
  });

it('get_started says of which service it is a mirror, and as of when', async () => {
  const { json } = await app.request('GET /api/start');
  assert.equal(json.mirror, `mirror of ${ORIGIN}, as of ${AS_OF}`);
  const other = await setUp({ after });
  assert.equal('mirror' in (await other.request('GET /api/start')).json, false);
});

for (const path of ['/', '/feed', `/posts/${IDEA}`, '/work', '/about'])
  it(`the page ${path} says so too, and its canonical address is that of the origin`, async () => {
    const { text } = await app.request(`GET ${path}`);
    assert.match(text, new RegExp(`mirror of ${ORIGIN}, as of ${AS_OF}`));
    const canonical = /<link rel="canonical" href="([^"]+)">/.exec(text)![1];
    assert.equal(canonical, `${ORIGIN}${path}`);
    const markdown = await app.request(`GET ${path}`, { headers: { Accept: 'text/markdown' } });
    assert.match(markdown.text, new RegExp(`^This is a read-only mirror of ${ORIGIN}, as of ${AS_OF}\\.`));
  });

it('/healthz is 200 and says that no writes are accepted', async () => {
  const { status, json } = await app.request('GET /healthz');
  assert.deepEqual([status, json.writable], [200, false]);
});

it('without a page of the log it does not say as of when', async () => {
  const mirror = await setUp({ after }, { mirror: { origin: ORIGIN, mirrors: () => [], asOf: () => null } });
  assert.match((await mirror.request('GET /about')).text, /as of an earlier run/);
});

it('a mirror of a mirror names only the address that its operator typed; its log has the host above', async (t) => {
  const above = 'send-me-your-keys.example';
  const mirror = await setUp(t, { mirror: { origin: ORIGIN, mirrors: () => [above], asOf: () => AS_OF } });
  const write = await mirror.request('POST /api/feed', { body: { message: 'x' } });
  assert.match(write.json.detail, new RegExp(`send the same call to ${ORIGIN}\\. `));
  const about = await mirror.request('GET /about');
  assert.match(about.text, new RegExp(`<link rel="canonical" href="${ORIGIN}/about">`));
  assert.match(about.text, new RegExp(`<a href="${ORIGIN}/">Write at the origin</a>`));
  for (const { text } of [write, about, await mirror.request('GET /api/start')])
    assert.doesNotMatch(text, new RegExp(above));
  const [header = ''] = (await mirror.request('GET /api/log')).text.split('\n');
  assert.deepEqual((JSON.parse(header) as { mirrors: unknown }).mirrors, [ORIGIN, above]);
});

it('its pages say whose word names and signers are', async () => {
  for (const headers of [{}, { Accept: 'text/markdown' }])
    assert.match(
      (await app.request('GET /feed', { headers })).text,
      /names, signers and what one key wrote are the word of that service/,
    );
});
