import assert from 'node:assert/strict';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { WriteEntry } from '#store/engine/write-history.ts';
import { ClientTags } from '#store/postgres/schema/client-tags.ts';

const [NEW, OLD] = [randomBytes(32), randomBytes(32)];
const NOON = Date.UTC(2026, 10, 21, 12);

const ENTRY: WriteEntry = {
  clientKey: '203.0.113.1/32',
  limitScope: 'feed',
  atMs: NOON,
  kind: 'post',
  id: 'post_1',
  key: 'same',
  content: 'same',
};

test('a row holds the HMAC of client, its widened network, key and content under a key that HKDF derives from secret and day', () => {
  const key = Buffer.from(hkdfSync('sha256', NEW, '', 'porchlight visitor 2026-11-21', 32));
  const hmac = (parts: string): string =>
    createHmac('sha256', key).update(parts).digest().toString('base64url', 0, 16);
  assert.deepEqual(new ClientTags([NEW, OLD]).toRow(ENTRY), {
    client: hmac('["client","203.0.113.1/32"]'),
    network: hmac('["network","203.0.113.0/24"]'),
    limit_scope: 'feed',
    at: NOON,
    id: 'post_1',
    key: hmac('["key","post","203.0.113.1/32","same"]'),
    content: hmac('["content","post","203.0.113.1/32","same"]'),
  });
  assert.equal(new ClientTags([NEW]).toRow({ ...ENTRY, key: null }).key, null);
});
