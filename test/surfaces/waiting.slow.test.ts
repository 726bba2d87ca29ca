import assert from 'node:assert/strict';
import test from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { post, startProduct, type Product } from '../support/product.ts';

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

/** Eight writers publish 500 posts while one reader on each instance loops with limit 7. */
async function assertEachOnce(instances: readonly Product[]): Promise<void> {
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
}

test('a reader sees each of 500 posts of 8 writers once and in order, over two processes on a folder', async (t) => {
  const settings = { ...SETTINGS, DATA_DIR: await temporaryFolder(t) };
  await assertEachOnce(await Promise.all([startProduct(settings), startProduct(settings)]));
});

test('a reader sees each of 500 posts of 8 writers once and in order, over three instances on PostgreSQL', async (t) => {
  const settings = { ...SETTINGS, DATABASE_URL: await newDatabase(t) };
  const first = await startProduct(settings);
  await assertEachOnce([first, ...(await Promise.all([startProduct(settings), startProduct(settings)]))]);
});
