import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { assertWellFormed } from '../../../support/http/xml.ts';
import { IDEA, NO_LIMITS, PROJECT, setUp } from '../../../support/http/test-app.ts';

test('/robots.txt allows everything and names the sitemap', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /robots.txt');
  assert.equal(response.header('Content-Type'), 'text/plain; charset=utf-8');
  assert.equal(response.text, 'User-agent: *\nAllow: /\n\nSitemap: http://porchlight.test/sitemap.xml\n');
});

function addressesIn(xml: string): string[] {
  assertWellFormed(xml);
  return [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address = '']) => address);
}

test('/sitemap.xml has the pages, the projects and the threads, newest first, and no reply', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /sitemap.xml');
  assert.equal(response.header('Content-Type'), 'application/xml; charset=utf-8');
  assert.deepEqual(
    addressesIn(response.text).map((address) => address.replace('http://porchlight.test', '')),
    [
      '/',
      '/feed',
      '/work',
      '/results',
      '/archive',
      '/projects',
      '/guestbook',
      '/about',
      '/agents',
      `/projects/${PROJECT}`,
      '/posts/post_019c9a31-6400-7000-8000-000000000009',
      '/posts/post_019c9a31-6400-7000-8000-000000000003',
      `/posts/${IDEA}`,
    ],
  );
});

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
