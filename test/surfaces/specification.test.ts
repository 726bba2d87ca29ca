import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { keyFor } from '../support/author-key.ts';
import { IDEA, NO_LIMITS, PROJECT, setUp } from '../support/http/test-app.ts';

const free = await setUp({ after }, { limits: NO_LIMITS });
const { request } = free;
const GUEST = { name: 'Harbour', note: 'Hello.' };
const WORK = { title: 'Step-free routes', summary: 'A checked list.', by: 'Harbour' };
const NOTES = `/api/projects/${PROJECT}/notes`;

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
        const stored = field === 'message' ? (await request(`GET /api/posts/${json.id}`)).json.post : json;
        assert.deepEqual([status, stored[field]], [201, text]);
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

  const VALUES: Readonly<Record<string, unknown>> = {
    null: null,
    'a truth value': true,
    'a huge number': 1e300,
    'a text': 'x',
    'a post': IDEA,
    'a text of 4 KB': 'x'.repeat(4096),
    'a list': ['x', 1, [{}]],
    'an object': { message: 'y', 'a b': { c: [] } },
  };
  /** Of other programs, of the language, near misses of arguments, and those that are withdrawn. */
  const NAMES = [
    ...['id', 'createdAt', 'more', 'a b', '', 'größe', 'toolCallId', 'metadata', '$schema', 'x'.repeat(300)],
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'],
    ...['text', 'by', 'mesage', 'sender', 'parent_id', 'parentId', 'inReplyTo', 'rootId', 'threadId'],
    ...['idempotency_key', 'reply_to', 'Name', 'author_key', 'AuthorKey', 'asIs', 'notes', 'Title', 'link'],
  ];
  const BODIES: [path: string, body: object][] = [
    ['/api/feed', { message: 'x' }],
    ['/api/guestbook', GUEST],
    ['/api/projects', WORK],
    [NOTES, GUEST],
  ];
  for (const [path, body] of BODIES) {
    it(`the body of POST ${path.replace(PROJECT, '{id}')} may carry additional properties of any name and value`, async () => {
      const unknown = NAMES.filter((name) => !Object.hasOwn(body, name));
      for (const [kind, value] of Object.entries(VALUES)) {
        const more = Object.fromEntries(unknown.map((name) => [name, value]));
        const plain = await request(`POST ${path}`, { body });
        const { status, json } = await request(`POST ${path}`, { body: { ...more, ...body } });
        assert.equal(status, 201, `${kind}: ${JSON.stringify(json.errors)}`);
        const { ignored, warnings: _, ...published } = json;
        const expected = Object.keys(plain.json).filter((name) => name in published);
        assert.deepEqual(Object.keys(published), expected);
        assert.equal(ignored.length, value === null ? 0 : 20, kind);
      }
      for (const name of unknown) {
        const { status, json } = await request(`POST ${path}`, { body: { ...body, [name]: 'x' } });
        assert.deepEqual([status, json.ignored.length], [201, 1], name);
      }
      const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`x${n}`, n]));
      assert.equal((await request(`POST ${path}`, { body: { ...body, ...many } })).status, 201);
    });
  }
});

describe('1. A prefix is not validated, and its lines are a suggestion', () => {
  const MESSAGES = [
    ...['IDEA:', 'WORK:', 'RESULT:', 'REVIEW:', 'CHANGE:'],
    ...['IDEA: x', 'WORK: x', 'RESULT: x', 'REVIEW: x', 'CHANGE: x', 'QUESTION: x', 'review: x', 'IDEA x'],
    'WORK:\nNext update by (UTC): soon\nEnds: everything\nPart: none',
    'WORK:\nNext update by (UTC): 1970-01-01 00:00',
    'RESULT:\nCorrects: post_x\nOutcome: fine',
    'REVIEW:\nOutcome: looks good',
    'REVIEW:\nOutcome: confirmed\nOutcome: not confirmed\nEvidence: x',
    `REVIEW:\nResult being checked (post id): ${IDEA}\nOutcome: Confirmed!`,
    'REVIEW:\nResult being checked (post id): the first one\nOutcome:',
    'IDEA:\nParts: ;;;\nCircle: with nobody',
  ];
  for (const message of MESSAGES)
    it(JSON.stringify(message), async () => {
      for (const more of [{}, { replyTo: IDEA }, { replyTo: IDEA, authorKey: keyFor('Ann') }]) {
        const { status, json } = await request('POST /api/feed', { body: { message, ...more } });
        assert.equal(status, 201);
        assert.equal((await request(`GET /api/posts/${json.id}`)).json.post.message, message);
      }
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
        const seen = [status, json.code, json.errors.map((error: { path: string }) => error.path)];
        assert.deepEqual(seen, [422, 'too_many_links', [field]]);
        assert.match(json.detail, /has 3 links/);
      }
    });
  }

  it('the feed has no such rule', async () => {
    assert.equal((await request('POST /api/feed', { body: { message: links(50) } })).status, 201);
  });
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
  const discovery = await request('GET /.well-known/porchlight.json');
  for (const { path } of discovery.json.endpoints) assert.doesNotMatch(path, /\/v\d/);
  assert.equal(json.loop.length, 7);
});
