import assert from 'node:assert/strict';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { WriteEntry } from '#store/engine/write-history.ts';
import { ClientTags } from '#store/postgres/schema/client-tags.ts';

const [NEW, OLD] = [randomBytes(32), randomBytes(32)];
const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const ENTRY: WriteEntry = {
  clientKey: '203.0.113.1/32',
  limitScope: 'feed',
  at: NOON,
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

test('equal values have the same tag all day, and another one on another day, under another secret, of another client and kind', () => {
  const tags = new ClientTags([NEW]);
  const tagsOf = ({ client, key, content }: ReturnType<ClientTags['toRow']>) => [client, key, content];
  const first = tagsOf(tags.toRow(ENTRY));
  assert.deepEqual(tagsOf(tags.toRow({ ...ENTRY, at: NOON + 11 * HOUR })), first);
  const all = [
    first,
    tagsOf(tags.toRow({ ...ENTRY, at: NOON + 12 * HOUR })),
    tagsOf(tags.toRow({ ...ENTRY, clientKey: '203.0.113.2/32' })),
    tagsOf(new ClientTags([OLD]).toRow(ENTRY)),
    tagsOf(tags.toRow({ ...ENTRY, kind: 'guest' })).slice(1),
  ].flat();
  assert.equal(new Set(all).size, all.length);
});

test('a window has the tags of every day and secret that a write in it may have', () => {
  const tags = new ClientTags([NEW, OLD]);
  const window = (now: number, windowMs: number): string[] =>
    tags.ofWindow(now, windowMs).map((day) => day.tag('client', 'v'));
  const on = (secret: Buffer, at: number): string =>
    new ClientTags([secret]).toRow({ ...ENTRY, clientKey: 'v', at }).client;
  const sorted = (...values: string[]): string[] => values.sort();
  assert.deepEqual(sorted(...window(NOON, HOUR)), sorted(on(NEW, NOON), on(OLD, NOON)));
  assert.deepEqual(
    sorted(...window(NOON, DAY)),
    sorted(on(NEW, NOON - DAY), on(OLD, NOON - DAY), on(NEW, NOON), on(OLD, NOON)),
  );
  const midnight = NOON + 12 * HOUR;
  // Tomorrow too, since the clocks of two databases may differ by a minute.
  assert.deepEqual(
    sorted(...window(midnight - 1000, HOUR)),
    sorted(...[NOON, midnight].flatMap((at) => [on(NEW, at), on(OLD, at)])),
  );
});
