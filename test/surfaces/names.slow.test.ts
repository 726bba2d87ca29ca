import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { createAuthorKey, formatAuthorKey, KEY_BYTES } from '#workspace/text/author-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sendRequest } from '../support/http/send-request.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { startProduct } from '../support/product.ts';

const ROUNDS = 50;
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
  readonly namesakeOf?: string;
  readonly errors?: { path: string }[];
}

for (const [where, locate] of Object.entries(STORES))
  test(`of two processes on ${where} that take one name at once exactly one gets it, in ${ROUNDS} rounds`, async (t) => {
    const settings = { ...FREE, ...(await locate(t)) };
    const servers = await Promise.all([startProduct(settings), startProduct(settings)]);
    t.after(() => Promise.all(servers.map(({ end }) => end('SIGKILL'))));
    const post = async (server: number, body: object): Promise<Receipt> => {
      const { status, json } = await sendRequest(servers[server]!.url, 'POST /api/feed', {
        body: { message: 'x', ...body },
      });
      return { status, ...json } as Receipt;
    };
    const { id: replyTo } = await post(0, {});
    const newKey = (): string => formatAuthorKey(createAuthorKey(randomBytes(KEY_BYTES)));

    /** Each process has stored some, or all were stored by one that was always faster. */
    const winners = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      // Both keys are sent: the first message owns the name.
      const names = [`Alder ${round}`, `\u0410LDER ${round}`];
      const keys = [newKey(), newKey()];
      const both = await Promise.all(names.map((name, n) => post(n, { replyTo, name, authorKey: keys[n] })));
      const owner = both.findIndex(({ status }) => status === 201);
      const refused = both[1 - owner];
      assert.deepEqual(
        [refused?.status, refused?.errors?.map(({ path }) => path)],
        [422, ['name']],
        `round ${round}: ${both.map(({ status }) => status).join(', ')}`,
      );
      winners.add(owner);
      assert.equal(
        (await post(1 - owner, { replyTo, name: names[owner], authorKey: keys[owner] })).status,
        201,
      );

      // A key comes back while another sends the name without one: that was stored before it, or is refused.
      const name = `Birch ${round}`;
      const first = await post(round % 2, { replyTo, name });
      const [back, other] = await Promise.all([
        post(0, { replyTo, name, authorKey: first.authorKey }),
        post(1, { replyTo, name }),
      ]);
      assert.equal(back.status, 201);
      assert.ok(other.status === 201 || other.errors?.[0]?.path === 'name', `round ${round}`);
      for (const server of [0, 1]) {
        assert.equal((await post(server, { replyTo, name: name.toUpperCase() })).status, 422);
        if (other.status !== 201) continue;
        const { json } = await sendRequest(servers[server]!.url, `GET /api/posts/${other.id}`);
        assert.equal(json.post.namesakeOf, first.id);
      }
    }
    t.diagnostic(`${winners.size} of 2 processes were first at least once`);
  });
