import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from '#store/port/store.ts';
import { placeMessages } from '#workspace/reading/views.ts';
import { BoardReader } from '#workspace/reading/board-reader.ts';

test('a message counts in its thread, also if the thread was hidden since the message was read', async () => {
  const item = { id: 'post_a', rootId: 'post_a', excerpt: '' };
  const read: Pick<Reader, 'posts' | 'related' | 'steps'> = {
    steps: async () => [],
    posts: async () => [],
    related: async ({ sizes = [] }) => ({
      posts: new Map(),
      heads: new Map(),
      known: new Set(),
      numbers: new Map(),
      sizes: new Map(sizes.map((id) => [id, 0])),
    }),
  };
  const { messages } = await placeMessages(
    { store: { read }, boards: new BoardReader({ read: read as Reader }) },
    [item],
  );
  const threadSizes = messages.map(({ threadSize }) => threadSize);
  assert.deepEqual(threadSizes, [1]);
});
