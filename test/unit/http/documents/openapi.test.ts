import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { forwardedFor, IDEA, PROJECT, BEHIND_PROXY, setUp } from '../../../support/http/test-app.ts';
import type { RequestOptions } from '../../../support/http/send-request.ts';

const app = await setUp({ after }, { limits: { porchWritesPerHour: 4, requestsPerMinute: 2 } }, BEHIND_PROXY);
const { request, tools } = app;
const { json: document } = await request('GET /openapi.json');

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const matches = (schema: object, value: unknown): unknown => {
  const validate = ajv.compile({ ...schema, components: document.components });
  return validate(value) ? true : validate.errors;
};

const NOTE = { name: 'a', note: 'b' };
const LONG = 'x'.repeat(8001);
const UNKNOWN_POST = 'post_019c9a31-6400-7000-8000-999999999999';

const idempotent = (message: string, key: string): RequestOptions => ({
  body: { message },
  headers: { 'Idempotency-Key': key },
});
const KNOWN = { headers: { 'If-None-Match': '*' } };
const OTHER = { headers: forwardedFor('192.0.2.7') };

const CALLS: [line: string, status: number, options?: RequestOptions][] = [
  ['GET /api/feed', 200],
  ['GET /api/feed?limit=1', 200],
  ['GET /api/feed?limit=0', 422],
  ['GET /api/feed', 304, KNOWN],
  [`GET /api/feed?x=${LONG}`, 414],
  ['POST /api/feed', 201, { body: { message: 'x', replyTo: null } }],
  ['POST /api/feed', 201, idempotent('x', 'key-00001')],
  ['POST /api/feed', 201, idempotent('x', '"key-00001"')],
  ['POST /api/feed', 422, { body: { message: LONG } }],
  ['POST /api/feed', 422, { body: { message: 'x', replyTo: UNKNOWN_POST } }],
  ['POST /api/feed', 422, idempotent('y', 'key-00001')],
  ['POST /api/feed', 400, { body: '{' }],
  ['POST /api/feed', 413, { body: 'x'.repeat(262_145) }],
  ['POST /api/feed', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
  [`GET /api/posts/${IDEA}`, 200],
  [`GET /api/posts/${UNKNOWN_POST}`, 404],
  [`GET /api/posts/${IDEA}?before=x`, 422],
  ['GET /api/posts/%ff', 400],
  ['GET /api/guestbook', 200],
  ['POST /api/guestbook', 201, { body: { ...NOTE, kind: null } }],
  ['POST /api/guestbook', 422, { body: {} }],
  ['GET /api/projects?limit=1', 200],
  ['POST /api/projects', 201, { body: { title: 'a', summary: 'b', by: 'c' } }],
  ['POST /api/projects', 422, { body: { title: 'http://a http://b http://c', summary: 'b', by: 'c' } }],
  [`GET /api/projects/${PROJECT}`, 200],
  ['GET /api/projects/x', 404],
  [`POST /api/projects/${PROJECT}/notes`, 201, { body: NOTE }],
  ['POST /api/projects/x/notes', 404, { body: NOTE }],
  ['POST /api/projects/%ff/notes', 400, { body: NOTE }],
  [`POST /api/projects/${PROJECT}/notes`, 201, { body: NOTE }],
  [`POST /api/projects/${PROJECT}/notes`, 429, { body: NOTE }],
  ['GET /api/protocol', 200],
  ['GET /api/start', 200],
  ['GET /llms.txt', 200],
  ['GET /', 200, { headers: { Accept: 'application/json' } }],
  ['GET /llms.txt', 304, KNOWN],
  [`GET /posts/${IDEA}.txt`, 200],
  [`GET /posts/${UNKNOWN_POST}.txt`, 404],
  ['GET /posts/%ff.txt', 400],
  ['GET /feed.xml', 200],
  ['GET /feed.xml?prefix=x', 422],
  ['GET /feed.atom?threads=true', 200],
  ['GET /feed.json', 200],
  [`GET /posts/${IDEA}/feed.atom`, 200],
  [`GET /posts/${UNKNOWN_POST}/feed.atom`, 404],
  ['GET /api/moderation?limit=1', 422],
  ['GET /api/log', 200],
  [`GET /api/log?after=1&id=${UNKNOWN_POST}`, 409],
  ['GET /api/log?after=x', 422],
  ['GET /robots.txt', 200],
  ['GET /sitemap.xml', 200],
  ['GET /icon.svg', 200],
  ['GET /.well-known/api-catalog', 200],
  ['GET /healthz', 200],
  ['GET /healthz', 200, { headers: { Accept: 'image/png' } }],
  [`GET /healthz?x=${LONG}`, 414],
  ['GET /.well-known/porchlight.json', 200],
  ['GET /openapi.json', 200, OTHER],
  ['GET /openapi.json', 304, { headers: { ...OTHER.headers, ...KNOWN.headers } }],
  ['GET /openapi.json', 429, OTHER],
];

/** Headers of some responses. */
const OPTIONAL = [
  ...['Link', 'Idempotency-Replayed', 'Ignored-Parameters', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
];

/** @returns the path of the document that a request is about: that of discovery for `/` */
function templateOf(line: string): string {
  const path = line.replace(/^\w+ |\?.*/g, '');
  if (path === '/') return '/.well-known/porchlight.json';
  const isOf = (template: string): boolean =>
    new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return Object.keys(document.paths).find(isOf) ?? assert.fail(line);
}

describe('every response matches the OpenAPI document for its path and status', () => {
  for (const [line, status, options] of CALLS) {
    it(`${line.slice(0, 70)}: ${status}`, async () => {
      const response = await request(line, options);
      assert.equal(response.status, status, response.text);
      const operation = document.paths[templateOf(line)][line.startsWith('GET') ? 'get' : 'post'];
      const described = operation.responses[status];
      assert.ok(described !== undefined, `${status} is not described`);
      const [type = ''] = String(response.headers['content-type']).split(';');
      // Of two types the second is for a client that prefers JSON.
      assert.equal(Object.keys(described.content ?? {})[0], response.text === '' ? undefined : type);
      if (/[/+]json$/.test(type)) assert.equal(matches(described.content[type].schema, response.json), true);
      if (status >= 400)
        assert.ok(described.description.split(', ').includes(response.json.code), described.description);
      for (const name of Object.keys(described.headers ?? {})) {
        assert.ok(OPTIONAL.includes(name) || name.toLowerCase() in response.headers, name);
      }
      if (operation.requestBody === undefined || typeof options?.body !== 'object') return;
      if (status < 300)
        assert.equal(matches(operation.requestBody.content['application/json'].schema, options.body), true);
    });
  }
});

describe('the document', () => {
  it('describes every tool, with an example for each argument of its example, and placeholders for ids', () => {
    for (const { name, http, example, inQuery } of tools) {
      const [method = '', path = ''] = http.split(' ');
      const { operationId, parameters, requestBody } = document.paths[path][method.toLowerCase()];
      assert.equal(operationId, name);
      const body = requestBody?.content['application/json'];
      const given = {
        ...Object.fromEntries(
          parameters
            .filter((parameter: object) => 'example' in parameter)
            .map((parameter: { name: string; example: unknown }) => [parameter.name, parameter.example]),
        ),
        ...body?.example,
      };
      for (const [field, value] of Object.entries(example)) {
        const shown =
          given[field === 'idempotencyKey' ? 'Idempotency-Key' : (inQuery?.[field]?.name ?? field)];
        const isId = typeof value === 'string' && /^(post|project)_/.test(value);
        assert.equal(shown, isId ? value.replace(/_.*/, '_ID') : value, `${name}: ${field}`);
      }
      if (body !== undefined) {
        for (const one of [example, body.example]) assert.equal(matches(body.schema, one), true);
        assert.doesNotMatch(JSON.stringify(body.schema), /additionalProperties/);
      }
      for (const { schema, example: value } of parameters)
        if (value !== undefined) assert.equal(matches(schema, value), true, name);
    }
    assert.doesNotMatch(JSON.stringify(document), /019c9a31/);
  });
});
