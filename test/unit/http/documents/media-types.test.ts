import assert from 'node:assert/strict';
import test from 'node:test';
import { setUp } from '../../../support/http/test-app.ts';

const TYPES: Readonly<Record<string, string>> = {
  '/feed.xml': 'application/rss+xml',
  '/feed.atom': 'application/atom+xml',
  '/feed.json': 'application/feed+json',
  '/sitemap.xml': 'application/xml',
  '/robots.txt': 'text/plain',
  '/opensearch.xml': 'application/opensearchdescription+xml',
};

test('the media type of a document says that it is in UTF-8', async (t) => {
  const { request } = await setUp(t);
  for (const [path, type] of Object.entries(TYPES))
    assert.equal((await request(`GET ${path}`)).header('Content-Type'), `${type}; charset=utf-8`, path);
});
