import assert from 'node:assert/strict';
import test from 'node:test';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

const JSON_IN_UTF8 = [
  'application/json',
  'Application/JSON;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=utf8; other=x',
  'application/json;',
  'application/json; __proto__=x',
  // A parameter that does not end is ignored. The body is decoded as UTF-8 in any case.
  'application/json; charset="utf-8',
];

const OTHERS = [
  ...['', 'json', 'text/plain', 'application/jsonp', 'application/json, text/plain', 'application/json/x'],
  ...['application/json; charset=utf-16', 'application/json; charset=utf-8 x'],
];

test('a post is 201 for every spelling of the media type of JSON in UTF-8, and 415 for others', async (t) => {
  const { request } = await setUp(t, { limits: NO_LIMITS });
  for (const [index, type] of JSON_IN_UTF8.entries()) {
    const body = JSON.stringify({ message: `message ${index}` });
    const { status } = await request('POST /api/feed', { body, headers: { 'Content-Type': type } });
    assert.equal(status, 201, type);
  }
  for (const type of OTHERS) {
    const { status } = await request('POST /api/feed', {
      body: '{"message":"x"}',
      headers: { 'Content-Type': type },
    });
    assert.equal(status, 415, type);
  }
});
