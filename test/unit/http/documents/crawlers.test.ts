import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';
import { assertWellFormed } from '../../../support/http/xml.ts';

test('/robots.txt allows everything and names the sitemap', async (t) => {
  const { request } = await setUp(t);
  const { text } = await request('GET /robots.txt');
  assert.equal(text, 'User-agent: *\nAllow: /\n\nSitemap: http://porchlight.test/sitemap.xml\n');
});

function addressesIn(xml: string): string[] {
  assertWellFormed(xml);
  return [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address = '']) => address);
}

test('/sitemap.xml is made again after ten minutes, not after each post', async (t) => {
  const { request, workspace, clock } = await setUp(t, { limits: NO_LIMITS });
  const count = async (): Promise<number> => addressesIn((await request('GET /sitemap.xml')).text).length;
  assert.equal(await count(), 13);
  await publishPost(workspace, { message: 'x' }, { clientKey: 'a test' });
  clock.advance(599_999);
  assert.equal(await count(), 13);
  clock.advance(1);
  assert.equal(await count(), 14);
});
