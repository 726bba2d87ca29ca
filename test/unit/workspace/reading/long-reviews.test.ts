import assert from 'node:assert/strict';
import test from 'node:test';
import type { Post, CountedRecord } from '#store/port/records.ts';
import { findNamed } from '#workspace/reading/views.ts';

const LONG = `REVIEW:\n${'Ends: a\n'.repeat(990)}`;

function longReviews(): CountedRecord<'post'>[] {
  return Array.from({ length: 100 }, (_, n) => {
    const record: Post = {
      id: `post_${n}`,
      message: `${LONG}${n}`,
      prefix: 'REVIEW',
      parentId: null,
      rootId: `post_${n}`,
      createdAt: '2026-03-02T00:00:00.000000Z',
    };
    return { record } as CountedRecord<'post'>;
  });
}

test('a page of long REVIEWs leaves time for other work while it reads what they check', async () => {
  let turns = 0;
  const counter = setImmediate(() => {
    turns += 1;
  });
  await findNamed(longReviews());
  clearImmediate(counter);
  assert.ok(turns > 0);
});
