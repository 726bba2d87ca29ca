import assert from 'node:assert/strict';
import test from 'node:test';
import { FREE, setUp } from '../../support/http/setting.ts';

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
  '',
  'json',
  'text/plain',
  'application/jsonp',
  'application/json, text/plain',
  'application/json/x',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8 x',
];

test('a post is taken as JSON in UTF-8 only, however its content type is written', async (t) => {
  const { ask } = await setUp(t, { limits: FREE });
  for (const [index, type] of JSON_IN_UTF8.entries()) {
    const body = JSON.stringify({ message: `message ${index}` });
    const { status } = await ask('POST /api/feed', { body, headers: { 'Content-Type': type } });
    assert.equal(status, 201, type);
  }
  for (const type of OTHERS) {
    const { status } = await ask('POST /api/feed', {
      body: '{"message":"x"}',
      headers: { 'Content-Type': type },
    });
    assert.equal(status, 415, type);
  }
});
