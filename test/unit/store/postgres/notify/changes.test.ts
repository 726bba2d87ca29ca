import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesSince } from '#store/postgres/notify/changes.ts';
import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import { openClient, openNewStore } from '../../../../support/postgres/postgres.ts';
import { aPost, newId } from '../../../../support/store/records.ts';
import { importEntries } from '../../../../support/store/writes.ts';

/** Records and moderations that one query returns. */
const PAGE_SIZE = 500;

const timestamp = (n: number): string => `2020-01-01T00:00:00.${String(n).padStart(6, '0')}Z`;

test('changes that share a timestamp are all read, also where a page ends between them', async (t) => {
  const { url, store } = await openNewStore(t);
  const entries: (ExportedRecord | ModerationEntry)[] = [];
  for (let n = 1; n < PAGE_SIZE; n++) {
    const post = { ...aPost('a post'), createdAt: timestamp(n) };
    entries.push({ kind: 'post', record: post });
    // The last records and the first moderations share a timestamp, and so do all moderations.
    entries.push({ action: 'hide', id: post.id, at: timestamp(PAGE_SIZE - 1), reason: 'x' });
    entries.push({ action: 'unhide', id: post.id, at: timestamp(PAGE_SIZE - 1), reason: 'x' });
  }
  const createdAt = timestamp(PAGE_SIZE - 1);
  const project = { id: newId('project'), title: 't', summary: 's', by: 'b', url: null, looking_for: null };
  entries.push({
    kind: 'guest',
    record: { id: newId('guest'), name: 'n', kind: null, note: 'x', createdAt },
  });
  entries.push({ kind: 'project', record: { ...project, createdAt } });
  await importEntries(store, entries);

  const client = await openClient(t, url);
  const { notifications } = await changesSince(client, timestamp(0));
  const keysOf = (keys: readonly string[]): string[] => keys.toSorted();
  assert.deepEqual(
    keysOf(notifications.map(({ at, change: { action, id } }) => `${at} ${action} ${id}`)),
    keysOf(
      entries.map((entry) =>
        'action' in entry
          ? `${entry.at} ${entry.action} ${entry.id}`
          : `${entry.record.createdAt} add ${entry.record.id}`,
      ),
    ),
  );
  const timestamps = notifications.map(({ at }) => at);
  assert.deepEqual(timestamps, timestamps.toSorted());
  assert.deepEqual((await changesSince(client, createdAt)).notifications, []);
});
