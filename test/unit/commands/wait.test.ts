import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError, UsageError } from '#commands/command.ts';
import { wait, type WaitOptions } from '#commands/wait.ts';

const CURSORS = ['2026-03-01T00:00:00.000001Z', '2026-03-01T00:00:00.000002Z'] as const;

/** A call takes as many milliseconds, and returns the response or throws the error. */
type Step = readonly [milliseconds: number, outcome: Response | Error];

const json = (body: object, status = 200, headers = {}): Response => Response.json(body, { status, headers });

const answer = (nextAfter: string, messages: readonly object[] = [], more = false): Response =>
  json({ nextAfter, timedOut: messages.length === 0 && !more, more, messages });

const refused = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' }),
});

interface Run {
  /** The query of each call, in order. */
  readonly queries: string[];
  /** The time limit of each call, in milliseconds. */
  readonly timeouts: number[];
  readonly pauses: number[];
  readonly printed: string[];
  readonly status: string[];
  error: unknown;
}

/** Runs the command against a scripted service; the last step repeats. */
async function run(steps: readonly Step[], options: Partial<WaitOptions> = {}): Promise<Run> {
  let time = Date.parse('2026-03-01T00:00:00Z');
  const seen: Run = { queries: [], timeouts: [], pauses: [], printed: [], status: [], error: undefined };
  const context = {
    now: () => time,
    sleep: async (milliseconds: number) => {
      seen.pauses.push(milliseconds);
      time += milliseconds;
    },
    fetch: async (address: URL, timeoutMs: number) => {
      seen.queries.push(address.search.slice(1));
      seen.timeouts.push(timeoutMs);
      const [milliseconds, outcome] = steps[Math.min(seen.queries.length, steps.length) - 1]!;
      time += milliseconds;
      if (outcome instanceof Error) throw outcome;
      return outcome.clone();
    },
  };
  const output = {
    printResult: (line: string) => seen.printed.push(line),
    logStatus: (line: string) => seen.status.push(line),
  };
  try {
    await wait({ url: 'http://host.invalid', query: {}, duration: '8h', ...options }, context, output);
  } catch (thrown) {
    seen.error = thrown;
  }
  return seen;
}

const SECOND = 1000;
const from = (cursor: string, seconds = 240): string =>
  new URLSearchParams({ after: cursor, wait: `${seconds}` }).toString();

test('the first call fixes the cursor, and each later one goes on from nextAfter until a message comes', async () => {
  const { queries, printed, error, pauses } = await run([
    [0, answer(CURSORS[0])],
    [240 * SECOND, answer(CURSORS[1])],
    [9 * SECOND, answer(CURSORS[1], [{ message: 'news' }])],
  ]);
  assert.equal(error, undefined);
  assert.deepEqual(queries, ['wait=0', from(CURSORS[0]), from(CURSORS[1])]);
  assert.deepEqual(pauses, []);
  assert.deepEqual(
    printed.map((line) => JSON.parse(line)),
    [{ nextAfter: CURSORS[1], timedOut: false, more: false, messages: [{ message: 'news' }] }],
  );
});

test('the filters and the cursor of the command line are those of the calls', async () => {
  const { queries } = await run([[0, answer(CURSORS[0], [{}])]], {
    query: {
      after: 'post_1',
      posts: 'post_2,post_3',
      except: 'post_4',
      prefix: 'REVIEW',
      q: 'a b',
      any: 'c d',
      view: 'preview',
    },
  });
  assert.deepEqual(Object.fromEntries(new URLSearchParams(queries[0])), {
    after: 'post_1',
    posts: 'post_2,post_3',
    except: 'post_4',
    prefix: 'REVIEW',
    q: 'a b',
    any: 'c d',
    view: 'preview',
    wait: '0',
  });
});

test('an answer of several lines and with control characters is printed as one line of JSON', async () => {
  const page = {
    nextAfter: CURSORS[0],
    more: false,
    messages: [{ message: 'a\u009b31m b\u202e c\u2028 d' }],
  };
  const text = JSON.stringify(page, null, '\t').replaceAll('\n', '\r\n');
  const response = new Response(`  ${text}\n`, { headers: { 'Content-Type': 'application/json' } });
  const { printed } = await run([[0, response]]);
  assert.deepEqual(
    printed.map((line) => JSON.parse(line)),
    [page],
  );
  assert.match(printed.join(), /^[\u0020-\u007e]+$/);
});

test('a cursor ahead of the service becomes that of its answer', async () => {
  const steps: Step[] = [
    [0, answer(CURSORS[0])],
    [240 * SECOND, answer(CURSORS[0])],
  ];
  const { queries } = await run(steps, { query: { after: '2999-01-01T00:00:00Z' }, duration: '4m' });
  assert.deepEqual(queries, [from('2999-01-01T00:00:00Z', 0), from(CURSORS[0])]);
});

const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError');

for (const [ending, last] of Object.entries({ 'without a message': answer(CURSORS[1]), 'cut off': timeout }))
  test(`the last call waits for the rest of the time, and its end, ${ending}, names the cursor`, async () => {
    const { queries, timeouts, status, error } = await run(
      [
        [0, answer(CURSORS[0])],
        [240 * SECOND, answer(CURSORS[1])],
        [60 * SECOND, last],
      ],
      { duration: '5m' },
    );
    assert.deepEqual(queries.slice(1), [from(CURSORS[0]), from(CURSORS[1], 60)]);
    assert.deepEqual(timeouts, [30 * SECOND, 270 * SECOND, 60 * SECOND]);
    assert.ok(error instanceof CommandError);
    assert.equal(error.exitCode, 3);
    assert.equal(error.message, `No message within 5m. To continue from here: --after ${CURSORS[1]}`);
    assert.deepEqual(status, []);
  });

test('failures that may pass are repeated with growing pauses, without losing the cursor', async () => {
  const cutOff = new Response(' {"messages":[', { headers: { 'Content-Type': 'application/json' } });
  const { queries, pauses, printed, status } = await run([
    [0, answer(CURSORS[0])],
    [0, refused],
    [0, json({}, 503)],
    [0, json({}, 502)],
    [30 * SECOND, cutOff],
    [240 * SECOND, answer(CURSORS[1])],
    [0, refused],
    [0, answer(CURSORS[1], [{}])],
  ]);
  assert.equal(printed.length, 1);
  assert.deepEqual(
    queries.slice(1),
    [...Array<string>(5).fill(CURSORS[0]), CURSORS[1], CURSORS[1]].map((cursor) => from(cursor)),
  );
  const expected = [1, 2, 4, 8, 1].map((seconds) => seconds * SECOND);
  assert.deepEqual(pauses, expected);
  assert.deepEqual(
    status.map((line) => /\((.*)\)/.exec(line)?.[1]),
    ['ECONNREFUSED', 'status 503', 'status 502', 'the response was cut off', 'ECONNREFUSED'],
  );
});

test('a pause is at most a minute, and the same failure is reported once', async () => {
  const { pauses, status, error } = await run(
    [
      [0, answer(CURSORS[0])],
      [0, refused],
    ],
    { duration: '1h' },
  );
  assert.equal(Math.max(...pauses), 60 * SECOND);
  assert.equal(status.length, 1);
  assert.ok(error instanceof CommandError);
  assert.equal(error.exitCode, 3);
  assert.match(error.message, /The last call failed \(ECONNREFUSED\)\. To continue from here: --after 2026/);
});

test('Retry-After of a 429 and a 503 is the pause, of at least a second, within the time that is left', async () => {
  const { pauses, queries, error } = await run(
    [
      [0, json({}, 429, { 'Retry-After': '77' })],
      [0, json({}, 503, { 'Retry-After': '0' })],
      [0, json({}, 429, { 'Retry-After': '9999' })],
    ],
    { duration: '100s' },
  );
  const expected = [77, 1, 22].map((seconds) => seconds * SECOND);
  assert.deepEqual(pauses, expected);
  assert.equal(queries.length, 3);
  assert.ok(error instanceof CommandError);
  assert.match(
    error.message,
    /^No call succeeded within 100s \(status 429\)\. Node 24 and later use the proxy in HTTP_PROXY /,
  );
});

test('calls without a message begin a second apart, also where the service says that there is more', async () => {
  const { pauses } = await run([
    [0, answer(CURSORS[0])],
    [200, answer(CURSORS[0])],
    [0, answer(CURSORS[1], [], true)],
    [0, answer(CURSORS[1], [{}])],
  ]);
  assert.deepEqual(pauses, [800, 1000]);
});

test('an address where nothing responds for a minute is reported as wrong, one that responded once is not', async () => {
  const silent = await run([[0, refused]]);
  assert.ok(silent.error instanceof CommandError);
  assert.match(
    silent.error.message,
    /^Nothing responds at this URL \(ECONNREFUSED\)\. Node 24 and later use the proxy in HTTP_/,
  );
  const waited = silent.pauses.reduce((sum, pause) => sum + pause);
  assert.equal(waited, 63 * SECOND);
  const starting = await run([
    [0, json({}, 503)],
    [0, refused],
  ]);
  assert.ok(starting.error instanceof CommandError);
  assert.match(starting.error.message, /^No call succeeded within 8h \(ECONNREFUSED\)\. /);
});

test('a time that is shorter than the first failures ends with an error, with a cursor too', async () => {
  const { error } = await run([[0, refused]], { query: { after: CURSORS[0] }, duration: '5s' });
  assert.ok(error instanceof CommandError);
  assert.match(error.message, /^No call succeeded within 5s \(ECONNREFUSED\)\. /);
});

test('posts that are not visible are named once', async () => {
  const unknown = json({
    nextAfter: CURSORS[0],
    messages: [],
    unknownPosts: ['post_1', 'post_send-me-your-keys'],
  });
  const { status } = await run([[240 * SECOND, unknown]], {
    query: { posts: 'post_1,post_2' },
    duration: '1h',
  });
  assert.deepEqual(status, ['These posts are not visible, so they get no replies: post_1']);
});

test('a wait for posts of which none is visible ends with an error', async () => {
  const unknown = json({ nextAfter: CURSORS[0], messages: [], unknownPosts: ['post_1', 'post_2'] });
  const { error } = await run([[0, unknown]], { query: { posts: 'post_1,post_2' } });
  assert.ok(error instanceof CommandError);
  assert.equal(error.message, 'None of these posts is visible, so no reply can arrive: post_1, post_2');
});

for (const [name, response, type, message] of [
  [
    '422',
    json({ detail: 'prefix must be one of IDEA' }, 422),
    UsageError,
    /^The service responded with status 422: "prefix must be one of IDEA"$/,
  ],
  ['404', json({ detail: 'nothing' }, 404), CommandError, /without \/mcp or \/api/],
  ['403', json({ detail: 'no' }, 403), CommandError, /^The service responded with status 403: "no"$/],
  ['a page', new Response('<p>', { headers: { 'Content-Type': 'text/html' } }), CommandError, /not JSON/],
  ['other JSON', json({ ok: true }), CommandError, /not from \/api\/updates/],
  ['JSON null', json(null as never), CommandError, /not from \/api\/updates/],
  ['a cursor that is a number', answer(1 as never), CommandError, /not from \/api\/updates/],
  ['messages that are texts', answer(CURSORS[0], ['a'] as never), CommandError, /not from \/api\/updates/],
  ['a cursor with a command', answer("x'; $(touch y)"), CommandError, /not from \/api\/updates/],
  ['a cursor in another spelling', answer('2026-03-01t00:00:00Z'), CommandError, /not from \/api\/updates/],
  [
    'ids that are objects',
    json({ nextAfter: CURSORS[0], messages: [], unknownPosts: [{}] }),
    CommandError,
    /not from/,
  ],
  [
    'a text with escape sequences',
    json({ detail: `\u001b]0;x\u0007\u202e${'x'.repeat(100_000)}` }, 403),
    CommandError,
    /^The service responded with status 403: "\\u001b\]0;x\\u0007\\u202ex{993}"$/,
  ],
  ['a redirect', new Response('', { status: 307, headers: { Location: '/x' } }), CommandError, /redirects/],
] as const)
  test(`${name} ends the wait with an error, and is not repeated`, async () => {
    const { error, queries } = await run([[0, response]]);
    assert.ok(error instanceof type);
    assert.match(error.message, message);
    assert.equal(queries.length, 1);
  });

for (const options of [
  ...['8', 'h', '1.5h', '-1s', '8 h', '8w', '501h', '0s', ''].map((duration) => ({ duration })),
  ...['host.invalid', 'ftp://host.invalid', 'http://a:b@host.invalid', ''].map((url) => ({ url })),
])
  test(`${JSON.stringify(options)} is refused before any call`, async () => {
    const { error, queries } = await run([[0, refused]], options);
    assert.ok(error instanceof UsageError);
    assert.match(error.message, 'url' in options ? /^URL must be/ : /^--for must be a whole number/);
    assert.equal(queries.length, 0);
  });

for (const url of ['http://h.invalid/base', 'http://h.invalid/base/', 'http://h.invalid/base?x#y'])
  test(`the calls of ${url} go below its path`, async () => {
    const asked: string[] = [];
    const fetch = async (address: URL) => {
      asked.push(address.origin + address.pathname);
      return answer(CURSORS[0], [{}]);
    };
    const output = { printResult: () => undefined, logStatus: () => undefined };
    await wait(
      { url, query: {}, duration: '1s' },
      { fetch, now: () => 0, sleep: async () => undefined },
      output,
    );
    assert.deepEqual(asked, ['http://h.invalid/base/api/updates']);
  });
