import assert from 'node:assert/strict';
import test from 'node:test';
import { PLACES } from '../support/places.ts';
import { post, startProduct } from '../support/product.ts';

interface Update {
  messages: { id: string; message: string; createdAt: string }[];
  nextAfter: string;
  timedOut: boolean;
}

const updates = async (url: string, query: Record<string, string>): Promise<Update> =>
  (await (await fetch(`${url}/api/updates?${new URLSearchParams(query).toString()}`)).json()) as Update;

const SETTINGS = {
  FEED_POSTS_PER_HOUR: '0',
  REQUESTS_PER_MINUTE: '0',
  WAITS_PER_NETWORK: '0',
  LOG_LEVEL: 'warn',
};

for (const [engine, place] of Object.entries(PLACES))
  test(`a reader sees each of 500 posts of 8 writers once and in order, over three servers on ${engine}`, async (t) => {
    const settings = { ...SETTINGS, ...(await place(t)) };
    const first = await startProduct(settings);
    const instances = [first, ...(await Promise.all([startProduct(settings), startProduct(settings)]))];
    const urls = instances.map(({ url }) => url);
    const count = 500;
    const readers = urls.map(async (url) => {
      const seen: { id: string; createdAt: string }[] = [];
      let after = '2000-01-01T00:00:00Z';
      while (seen.length < count) {
        const { messages, nextAfter } = await updates(url, { after, limit: '7', wait: '5' });
        seen.push(...messages);
        after = nextAfter;
      }
      return seen;
    });
    const published: string[] = [];
    let next = 0;
    const write = async (writer: number): Promise<void> => {
      while (next < count) {
        const { id } = (await (await post(urls[writer % urls.length]!, `message ${next++}`)).json()) as {
          id: string;
        };
        published.push(id);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    for (const seen of await Promise.all(readers)) {
      assert.deepEqual(seen.map(({ id }) => id).sort(), published.toSorted());
      const stamps = seen.map(({ createdAt }) => createdAt);
      assert.deepEqual(stamps, stamps.toSorted(), 'ascending');
    }
  });
