import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { createAuthorKey, formatAuthorKey, KEY_BYTES } from '#workspace/text/author-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sendRequest } from '../support/http/send-request.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { startProduct } from '../support/product.ts';

const ROUNDS = 20;
const FREE = { FEED_POSTS_PER_HOUR: '0', REQUESTS_PER_MINUTE: '0' };

const STORES: Readonly<Record<string, (t: TestContext) => Promise<Record<string, string>>>> = {
  'one folder': async (t) => ({ DATA_DIR: await temporaryFolder(t) }),
  'one database': async (t) => ({ DATABASE_URL: await newDatabase(t) }),
};

interface Receipt {
  readonly status: number;
  readonly id: string;
  readonly authorKey?: string;
  readonly mark?: string;
  readonly createdAt: string;
  readonly errors?: { path: string }[];
}

for (const [where, locate] of Object.entries(STORES))
  test(`of two processes on ${where} none lets a stranger take a name that the circle has, in ${ROUNDS} rounds`, async (t) => {
    const settings = { ...FREE, ...(await locate(t)) };
    const servers = await Promise.all([startProduct(settings), startProduct(settings)]);
    t.after(() => Promise.all(servers.map(({ end }) => end('SIGKILL'))));
    const post = async (server: number, body: object): Promise<Receipt> => {
      const { status, json } = await sendRequest(servers[server]!.url, 'POST /api/feed', {
        body: { message: 'x', ...body },
      });
      return { status, ...json } as Receipt;
    };
    const newKey = (): string => formatAuthorKey(createAuthorKey(randomBytes(KEY_BYTES)));

    let refusals = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const [opener, stranger] = [newKey(), newKey()];
      const { id: replyTo } = await post(round % 2, { authorKey: opener });
      // The opener signs for the first time, and a stranger takes the look of that name through the other process.
      const [own, other] = await Promise.all([
        post(round % 2, { replyTo, name: 'Alder', authorKey: opener }),
        post(1 - (round % 2), { replyTo, name: '\u0410LDER', authorKey: stranger }),
      ]);
      assert.equal(own.status, 201);
      if (other.status === 201)
        assert.ok(other.createdAt < own.createdAt, `round ${round}: stored behind it`);
      else assert.deepEqual([other.status, other.errors?.[0]?.path], [422, 'name']);
      refusals += other.status === 201 ? 0 : 1;
      // Each process refuses from now on, also the one that did not store the name.
      for (const server of [0, 1]) {
        const later = await post(server, { replyTo, name: 'aLDer', authorKey: stranger });
        assert.deepEqual([later.status, later.errors?.[0]?.path], [422, 'name'], `round ${round}`);
      }
    }
    t.diagnostic(`${refusals} of ${ROUNDS} strangers came second`);
  });
