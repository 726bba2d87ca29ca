import assert from 'node:assert/strict';
import test from 'node:test';
import { ICON, serviceIcons } from '#workspace/service/service.ts';
import { assertWellFormed } from '../../../support/http/xml.ts';

const SERVICE = { name: 'porchlight', contact: null, version: '0.0.0' };

test('the icon is an SVG of its own, without scripts and addresses', () => {
  assertWellFormed(ICON);
  assert.doesNotMatch(ICON.replace('http://www.w3.org/2000/svg', ''), /script|href|url|http|style/);
});

test('without an HTTP server the icon is its bytes', async () => {
  const [{ src } = assert.fail('no icon')] = serviceIcons({ ...SERVICE, baseUrl: null });
  assert.match(src, /^data:image\/svg\+xml,/);
  assert.equal(await (await fetch(src)).text(), ICON);
});
