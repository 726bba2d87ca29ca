import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { PrivateStore, ReportReason } from '#private/private-store.ts';
import type { Post } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { StoreFailure } from '#store/port/store.ts';
import { Reports } from '#workspace/moderation/reports.ts';
import { OperatorHook, type HookMessage, type OperatorHookOptions } from '#server/operator-hook.ts';
import { listen } from '../../support/http/listen.ts';
import { testClock, type TestClock } from '../../support/clock.ts';
import { PRIVATE_STORES } from '../../support/private-stores.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { firstOf } from '../../support/thorough.ts';

/** Every record is visible. */
const READ = {
  find: async (_: string, id: string) => ({ record: { id }, children: 0 }),
  records: async () => [],
} as unknown as Pick<Reader, 'find' | 'records'>;

const SERVICE = {
  name: 'porchlight',
  baseUrl: 'https://porch.example.org',
  contact: null,
  version: '0.0.0',
};

interface Sender {
  hook: OperatorHook;
  reports: Reports;
  options: OperatorHookOptions;
}

/** A hook whose requests are recorded, and fail while `fails` returns true. */
function createSender(
  privateStore: PrivateStore,
  clock: TestClock,
  sent: HookMessage[],
  fails: () => boolean = () => false,
  isSlow: () => Promise<void> = async () => undefined,
): Sender {
  const reports = new Reports({ privateStore, read: READ, now: clock.now });
  let keys = 0;
  const processId = String(Math.random());
  const options: OperatorHookOptions = {
    url: 'https://hook.example.org/',
    service: SERVICE,
    read: READ,
    links: undefined,
    reports,
    processId,
    newKey: () => `${processId} ${++keys}`,
    now: clock.now,
    logger: { warn: () => undefined },
    sleep: () => nextTick(),
    post: async (_, body) => {
      if (fails()) throw new Error('status 500');
      await isSlow();
      sent.push(JSON.parse(body) as HookMessage);
    },
  };
  return { hook: new OperatorHook(options), reports, options };
}

const report = ({ reports }: Pick<Sender, 'reports'>, id: string, reason: ReportReason = 'spam', tag = '1') =>
  reports.append({ type: 'report', day: '2026-11-21', id, reason, tag: `${id}${tag}` });

/** As a server takes a report of an address. */
const reportFrom = ({ reports }: Sender, clientKey: string, id: string, reason: ReportReason = 'illegal') =>
  reports.report({ id: postId(id), reason }, { clientKey });

const postId = (name: string): string => `post_${name}`;

async function look(...senders: Sender[]): Promise<void> {
  await Promise.all(senders.map(({ hook }) => hook.sendDue()));
  await Promise.all(senders.map(({ hook }) => hook.idle()));
}

for (const [engine, place] of firstOf(Object.entries(PRIVATE_STORES))) {
  describe(`the hook on ${engine}`, () => {
    const setUp = async (t: TestContext) => {
      const clock = testClock('2026-11-21T10:05:00.000Z');
      const open = await place(t, clock);
      const sent: HookMessage[] = [];
      return {
        clock,
        sent,
        add: (fails?: () => boolean, isSlow?: () => Promise<void>) =>
          createSender(open(), clock, sent, fails, isSlow),
      };
    };

    it('says what was reported last and the name of its writer, neutralised, with its thread, a command and a link', async (t) => {
      const { sent, add } = await setUp(t);
      const { reports, options } = add();
      const record = {
        id: 'post_b',
        name: 'A\n<b>',
        message: `@all &amp;\n ${'😀'.repeat(300)}`,
        rootId: 'post_a',
      };
      const asked: string[] = [];
      const hook = new OperatorHook({
        ...options,
        reports,
        read: { records: async (ids) => [{ kind: 'post', record: { ...record, id: ids[0] } as Post }] },
        links: { create: async (id) => `https://porch.example.org/operator/${asked.push(id)}` },
      });
      await report({ reports }, 'post_b', 'private_data');
      await hook.sendDue();
      await hook.idle();
      assert.deepEqual(Object.entries(sent[0]!).slice(-4), [
        ['thread', 'https://porch.example.org/posts/post_a'],
        ['command', 'porchlight hide post_b --reason "private data"'],
        ['act', 'https://porch.example.org/operator/1'],
        ['untrustedText', `A ‹b›: ＠all ＆amp; ${'😀'.repeat(182)}`],
      ]);
      assert.deepEqual(asked, ['post_b']);
    });

    it('tells of the first report of a record once, without a text and an address, whichever process looks', async (t) => {
      const { sent, add } = await setUp(t);
      const senders = [add(), add(), add()] as const;
      await report(senders[0], 'post_a', 'spam', '1');
      await report(senders[1], 'post_a', 'spam', '2');
      for (let round = 0; round < 3; round++) await look(...senders);
      assert.deepEqual(sent, [
        {
          event: 'report',
          service: 'porchlight',
          at: '2026-11-21T10:05:00.000Z',
          id: 'post_a',
          url: 'https://porch.example.org/posts/post_a',
          reason: 'spam',
          reports: 2,
        },
      ]);
    });

    it('tells of ten junk reports an hour, then of the rest at once, and never holds up an illegal one', async (t) => {
      const { clock, sent, add } = await setUp(t);
      const sender = add();
      for (let n = 0; n < 25; n++) await report(sender, `post_${n}`);
      await look(sender);
      await report(sender, 'post_bad', 'illegal');
      await look(sender);
      assert.deepEqual([sent.length, sent.at(-1)?.event], [11, 'illegal']);
      clock.advance(30 * 60_000);
      await look(sender, add());
      assert.equal(sent.length, 11);
      clock.advance(30 * 60_000);
      await look(sender, add());
      assert.deepEqual([sent.length, sent.at(-1)?.event, sent.at(-1)?.more], [12, 'report', { report: 14 }]);
      await look(sender);
      assert.equal(sent.length, 12);
    });

    it('counts the rest of an hour once, also if another process looks while the first message is under way', async (t) => {
      const { clock, sent, add } = await setUp(t);
      const waiting: (() => void)[] = [];
      let isNextHour = false;
      const isSlow = (): Promise<void> =>
        new Promise((resolve) => {
          if (isNextHour) waiting.push(resolve);
          else resolve();
        });
      const sender = add(undefined, isSlow);
      for (let n = 0; n < 25; n++) await report(sender, `post_${n}`);
      await look(sender);
      assert.equal(sent.length, 10);
      clock.advance(60 * 60_000);
      isNextHour = true;
      await sender.hook.sendDue();
      // It tries three times, since the receiver does not answer.
      await waitUntil(() => waiting.length === 3);
      await look(add());
      for (const resolve of waiting) resolve();
      await sender.hook.idle();
      const later = sent.slice(10).map(({ more }) => more);
      assert.deepEqual(later, [{ report: 14 }, { report: 14 }, { report: 14 }]);
    });

    it('tells of two reports of one widened network an hour, and of what others report besides', async (t) => {
      const { clock, sent, add } = await setUp(t);
      const sender = add();
      for (let n = 0; n < 12; n++) await reportFrom(sender, `2001:db8:1:${n}::/64`, `a${n}`);
      for (let n = 0; n < 5; n++) await reportFrom(sender, '2001:db8:1:0::/64', `s${n}`, 'spam');
      await look(sender);
      const ids = sent.map(({ id }) => id);
      assert.deepEqual(ids, ['post_a0', 'post_a1']);
      await reportFrom(sender, '198.51.100.7/32', 'matters');
      await look(sender);
      assert.deepEqual([sent.length, sent.at(-1)?.id, sent.at(-1)?.more], [3, 'post_matters', undefined]);
      clock.advance(3_600_000);
      await look(sender);
      assert.deepEqual(
        new Map(sent.slice(3).map(({ event, more }) => [event, more])),
        new Map([
          ['illegal', { illegal: 9 }],
          ['report', { report: 4 }],
        ]),
      );
    });

    it('nobody buries a record by being the first to report it', async (t) => {
      const { clock, sent, add } = await setUp(t);
      const sender = add();
      for (const id of ['a', 'b', 'buried', 'counted']) await reportFrom(sender, '2001:db8:1:1::/64', id);
      await look(sender);
      await reportFrom(sender, '198.51.100.7/32', 'buried');
      await look(sender);
      assert.deepEqual([sent.length, sent.at(-1)?.id, sent.at(-1)?.reports], [3, 'post_buried', 2]);
      clock.advance(3_600_000);
      await reportFrom(sender, '198.51.101.7/32', 'c');
      await look(sender);
      assert.deepEqual([sent.at(-1)?.id, sent.at(-1)?.more], ['post_c', { illegal: 1 }]);
      await reportFrom(sender, '198.51.102.7/32', 'counted');
      await look(sender);
      assert.deepEqual([sent.length, sent.at(-1)?.id], [5, 'post_counted']);
    });

    it('has five messages more an hour for records that two networks have reported on one day', async (t) => {
      const { sent, add } = await setUp(t);
      const sender = add();
      for (let n = 0; n < 20; n++) await report(sender, `post_${n}`, 'illegal');
      await look(sender);
      assert.equal(sent.length, 10);
      for (let n = 10; n < 20; n++) {
        await report(sender, `post_${n}`, 'illegal', '2');
        await look(sender);
      }
      const later = sent.slice(10).map(({ id, reports: count }) => [id, count]);
      assert.deepEqual(
        later,
        [10, 11, 12, 13, 14].map((n) => [`post_${n}`, 2]),
      );
    });

    it('has five more again for records of three, five and nine networks, and tells of the most reported first', async (t) => {
      const { clock, sent, add } = await setUp(t);
      const sender = add();
      const reportBy = async (id: string, networks: number) => {
        for (let n = 0; n < networks; n++) await report(sender, `post_${id}`, 'illegal', `n${n}`);
      };
      const counts: number[] = [];
      for (const networks of [1, 2, 3, 5]) {
        for (let n = 0; n < 11; n++) await reportBy(`by${networks}n${n}`, networks);
        await look(sender);
        counts.push(sent.length);
      }
      assert.deepEqual(counts, [10, 15, 20, 25]);
      await reportBy('more', 8);
      await look(sender);
      assert.equal(sent.length, 25);
      await reportBy('more', 9);
      await look(sender);
      assert.deepEqual([sent.length, sent.at(-1)?.id], [26, 'post_more']);
      clock.advance(3_600_000);
      await look(sender);
      const last = sent.slice(26).map(({ reports: count }) => count);
      assert.deepEqual(last, [5]);
    });

    it('whatever strangers cause, a full store is told; of a valve two messages an hour', async (t) => {
      const { clock, sent, add } = await setUp(t);
      const sender = add();
      const flap = async () => {
        for (let n = 0; n < 10; n++) {
          await sender.hook.note(n % 2 === 0 ? 'valve_closed' : 'valve_open');
          await look(sender);
        }
      };
      await flap();
      for (let n = 0; n < 12; n++)
        await sender.reports.append({
          type: 'event',
          at: clock.now(),
          key: `h${n}`,
          event: 'hold',
          id: `post_${n}`,
        });
      for (let n = 0; n < 15; n++) await report(sender, `post_${n}`, n % 2 === 0 ? 'illegal' : 'spam');
      await look(sender);
      await sender.hook.note('storage_full');
      await sender.hook.note('writes_failed');
      await look(sender);
      const count = (name: string) => sent.filter(({ event }) => event === name).length;
      assert.deepEqual(
        ['valve_closed', 'valve_open', 'hold', 'storage_full', 'writes_failed'].map(count),
        [1, 1, 10, 1, 1],
      );
      clock.advance(3_600_000);
      await sender.hook.note('valve_closed');
      sent.length = 0;
      await look(sender);
      assert.deepEqual(
        sent.filter(({ event }) => event.startsWith('valve')).map(({ event, more }) => [event, more]),
        [['valve_closed', { valve_closed: 4, valve_open: 4 }]],
      );
    });

    it('tells again after a receiver that was down, also from another process', async (t) => {
      const { clock, sent, add } = await setUp(t);
      let tries = 0;
      let isDown = true;
      const down = add(() => (tries += 1) > 0 && isDown);
      await report(down, 'post_a', 'illegal');
      await look(down);
      assert.deepEqual([tries, sent.length], [3, 0]);
      await look(down, add());
      assert.deepEqual([tries, sent.length], [3, 0]);
      isDown = false;
      clock.advance(61_000);
      await look(down, add());
      const events = sent.map(({ event }) => event);
      assert.deepEqual(events, ['illegal']);
    });

    it('tells of a change of the service once, although several processes note it', async (t) => {
      const { sent, add } = await setUp(t);
      const senders = [add(), add()];
      for (const event of ['writes_ok', 'writes_failed', 'writes_ok'] as const) {
        for (const { hook } of senders) await hook.note(event);
        for (let round = 0; round < 2; round++) await look(...senders);
      }
      const events = sent.map(({ event }) => event);
      assert.deepEqual(events, ['writes_failed', 'writes_ok']);
    });
  });
}

it('a journal that cannot be written holds up no message that strangers cannot cause', async () => {
  const failure = async (): Promise<never> => Promise.reject(new StoreFailure('nothing', 'the disk is full'));
  const reading = async function* (): AsyncIterable<never> {
    yield await failure();
  };
  const sent: HookMessage[] = [];
  const broken = { append: failure, read: reading } as unknown as PrivateStore;
  const { hook } = createSender(broken, testClock('2026-11-21T10:05:00.000Z'), sent);
  await hook.note('valve_closed');
  await hook.note('storage_full');
  await hook.idle();
  const events = sent.map(({ event }) => event);
  assert.deepEqual(events, ['storage_full']);
});

it('a redirect is not followed, and the message is sent as JSON', async (t) => {
  const clock = testClock('2026-11-21T10:05:00.000Z');
  const privateStore = (await PRIVATE_STORES['a folder']!(t, clock))();
  const { reports, options } = createSender(privateStore, clock, []);
  let followed = 0;
  const target = await listen(
    t,
    createServer((_, response) => {
      followed += 1;
      response.end();
    }),
  );
  const types: (string | undefined)[] = [];
  const url = await listen(
    t,
    createServer((request, response) => {
      types.push(request.headers['content-type']);
      response.writeHead(307, { Location: target }).end();
    }),
  );
  const codes: unknown[] = [];
  const { post: _, ...others } = options;
  const hook = new OperatorHook({
    ...others,
    url,
    logger: { warn: (facts: object) => codes.push(facts) },
  });
  await report({ reports }, 'post_a');
  await hook.sendDue();
  await hook.idle();
  assert.deepEqual([types, followed], [Array<string>(3).fill('application/json'), 0]);
  assert.deepEqual(codes[0], { event: 'report', code: 'status 307' });
});
