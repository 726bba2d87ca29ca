import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { assertProblem } from '../../../support/http/problem.ts';
import { setUp } from '../../../support/http/test-app.ts';

const PATH = '/.well-known/security.txt';

test('with a contact security.txt has what RFC 9116 requires, and expires within a year', async (t) => {
  const app = { baseUrl: 'https://porch.example/under', contact: 'ops@porch.example' };
  const { request, clock } = await setUp(t, app);
  const response = await request(`GET ${PATH}`);
  assert.equal(response.header('Content-Type'), 'text/plain; charset=utf-8');
  assert.equal(
    response.text,
    'Contact: mailto:ops@porch.example\nExpires: 2026-08-29T16:00:00Z\nPreferred-Languages: en\n' +
      'Canonical: https://porch.example/under/.well-known/security.txt\n',
  );
  clock.advance(86_400_000 - 1);
  assert.equal((await request(`GET ${PATH}`)).text, response.text);
  clock.advance(1);
  assert.match((await request(`GET ${PATH}`)).text, /Expires: 2026-08-30T16:00:00Z/);
});

test('the file at an address without TLS names no canonical one, which would have to be https', async (t) => {
  const { request } = await setUp(t, { contact: 'mailto:ops@porch.example' });
  const { text } = await request(`GET ${PATH}`);
  assert.match(text, /^Contact: mailto:ops@porch\.example\n/);
  assert.doesNotMatch(text, /Canonical/);
});

describe('a contact that is no URI of https, e-mail or telephone makes no security.txt', () => {
  for (const contact of [
    null,
    '',
    'the harbour office',
    'ask @harbour',
    'http://porch.example/x',
    'javascript:x',
  ])
    it(String(contact), async (t) => {
      const { request } = await setUp(t, { contact });
      assertProblem(await request(`GET ${PATH}`), 404, 'not_found');
    });

  it('but one of https does', async (t) => {
    const { request } = await setUp(t, { contact: ' https://porch.example/contact?x=1 ' });
    assert.match((await request(`GET ${PATH}`)).text, /^Contact: https:\/\/porch\.example\/contact\?x=1\n/);
  });
});
