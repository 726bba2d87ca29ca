import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { launchOverStdio, startProduct } from '../support/product.ts';

/** A message of the conversation. `{3}` in its text stands for the id of the third message. */
interface ScriptedMessage {
  readonly name: 'Heron' | 'Tally' | 'Moss';
  /** The number of the message that it replies to, from 1 on. */
  readonly replyTo: number | null;
  readonly message: string;
}

const SCRIPT = JSON.parse(
  readFileSync(new URL('../fixtures/conversation.json', import.meta.url), 'utf8'),
) as readonly ScriptedMessage[];

const LIMITS = { FEED_POSTS_PER_HOUR: '0', REQUESTS_PER_MINUTE: '0' };

/** What one agent may read and send in all. */
const MAX_BYTES = 100_000;

/** A result of a tool, or a part of one. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
type Json = any;

interface Exchange {
  /** The JSON of the answer, once, and without the envelope of the protocol. */
  readonly text: string;
  readonly isError: boolean;
}

/** Calls a tool over one of the transports. */
type Call = (tool: string, args: object) => Promise<Exchange>;

function overMcp(client: Client): Call {
  return async (name, args) => {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...args } });
    return { text: (content as [{ text: string }])[0].text, isError: isError === true };
  };
}

const PATHS: Readonly<Record<string, string>> = {
  get_started: '/api/start',
  wait_for_messages: '/api/updates',
  find_work: '/api/work',
};

function overRest(url: string): Call {
  const toQuery = (args: object) =>
    new URLSearchParams(Object.entries(args).map(([name, value]): [string, string] => [name, String(value)]));
  return async (name, args) => {
    const { postId, ...others } = args as { postId?: string };
    const response =
      name === 'post_message'
        ? await fetch(`${url}/api/feed`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(args),
          })
        : await fetch(`${url}${PATHS[name] ?? `/api/posts/${postId}`}?${toQuery(others)}`);
    return { text: await response.text(), isError: !response.ok };
  };
}

/** An agent that reads on from its own cursor, and leaves its own posts out. */
class Agent {
  readonly name: string;
  /** Ids of the messages that it has read, in order. */
  readonly read: string[] = [];
  readonly own: string[] = [];
  bytes = 0;
  cursor = '';
  /** The key that get_started gave. */
  authorKey: string | undefined;
  readonly #call: Call;

  constructor(name: string, call: Call) {
    this.name = name;
    this.#call = call;
  }

  async call(tool: string, args: object = {}): Promise<Json> {
    const { json, isError } = await this.attempt(tool, args);
    assert.equal(isError, false, JSON.stringify(json));
    return json;
  }

  async attempt(tool: string, args: object): Promise<{ json: Json; isError: boolean }> {
    const { text, isError } = await this.#call(tool, args);
    this.bytes += Buffer.byteLength(JSON.stringify(args)) + Buffer.byteLength(text);
    return { json: JSON.parse(text), isError };
  }

  async arrive(): Promise<Json> {
    const start = await this.call('get_started', { newAuthorKey: true });
    this.cursor = start.readUpTo;
    this.authorKey = start.authorKey;
    return start;
  }

  /** Reads all that is new. @param waitSeconds for which the first call waits */
  async follow(waitSeconds = 0): Promise<void> {
    for (let more = true, wait = waitSeconds; more; wait = 0) {
      const except = this.own.length === 0 ? {} : { except: this.own };
      const page = await this.call('wait_for_messages', { after: this.cursor, waitSeconds: wait, ...except });
      this.read.push(...page.messages.map(({ id }: Json) => id));
      this.cursor = page.nextAfter;
      more = page.more;
    }
  }

  /** @returns arguments with its name, cursor and key */
  signed(args: object): object {
    const { name, cursor: readUpTo, authorKey } = this;
    return { name, readUpTo, ...(authorKey !== undefined && { authorKey }), ...args };
  }

  /** @returns the receipt */
  async post(args: object): Promise<Json> {
    const receipt = await this.call('post_message', this.signed(args));
    this.own.push(receipt.id);
    this.cursor = receipt.meanwhile.nextAfter;
    return receipt;
  }
}

type Cleanup = Pick<TestContext, 'after'>;

/** The opener of a thread names the writers of two messages there: from now on their REVIEWs count. */
async function letIn(opener: Agent, thread: string, ...members: Json[]): Promise<void> {
  const lines = members.map(({ signer }) => `Trust: ${signer}`);
  await opener.post({ message: lines.join('\n'), replyTo: thread });
}

/** Three agents at one service: over MCP, over REST, and over stdio. */
async function meet(test: Cleanup, place: Readonly<Record<string, string>>) {
  const settings = { ...place, ...LIMITS };
  const product = await startProduct(settings);
  test.after(() => product.end('SIGKILL'));
  const client = new Client({ name: 'heron', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`)));
  const { client: launched } = await launchOverStdio({ ...settings, BASE_URL: product.url });
  test.after(() => Promise.all([client.close(), launched.close()]));
  return {
    heron: new Agent('Heron', overMcp(client)),
    tally: new Agent('Tally', overRest(product.url)),
    moss: new Agent('Moss', overMcp(launched)),
    stranger: new Agent('A stranger', overRest(product.url)),
  };
}

const idsOf = (items: readonly Json[]): string[] => items.map(({ id }) => id);

const ENGINES: Readonly<Record<string, (test: TestContext) => Promise<Record<string, string>>>> = {
  'the folder engine': async (test) => ({ DATA_DIR: await temporaryFolder(test) }),
  'the PostgreSQL engine': async (test) => ({ DATABASE_URL: await newDatabase(test) }),
};

for (const [engine, place] of Object.entries(ENGINES)) {
  describe(`three agents on ${engine}`, () => {
    it('meet, collide, correct and review each other, return, miss nothing and read at most 100 KB', async (test) => {
      const { heron, tally, moss, stranger } = await meet(test, await place(test));
      const agents = { Heron: heron, Tally: tally, Moss: moss };
      const ids: string[] = [];
      const idOf = (number: number): string => ids[number - 1]!;
      const argumentsOf = (number: number): object => {
        const { message, replyTo } = SCRIPT[number - 1]!;
        const text = message.replaceAll(/\{(\d+)\}/g, (_, named) => idOf(Number(named)));
        return { message: text, ...(replyTo !== null && { replyTo: idOf(replyTo) }) };
      };
      const say = async (number: number, more: object = {}): Promise<Json> => {
        const receipt = await agents[SCRIPT[number - 1]!.name].post({ ...argumentsOf(number), ...more });
        ids.push(receipt.id);
        return receipt;
      };

      for (const agent of Object.values(agents)) await agent.arrive();

      // The others wait for the idea.
      const waits = [tally.follow(20), moss.follow(20)];
      await say(1);
      await Promise.all(waits);
      assert.deepEqual([tally.read, moss.read], [ids, ids]);
      const greeting = { message: 'hello', replyTo: idOf(1) };
      await letIn(heron, idOf(1), await tally.post(greeting), await moss.post(greeting));
      for (const agent of [heron, tally, moss]) await agent.follow();

      // Two begin at once. The second is refused, then begins nevertheless, and its receipt names the first.
      const work = await say(2);
      const refused = await moss.attempt('post_message', moss.signed(argumentsOf(3)));
      assert.deepEqual(
        [refused.isError, refused.json.code, idsOf(refused.json.meanwhile.messages)],
        [true, 'thread_changed', [work.id]],
      );
      const second = await say(3, { ifUnchanged: false });
      assert.deepEqual([idsOf(second.alsoUnderWay), second.meanwhile.inThread], [[work.id], []]);
      await moss.follow();
      assert.ok(moss.read.includes(work.id));

      // Each reads on before it writes, so nothing comes in between.
      for (let number = 4; number <= SCRIPT.length; number++) {
        const agent = agents[SCRIPT[number - 1]!.name];
        await agent.follow();
        const { meanwhile } = await say(number);
        assert.deepEqual([meanwhile.inThread, meanwhile.elsewhere], [[], []]);
        if (number === 14) {
          const { disputed } = await heron.call('find_work', { list: 'disputed' });
          assert.deepEqual(idsOf(disputed), [idOf(13)]);
          assert.deepEqual(
            disputed[0].others.map(({ name, outcome }: Json) => [name, outcome]),
            [['Tally', 'not confirmed']],
          );
        }
      }
      const board = await heron.call('find_work', {});
      assert.deepEqual(
        [board.ideas, board.working, board.disputed].map(idsOf),
        [[], [], []],
        'the idea has results, each WORK has ended, and the disputed result is corrected',
      );
      // A REVIEW names the fourth message as a source, and does not review it. The last corrects the one before.
      assert.deepEqual(idsOf(board.toReview), [idOf(24), idOf(4)]);
      const { post: corrected } = await moss.call('read_thread', {
        postId: idOf(13),
        limit: 1,
        view: 'preview',
      });
      assert.deepEqual([corrected.standing, corrected.replacedBy], ['replaced', idOf(17)]);

      // A WORK for a review is under way until its author ends it, here with the REVIEW.
      await heron.follow();
      const step = await heron.post({
        message: `WORK:\nStep I am taking: review ${idOf(24)}`,
        replyTo: idOf(1),
      });
      const { working } = await tally.call('find_work', { list: 'working' });
      assert.deepEqual(idsOf(working), [step.id]);
      await heron.post({
        message: `REVIEW:\nResult being checked (post id): ${idOf(24)}\nChecks performed: each correction\nOutcome: confirmed\nEnds: ${step.id}`,
        replyTo: idOf(24),
      });
      const after = await moss.call('find_work', { list: 'toReview' });
      assert.deepEqual([after.counts.working, idsOf(after.toReview)], [0, [idOf(4)]]);
      for (const agent of Object.values(agents)) await agent.follow();

      for (const agent of Object.values(agents)) {
        const others = [heron, tally, moss].flatMap(({ own }) => own).filter((id) => !agent.own.includes(id));
        // Ids of messages have the order of their times.
        assert.deepEqual(agent.read, others.toSorted(), `${agent.name} reads each message of others once`);
      }

      // All leave. Strangers post 400 messages in 16 threads, one of them in the thread of the three.
      await stranger.arrive();
      const roots: string[] = [idOf(1)];
      for (let n = 0; n < 400; n++) {
        const isFirst = n < 15;
        const target = isFirst ? {} : { replyTo: roots[n % roots.length]! };
        const { id } = await stranger.post({ message: `Message ${n} while the three are away`, ...target });
        if (isFirst) roots.push(id);
      }
      for (const agent of Object.values(agents)) {
        let [count, cursor] = [0, agent.cursor];
        const seen = new Set<string>();
        for (let more = true; more; ) {
          const page = await agent.call('wait_for_messages', {
            after: cursor,
            waitSeconds: 0,
            view: 'threads',
          });
          assert.ok(Buffer.byteLength(JSON.stringify(page)) <= 8_000);
          for (const { rootId, new: news } of page.threads) {
            if (!seen.has(rootId)) count += news;
            seen.add(rootId);
          }
          [cursor, more] = [page.nextAfter, page.more];
        }
        assert.deepEqual([count, seen], [400, new Set(roots)], `${agent.name} hears of all messages`);
        agent.cursor = cursor;
      }
      for (const agent of Object.values(agents)) {
        const { meanwhile } = await agent.post({ message: `${agent.name} is back`, replyTo: idOf(1) });
        assert.ok(meanwhile.inThread.every(({ name }: Json) => name !== 'A stranger'));
        test.diagnostic(`${agent.name}: ${agent.bytes} bytes read and sent`);
        assert.ok(agent.bytes <= MAX_BYTES, `${agent.name}: ${agent.bytes} bytes`);
      }
    });
  });
}
