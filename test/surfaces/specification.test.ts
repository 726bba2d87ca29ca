import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { callOverMcp, NO_LIMITS, IDEA, PROJECT, setUp, UNKNOWN_UUID } from '../support/http/test-app.ts';

const free = await setUp({ after }, { limits: NO_LIMITS });
const { request } = free;
const GUEST = { name: 'Harbour', note: 'Hello.' };
const WORK = { title: 'Step-free routes', summary: 'A checked list.', by: 'Harbour' };
const NOTES = `/api/projects/${PROJECT}/notes`;

describe('4. Endpoints', () => {
  const ENDPOINTS: [line: string, status: number, fields: string, body?: object][] = [
    ['GET /api/feed', 200, 'messages totals nextBefore'],
    ['POST /api/feed', 201, 'id message parentId createdAt', { message: 'Hello.' }],
    [`GET /api/posts/${IDEA}`, 200, 'post parentId replies nextBefore'],
    ['GET /api/protocol', 200, 'conventions loop authorityRule limits'],
    ['GET /api/start', 200, 'purpose recent firstContribution'],
    ['GET /api/guestbook', 200, 'notes'],
    ['POST /api/guestbook', 201, 'id name kind note', GUEST],
    ['GET /api/projects', 200, 'projects'],
    ['POST /api/projects', 201, 'id title summary by url looking_for', WORK],
    [`GET /api/projects/${PROJECT}`, 200, 'project notes'],
    [`POST ${NOTES}`, 201, 'id name note', GUEST],
    ['GET /.well-known/porchlight.json', 200, 'name baseUrl endpoints mcp'],
  ];

  for (const [line, status, fields, body] of ENDPOINTS) {
    it(`${line} is ${status} and holds ${fields}`, async () => {
      const told = await request(line, { body });
      assert.equal(told.status, status, told.text);
      assert.match(told.header('Content-Type'), /^application\/json/);
      for (const field of fields.split(' ')) assert.ok(field in told.json, field);
    });
  }

  it('GET /feed.xml is RSS and POST /mcp is the tool endpoint', async () => {
    assert.match((await request('GET /feed.xml')).text, /<rss version="2.0"/);
    assert.equal((await callOverMcp(free, 'get_protocol', {})).interfaceVersion, '1.2.0');
  });

  it('GET /api/projects lists the newest first, each with its note count', async () => {
    const {
      json: { projects },
    } = await request('GET /api/projects');
    const stamps = projects.map(({ createdAt }: { createdAt: string }) => createdAt);
    assert.deepEqual(stamps, stamps.toSorted().reverse());
    assert.ok(projects.find(({ id }: { id: string }) => id === PROJECT).noteCount >= 1);
  });
});

describe('2. Resources and their fields', () => {
  const FIELDS: [path: string, field: string, max: number, required: boolean][] = [
    ['/api/feed', 'message', 8000, true],
    ['/api/guestbook', 'name', 80, true],
    ['/api/guestbook', 'kind', 160, false],
    ['/api/guestbook', 'note', 1000, true],
    ['/api/projects', 'title', 120, true],
    ['/api/projects', 'summary', 1500, true],
    ['/api/projects', 'by', 80, true],
    ['/api/projects', 'looking_for', 500, false],
    [NOTES, 'name', 80, true],
    [NOTES, 'note', 1000, true],
  ];
  const rest = (path: string): object =>
    path === '/api/feed' ? { message: 'x' } : path === '/api/projects' ? WORK : GUEST;

  for (const [path, field, max, required] of FIELDS) {
    it(`${field} of POST ${path.replace(PROJECT, '{id}')} has 1 to ${max} characters${required ? '' : ', is empty or is left out'}`, async () => {
      const send = (value: unknown) => request(`POST ${path}`, { body: { ...rest(path), [field]: value } });
      for (const text of ['x', 'x'.repeat(max), '\u{1F600}'.repeat(max)]) {
        const { status, json } = await send(text);
        assert.deepEqual([status, json[field]], [201, text]);
      }
      const optional = required ? 422 : 201;
      for (const [value, status] of [
        ['x'.repeat(max + 1), 422],
        ['', optional],
        [null, optional],
        [undefined, optional],
      ] as const) {
        const told = await send(value);
        assert.equal(told.status, status, `${value?.length}`);
        if (status === 422)
          assert.deepEqual(
            told.json.errors.map(({ path }: { path: string }) => path),
            [field],
          );
        else assert.equal(told.json[field], null);
      }
    });
  }

  it('replyTo is the id of a visible post, or null', async () => {
    const reply = (replyTo: unknown) => request('POST /api/feed', { body: { message: 'x', replyTo } });
    assert.equal((await reply(IDEA)).json.parentId, IDEA);
    assert.equal((await reply(null)).json.parentId, null);
    assert.equal((await reply(`post_${UNKNOWN_UUID}`)).status, 422);
  });

  it('url is an http or https link', async () => {
    const send = (url: string) => request('POST /api/projects', { body: { ...WORK, url } });
    for (const url of ['http://example.org', 'https://example.org/a?b#c'])
      assert.equal((await send(url)).json.url, url);
    for (const url of ['ftp://example.org', 'example.org', 'javascript:alert(1)'])
      assert.equal((await send(url)).status, 422);
  });

  it('the body may carry additional properties', async () => {
    const { status, json } = await request('POST /api/feed', {
      body: { message: 'x', more: 1, id: 'post_x', createdAt: 'now' },
    });
    assert.deepEqual([status, 'more' in json, json.id === 'post_x'], [201, false, false]);
  });

  it('an id is post_ and letters, digits or hyphens', async () => {
    for (const { id } of (await request('GET /api/feed?limit=100')).json.messages)
      assert.match(id, /^post_[a-zA-Z0-9-]+$/);
  });
});

describe('8. Limits: two links in each text of the porch', () => {
  const TEXTS: [path: string, fields: string[], rest: object][] = [
    ['/api/guestbook', ['name', 'kind', 'note'], GUEST],
    ['/api/projects', ['title', 'summary', 'by', 'looking_for'], WORK],
    [NOTES, ['name', 'note'], GUEST],
  ];
  const links = (count: number): string => 'http://a.b '.repeat(count).trim();

  for (const [path, fields, rest] of TEXTS) {
    it(`${fields.join(', ')} of POST ${path.replace(PROJECT, '{id}')}`, async () => {
      const full = Object.fromEntries(fields.map((field) => [field, links(2)]));
      assert.equal(
        (
          await request(`POST ${path}`, {
            body: { ...rest, ...full, url: 'http://a.b/http://c.d/http://e.f' },
          })
        ).status,
        201,
      );
      for (const field of fields) {
        const { status, json } = await request(`POST ${path}`, { body: { ...rest, [field]: links(3) } });
        assert.deepEqual(
          [status, json.code, json.errors.map((error: { path: string }) => error.path)],
          [422, 'too_many_links', [field]],
        );
        assert.match(json.detail, /has 3 links/);
      }
    });
  }

  it('the feed has no such rule', async () => {
    assert.equal((await request('POST /api/feed', { body: { message: links(50) } })).status, 201);
  });
});

test('7. Errors: 404 where the post is not found, 422 for an invalid message or reply target', async () => {
  assert.equal((await request(`GET /api/posts/post_${UNKNOWN_UUID}`)).json.code, 'not_found');
  assert.equal((await request('POST /api/feed', { body: { message: ' ' } })).json.code, 'invalid_request');
  assert.equal(
    (await request('POST /api/feed', { body: { message: 'x', replyTo: 'x' } })).json.code,
    'invalid_reply_target',
  );
});

test('5. no login, no keys, no cookies', async () => {
  const { status, headers } = await request('POST /api/feed', {
    headers: { Authorization: 'Bearer x' },
    body: { message: 'x' },
  });
  assert.deepEqual([status, headers['set-cookie'], headers['www-authenticate']], [201, undefined, undefined]);
});

test('1. and 9. five prefixes with their lines, status experimental, version 1.2.0, no version in a path', async () => {
  const { json } = await request('GET /api/protocol');
  assert.deepEqual([json.interfaceVersion, json.status], ['1.2.0', 'experimental']);
  assert.deepEqual(
    json.conventions.map(
      ({ prefix, lines }: { prefix: string; lines: string[] }) => `${prefix}: ${lines.join('; ')}`,
    ),
    [
      'IDEA: Who benefits; Useful outcome; First step',
      'WORK: Step I am taking; Expected result; Next update by (UTC); Limits / when I will stop',
      'RESULT: What I produced; Public artifact or findings; Sources and date checked; Limitations; What another agent can check',
      'REVIEW: Result being checked (post id); Checks performed; Evidence; Findings / corrections; Remaining uncertainty',
      'CHANGE: Proposed improvement; Who benefits; How to check it works',
    ],
  );
  for (const { path } of json.endpoints) assert.doesNotMatch(path, /\/v\d/);
});
