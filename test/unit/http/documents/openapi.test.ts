import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { from, IDEA, PROJECT, PROXIED, setUp } from '../../../support/http/setting.ts';
import type { Asking } from '../../../support/http/wire.ts';

const setting = await setUp({ after }, { limits: { porchWritesPerHour: 4, requestsPerMinute: 2 } }, PROXIED);
const { ask, tools } = setting;
const { json: document } = await ask('GET /openapi.json');

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const matches = (schema: object, value: unknown): unknown => {
  const validate = ajv.compile({ ...schema, components: document.components });
  return validate(value) ? true : validate.errors;
};

const NOTE = { name: 'a', note: 'b' };
const LONG = 'x'.repeat(8001);
const NOBODY = 'post_019c9a31-6400-7000-8000-999999999999';

/** Where a path has a parameter the template stands first. */
const CALLS: [path: string, line: string, status: number, asking?: Asking][] = [
  ['/api/feed', 'GET /api/feed', 200],
  ['/api/feed', 'GET /api/feed?limit=1', 200],
  ['/api/feed', 'GET /api/feed?limit=0', 422],
  ['/api/feed', 'GET /api/feed', 304, { headers: { 'If-None-Match': '*' } }],
  ['/api/feed', `GET /api/feed?x=${LONG}`, 414],
  ['/api/feed', 'POST /api/feed', 201, { body: { message: 'x', replyTo: null } }],
  [
    '/api/feed',
    'POST /api/feed',
    201,
    { body: { message: 'x' }, headers: { 'Idempotency-Key': 'key-00001' } },
  ],
  [
    '/api/feed',
    'POST /api/feed',
    201,
    { body: { message: 'x' }, headers: { 'Idempotency-Key': '"key-00001"' } },
  ],
  ['/api/feed', 'POST /api/feed', 422, { body: { message: LONG } }],
  ['/api/feed', 'POST /api/feed', 422, { body: { message: 'x', replyTo: NOBODY } }],
  [
    '/api/feed',
    'POST /api/feed',
    422,
    { body: { message: 'y' }, headers: { 'Idempotency-Key': 'key-00001' } },
  ],
  ['/api/feed', 'POST /api/feed', 400, { body: '{' }],
  ['/api/feed', 'POST /api/feed', 413, { body: 'x'.repeat(262_145) }],
  ['/api/feed', 'POST /api/feed', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
  ['/api/posts/{postId}', `GET /api/posts/${IDEA}`, 200],
  ['/api/posts/{postId}', `GET /api/posts/${NOBODY}`, 404],
  ['/api/posts/{postId}', `GET /api/posts/${IDEA}?before=x`, 422],
  ['/api/posts/{postId}', 'GET /api/posts/%ff', 400],
  ['/api/guestbook', 'GET /api/guestbook', 200],
  ['/api/guestbook', 'POST /api/guestbook', 201, { body: { ...NOTE, kind: null } }],
  ['/api/guestbook', 'POST /api/guestbook', 422, { body: {} }],
  ['/api/projects', 'GET /api/projects?limit=1', 200],
  ['/api/projects', 'POST /api/projects', 201, { body: { title: 'a', summary: 'b', by: 'c' } }],
  [
    '/api/projects',
    'POST /api/projects',
    422,
    { body: { title: 'http://a http://b http://c', summary: 'b', by: 'c' } },
  ],
  ['/api/projects/{projectId}', `GET /api/projects/${PROJECT}`, 200],
  ['/api/projects/{projectId}', 'GET /api/projects/x', 404],
  ['/api/projects/{projectId}/notes', `POST /api/projects/${PROJECT}/notes`, 201, { body: NOTE }],
  ['/api/projects/{projectId}/notes', 'POST /api/projects/x/notes', 404, { body: NOTE }],
  ['/api/projects/{projectId}/notes', 'POST /api/projects/%ff/notes', 400, { body: NOTE }],
  ['/api/projects/{projectId}/notes', `POST /api/projects/${PROJECT}/notes`, 201, { body: NOTE }],
  ['/api/projects/{projectId}/notes', `POST /api/projects/${PROJECT}/notes`, 429, { body: NOTE }],
  ['/api/protocol', 'GET /api/protocol', 200],
  ['/api/start', 'GET /api/start', 200],
  ['/', 'GET /', 200],
  ['/', 'GET /', 304, { headers: { 'If-None-Match': '*' } }],
  ['/posts/{postId}', `GET /posts/${IDEA}`, 200],
  ['/posts/{postId}', `GET /posts/${NOBODY}`, 404],
  ['/posts/{postId}', 'GET /posts/%ff', 400],
  ['/feed.xml', 'GET /feed.xml', 200],
  ['/healthz', 'GET /healthz', 200],
  ['/healthz', 'GET /healthz', 200, { headers: { Accept: 'image/png' } }],
  ['/healthz', `GET /healthz?x=${LONG}`, 414],
  ['/.well-known/porchlight.json', 'GET /.well-known/porchlight.json', 200],
  ['/openapi.json', 'GET /openapi.json', 200, { headers: from('192.0.2.7') }],
  ['/openapi.json', 'GET /openapi.json', 304, { headers: { ...from('192.0.2.7'), 'If-None-Match': '*' } }],
  ['/openapi.json', 'GET /openapi.json', 429, { headers: from('192.0.2.7') }],
];

describe('every answer is what the OpenAPI document says of that path and status', () => {
  for (const [path, line, status, asking] of CALLS) {
    it(`${line.slice(0, 70)}: ${status}`, async () => {
      const told = await ask(line, asking);
      assert.equal(told.status, status, told.text);
      const operation = document.paths[path][line.startsWith('GET') ? 'get' : 'post'];
      const response = operation.responses[status];
      assert.ok(response !== undefined, `${status} is not described`);
      const [type = ''] = String(told.headers['content-type']).split(';');
      assert.deepEqual(Object.keys(response.content ?? {}), told.text === '' ? [] : [type]);
      if (type.endsWith('json')) assert.equal(matches(response.content[type].schema, told.json), true);
      if (status >= 400)
        assert.ok(response.description.split(', ').includes(told.json.code), response.description);
      for (const name of Object.keys(response.headers ?? {})) {
        const optional = [
          'Link',
          'Idempotency-Replayed',
          'Retry-After',
          'RateLimit',
          'RateLimit-Policy',
        ].includes(name);
        assert.ok(optional || name.toLowerCase() in told.headers, name);
      }
      if (operation.requestBody === undefined || typeof asking?.body !== 'object') return;
      if (status < 300)
        assert.equal(matches(operation.requestBody.content['application/json'].schema, asking.body), true);
    });
  }
});

describe('the document', () => {
  it('describes every tool and every document, and each example fits', () => {
    for (const { name, http, example } of tools) {
      const [method = '', path = ''] = http.split(' ');
      const operation = document.paths[path][method.toLowerCase()];
      assert.equal(operation.operationId, name);
      const body = operation.requestBody?.content['application/json'].schema;
      const names = operation.parameters
        .map((parameter: { name: string }) => parameter.name)
        .concat(Object.keys(body?.properties ?? {}));
      for (const field of Object.keys(example).filter((key) => key !== 'idempotencyKey'))
        assert.ok(names.includes(field), field);
      if (body !== undefined) assert.equal(matches(body, example), true);
    }
  });

  it('names itself, its server and whom to ask, and asks for no key', () => {
    assert.deepEqual([document.openapi, document.info.version, document.security], ['3.1.0', '1.2.0', []]);
    assert.deepEqual(document.servers, [{ url: 'http://porchlight.test' }]);
    assert.deepEqual(document.info.contact, { name: 'porchlight', url: 'http://porchlight.test/' });
  });

  it('refuses what the service refuses, as far as a schema can', () => {
    const { schema } = document.paths['/api/feed'].post.requestBody.content['application/json'];
    for (const body of [
      {},
      { message: 5 },
      { message: '' },
      { message: LONG },
      { message: 'x', replyTo: 5 },
      [],
    ]) {
      assert.notEqual(matches(schema, body), true, JSON.stringify(body).slice(0, 40));
    }
    assert.equal(matches(schema, { message: '\u{1F600}'.repeat(8000), more: 1 }), true);
  });

  it('describes every operation in a sentence', () => {
    for (const operations of Object.values<Record<string, { description: string }>>(document.paths)) {
      for (const { description } of Object.values(operations)) assert.match(description, /\w+ \w+.*\.$/s);
    }
  });
});
