import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { DenialData, Entry, MirrorPosition, ServerState, type Position } from '#private/private-store.ts';
import { printable } from '#commands/printable.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { testClock } from '../../support/clock.ts';
import { PRIVATE_STORES, readEntries } from '../../support/private-stores.ts';
import { aServerState } from '../../support/server-state.ts';

const POST = 'post_019c9a31-6400-7000-8000-000000000001';
const OTHER = 'post_019c9a31-6400-7000-8000-000000000002';

const reportOf = (tag: string, day = '2026-11-21'): Entry => ({
  type: 'report',
  day,
  id: POST,
  reason: 'spam',
  tag,
});

/** @returns the paths of the strings in a JSON Schema that may have any length */
function unboundedIn(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maxLength, pattern = '', enum: values, const: value } = schema as Record<string, unknown>;
  const isBounded = /^\^.*\$$/s.test(String(pattern)) && !/(?<!\\)[*+]|,\}/.test(String(pattern));
  const isOpen =
    type === 'string' && [maxLength, values, value].every((one) => one === undefined) && !isBounded;
  const below = Object.entries(schema).flatMap(([name, part]) => unboundedIn(part, `${path}/${name}`));
  return isOpen ? [path, ...below] : below;
}

it('no schema of the private store accepts a string of any length', () => {
  const schemas = { Entry, MirrorPosition, DenialData, ServerState };
  for (const [name, schema] of Object.entries(schemas))
    assert.deepEqual(unboundedIn(z.toJSONSchema(schema)), [], name);
  assert.deepEqual(unboundedIn(z.toJSONSchema(z.object({ a: z.string() }))), ['/properties/a']);
});

it('the longest reason of an operator can be read again', () => {
  const longest = printable('\u200E'.repeat(MAX_LENGTHS.reason));
  assert.ok(longest.length > MAX_LENGTHS.reason);
  assert.ok(Entry.safeParse({ type: 'keep', at: 1, id: POST, reason: longest }).success);
});

for (const [engine, place] of Object.entries(PRIVATE_STORES)) {
  describe(`the private store in ${engine}`, () => {
    const clock = testClock('2026-11-21T10:00:00.000Z');

    it('returns each entry once, in order, also those that another process appended', async (t) => {
      const open = await place(t, clock);
      const [one, other] = [open(), open()];
      assert.deepEqual((await readEntries(one)).entries, []);
      await one.append(reportOf('a'));
      await other.append(reportOf('b'));
      const first = await readEntries(one);
      assert.deepEqual(first.entries, [reportOf('a'), reportOf('b')]);
      assert.deepEqual((await readEntries(one, first.position)).entries, []);
      await other.append(reportOf('c'));
      assert.deepEqual((await readEntries(one, first.position)).entries, [reportOf('c')]);
    });

    it('loses no entry of many that are appended at once by two processes', async (t) => {
      const open = await place(t, clock);
      const stores = [open(), open()];
      const tags = Array.from({ length: 100 }, (_, index) => `t${index}`);
      const found: Entry[] = [];
      let position: Position | undefined;
      const reader = open();
      const writing = Promise.all(tags.map((tag, index) => stores[index % 2]!.append(reportOf(tag))));
      let isDone = false;
      void writing.then(() => (isDone = true));
      for (let last = false; !last; ) {
        last = isDone;
        const read = await readEntries(reader, position);
        found.push(...read.entries);
        position = read.position;
      }
      await writing;
      assert.deepEqual(found.map((entry) => 'tag' in entry && entry.tag).sort(), tags.sort());
    });

    it('has tags that tell no two items and no two days apart from two networks', async (t) => {
      const open = await place(t, clock);
      const store = open();
      const tag = await store.reportTag(POST, '203.0.113.0/24');
      assert.match(tag, /^[\w-]{22}$/);
      assert.equal(await open().reportTag(POST, '203.0.113.0/24'), tag);
      const others = [
        await store.reportTag(OTHER, '203.0.113.0/24'),
        await store.reportTag(POST, '198.51.100.0/24'),
      ];
      clock.set('2026-11-22T10:00:00.000Z');
      others.push(await open().reportTag(POST, '203.0.113.0/24'));
      clock.set('2026-11-21T10:00:00.000Z');
      assert.equal(new Set([tag, ...others]).size, 4);
    });

    it('removes entries of more than 30 days ago', async (t) => {
      const store = (await place(t, clock))();
      await store.append(reportOf('old'));
      // As a server that runs: a jump of the clock removes nothing at once.
      for (let day = 0; day < 30; day++) {
        clock.advance(24 * 3_600_000);
        await store.prune();
      }
      clock.set('2026-12-22T00:00:00.000Z');
      await store.append(reportOf('new', '2026-12-22'));
      await store.prune();
      const { entries } = await readEntries(store);
      clock.set('2026-11-21T10:00:00.000Z');
      assert.deepEqual(entries, [reportOf('new', '2026-12-22')]);
    });

    it('has the numbers of each server until it stops, and of a killed one for a day', async (t) => {
      const own = testClock('2026-11-21T10:00:00.000Z');
      const open = await place(t, own);
      const [one, other] = [open(), open()];
      assert.deepEqual(await one.servers(), []);
      const first = aServerState({ at: own.now() });
      const second = aServerState({ id: '00000000-0000-4000-8000-000000000002', at: own.now() });
      await one.putServer(first);
      await other.putServer(second);
      await one.putServer({ ...first, waits: 7 });
      assert.deepEqual(await other.servers(), [{ ...first, waits: 7 }, second]);
      await one.removeServer(first.id);
      await one.removeServer(first.id);
      assert.deepEqual(await one.servers(), [second]);
      own.advance(25 * 3_600_000);
      await one.prune();
      assert.deepEqual(await one.servers(), []);
    });
  });
}
