import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it, after } from 'node:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { ErrorCode } from '#workspace/service/errors.ts';
import { loadTools } from '../../tools/load.ts';
import { ALL_SURFACES, type Answer, type Surface } from '../support/surfaces.ts';
import { ALL_ENGINES } from '../support/store/engines.ts';
import { IS_THOROUGH } from '../support/thorough.ts';
import type { Conditions } from '../support/context.ts';

const tools = await loadTools();
const IDEA = 'post_019c9a31-6400-7000-8000-000000000001';
const REPLY = 'post_019c9a31-6400-7000-8000-000000000004';
const PROJECT = 'project_019c9a31-6400-7000-8000-000000000006';
const UNKNOWN = 'post_019c9a31-6400-7000-8000-999999999999';

interface Story {
  name: string;
  conditions?: Conditions;
  calls: [tool: string, args: Record<string, unknown>][];
  /** Of the last call; an answer where it is left out. */
  fails?: ErrorCode;
}

interface EmbeddedThread {
  type: string;
  resource: { uri: string; mimeType: string; text: string };
}

const sign = (note: string): [string, Record<string, unknown>] => [
  'sign_guestbook',
  { name: 'Harbour', note },
];
const signKeyed = (note: string, idempotencyKey: string): [string, Record<string, unknown>] => [
  'sign_guestbook',
  { name: 'Harbour', note, idempotencyKey },
];

const STORIES: Story[] = [
  ...tools.map(({ name, example }): Story => ({ name: `the example of ${name}`, calls: [[name, example]] })),
  {
    name: 'a retry with its idempotency key',
    calls: [signKeyed('hello', 'key-00001'), signKeyed('hello', 'key-00001')],
  },
  { name: 'the same text twice without a key', calls: [sign('hello'), sign('hello')] },
  {
    name: 'a page and the page behind it',
    calls: [['read_feed', { limit: 1, before: '2026-03-02T13:30:00.0000001Z' }]],
  },
  { name: 'a null for an argument left out', calls: [['post_message', { message: 'x', replyTo: null }]] },
  {
    name: 'empty optional texts of a guest book note',
    calls: [['sign_guestbook', { name: 'Harbour', kind: '', note: 'hello' }]],
  },
  {
    name: 'empty optional texts of a project',
    calls: [['create_project', { title: 'a', summary: 'b', by: 'c', url: '', looking_for: '' }]],
  },
  {
    name: 'an empty text that has to be there',
    calls: [['sign_guestbook', { name: '', note: 'hello' }]],
    fails: 'invalid_request',
  },
  {
    name: 'an empty idempotency key',
    calls: [signKeyed('hello', '')],
  },
  ...[
    ['read_feed', { before: '', q: '', prefix: '', threads: '', limit: '', name: '', view: 'full' }],
    [
      'wait_for_messages',
      { waitSeconds: 0, after: '', posts: '', except: '', any: '', limit: '', view: 'full' },
    ],
    ['find_work', { list: '', q: '' }],
    ['post_message', { message: 'x', replyTo: '', authorKey: '', readUpTo: '', ifUnchanged: '' }],
  ].map(
    ([tool, args]): Story => ({
      name: `empty optional arguments of ${String(tool)}`,
      calls: [[String(tool), args as Record<string, unknown>]],
    }),
  ),
  {
    name: 'a list as JSON text',
    calls: [['wait_for_messages', { waitSeconds: 0, posts: JSON.stringify([IDEA]) }]],
  },
  {
    name: 'an offset whose plus became a blank',
    calls: [['read_feed', { before: '2026-03-02T15:30:00 02:00' }]],
  },
  {
    name: 'news without some posts, whose first page is skipped',
    calls: [
      ['wait_for_messages', { after: '2026-03-01T00:00:00Z', waitSeconds: 0, limit: 1, except: [IDEA] }],
    ],
  },
  ...[{}, { posts: [IDEA, REPLY] }, { prefix: 'RESULT', limit: 1 }, { except: [REPLY] }].map(
    (args): Story => ({
      name: `news by thread with ${JSON.stringify(args)}`,
      calls: [
        ['wait_for_messages', { after: '2026-03-01T00:00:00Z', waitSeconds: 0, view: 'threads', ...args }],
      ],
    }),
  ),
  {
    name: 'news with one of some words',
    calls: [
      ['wait_for_messages', { after: '2026-03-01T00:00:00Z', waitSeconds: 0, any: 'leaflet 東京都 nowhere' }],
    ],
  },
  { name: 'a search', calls: [['read_feed', { q: 'PLAIN Sentences' }]] },
  { name: 'a search for the id of a post', calls: [['read_feed', { q: IDEA, limit: 2 }]] },
  { name: 'words that occur nowhere', calls: [['read_feed', { q: 'nowhere 東京' }]] },
  {
    name: 'first posts with a prefix as previews',
    calls: [['read_feed', { prefix: 'IDEA', threads: true, view: 'preview' }]],
  },
  ...[
    { q: 'one two three four five six seven eight nine' },
    { q: 'x'.repeat(201) },
    { q: ' …!? ' },
    { prefix: 'idea' },
    { threads: 1 },
    { view: 'short' },
  ].map(
    (args): Story => ({
      name: `the filter ${JSON.stringify(args).slice(0, 40)}`,
      calls: [['read_feed', args]],
      fails: 'invalid_request',
    }),
  ),
  {
    name: 'a message of the wrong type',
    calls: [['post_message', { message: 5 }]],
    fails: 'invalid_request',
  },
  { name: 'no message', calls: [['post_message', {}]], fails: 'invalid_request' },
  {
    name: 'two wrong fields',
    calls: [['create_project', { title: ' ', by: 'a\nb', summary: 'x' }]],
    fails: 'invalid_request',
  },
  { name: 'a limit out of range', calls: [['read_feed', { limit: 101 }]], fails: 'invalid_request' },
  {
    name: 'a cursor that is no date-time',
    calls: [['read_thread', { postId: IDEA, before: 'x' }]],
    fails: 'invalid_request',
  },
  {
    name: 'a whole thread from one of its replies',
    calls: [['read_thread', { postId: REPLY, whole: true, limit: 1 }]],
  },
  {
    name: 'the state of a thread from one of its replies',
    calls: [['read_thread', { postId: REPLY, view: 'state' }]],
  },
  { name: 'the feed of a name', calls: [['read_feed', { name: 'Lantern', view: 'preview' }]] },
  {
    name: 'the overview for a name',
    calls: [['get_started', { name: 'Harbour' }]],
    fails: 'invalid_request',
  },
  {
    name: 'a key before the first message, and none with false',
    calls: [
      ['get_started', { newAuthorKey: true }],
      ['get_started', { newAuthorKey: false }],
    ],
  },
  {
    name: 'a key that is asked for by a word',
    calls: [['get_started', { newAuthorKey: 'yes' }]],
    fails: 'invalid_request',
  },
  {
    name: 'a name with a line break',
    calls: [['post_message', { message: 'x', name: 'a\nb' }]],
    fails: 'invalid_request',
  },
  {
    name: 'the state of a thread with a cursor',
    calls: [['read_thread', { postId: IDEA, view: 'state', before: '2026-03-02T13:30:00Z' }]],
    fails: 'invalid_request',
  },
  {
    name: 'the second page of a whole thread',
    calls: [['read_thread', { postId: IDEA, whole: true, after: '2026-03-02T13:30:00.0000001Z' }]],
  },
  {
    name: 'a whole thread with a cursor into older replies',
    calls: [['read_thread', { postId: IDEA, whole: true, before: '2026-03-02T13:30:00Z' }]],
    fails: 'invalid_request',
  },
  {
    name: 'direct replies with a cursor into newer ones',
    calls: [['read_thread', { postId: IDEA, after: '2026-03-02T13:30:00Z' }]],
    fails: 'invalid_request',
  },
  {
    name: 'a truth value that is a word',
    calls: [['read_thread', { postId: IDEA, whole: 'yes' }]],
    fails: 'invalid_request',
  },
  { name: 'a key too short', calls: [signKeyed('hello', 'short')], fails: 'invalid_request' },
  {
    name: 'a reply to an unknown post',
    calls: [['post_message', { message: 'x', replyTo: UNKNOWN }]],
    fails: 'invalid_reply_target',
  },
  {
    name: 'a reply to no id at all',
    calls: [['post_message', { message: 'x', replyTo: '__proto__' }]],
    fails: 'invalid_reply_target',
  },
  ...['text', 'by', 'reply_to', 'parent_id', 'thread_id', 'inReplyTo', 'idempotency_key'].map(
    (name): Story => ({
      name: `${name} beside a valid message`,
      calls: [['post_message', { message: 'x', [name]: IDEA }]],
    }),
  ),
  {
    name: 'an idempotency key under another spelling, and a name of another kind',
    calls: [['sign_guestbook', { name: 'a', note: 'b', idempotency_key: 'key-00001', by: ['c'] }]],
  },
  {
    name: 'a text in place of a message',
    calls: [['post_message', { text: 'x', parent_id: IDEA }]],
    fails: 'invalid_request',
  },
  {
    name: 'a write with unknown arguments of every kind',
    calls: [
      [
        'post_message',
        JSON.parse(
          `{"message":"x","__proto__":{"a":[]},"constructor":[1],"toString":1e300,"toolCallId":"1","z":"${'x'.repeat(8192)}"}`,
        ) as Record<string, unknown>,
      ],
    ],
  },
  {
    name: 'a read with a near miss of an argument',
    calls: [['read_feed', { limit: 1, prefixes: 'IDEA' }]],
    fails: 'invalid_request',
  },
  {
    name: 'a read with a filter that it does not have',
    calls: [['read_feed', { limit: 1, author: 'Harbour' }]],
    fails: 'invalid_request',
  },
  {
    name: 'a read without arguments that gets some',
    calls: [['get_protocol', JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, unknown>]],
  },
  { name: 'whole texts without view', calls: [['read_feed', {}]] },
  {
    name: 'a wait with whole texts without view',
    calls: [['wait_for_messages', { after: '2026-03-01T00:00:00Z', waitSeconds: 0 }]],
  },
  { name: 'a read with toolCallId', calls: [['read_guestbook', { limit: 1, toolCallId: 'call_1' }]] },
  {
    name: 'a message with a name, read again',
    calls: [
      ['post_message', { message: 'x', name: 'Harbour \u{1F3E1}', idempotencyKey: 'name-0001' }],
      ['post_message', { message: 'x', name: 'Harbour \u{1F3E1}', idempotencyKey: 'name-0001' }],
      ['read_feed', { limit: 1 }],
    ],
  },
  {
    name: 'an empty name',
    calls: [['post_message', { message: 'x', name: '' }]],
  },
  ...['a\nb', 'x'.repeat(81), ' ', '\u202Ex', 5, ['a']].map(
    (name): Story => ({
      name: `the name ${JSON.stringify(name).slice(0, 20)}`,
      calls: [['post_message', { message: 'x', name }]],
      fails: 'invalid_request',
    }),
  ),
  {
    name: 'a reply to an id without its kind',
    calls: [['post_message', { message: 'x', replyTo: IDEA.slice(5) }]],
    fails: 'invalid_reply_target',
  },
  {
    name: 'a post by an id without its kind',
    calls: [['read_thread', { postId: IDEA.slice(5) }]],
    fails: 'not_found',
  },
  { name: 'an unknown post', calls: [['read_thread', { postId: UNKNOWN }]], fails: 'not_found' },
  { name: 'a project that is a post', calls: [['read_project', { projectId: IDEA }]], fails: 'not_found' },
  {
    name: 'a note on an unknown project',
    calls: [['add_note', { projectId: 'x', name: 'a', note: 'b' }]],
    fails: 'not_found',
  },
  {
    name: 'a third link',
    calls: [['add_note', { projectId: PROJECT, name: 'a', note: 'http://a.org HTTPS://b.org\nwww.c.org' }]],
    fails: 'too_many_links',
  },
  {
    name: 'what looks like a credential',
    calls: [
      ['post_message', { message: `my key is ${['ghp', 'mR4kT9wQz7LbX2cVn8JdY5sHf3GpAe6UoWi1'].join('_')}` }],
    ],
    fails: 'looks_like_secret',
  },
  {
    name: 'a write while the operator has frozen writing',
    conditions: { frozen: true },
    calls: [sign('a')],
    fails: 'frozen',
  },
  {
    name: 'a write while the store occupies STORE_MAX_BYTES',
    conditions: { storeMaxBytes: 1 },
    calls: [sign('a')],
    fails: 'storage_full',
  },
  {
    name: 'a key used for something else',
    calls: [signKeyed('hello', 'key-00001'), signKeyed('good bye', 'key-00001')],
    fails: 'idempotency_mismatch',
  },
  {
    name: 'a second post where one is allowed',
    conditions: { limits: { feedPostsPerHour: 1 } },
    calls: [['post_message', { message: 'a' }]],
    fails: 'rate_limited',
  },
  {
    name: 'a second porch write where one a day is allowed',
    conditions: { limits: { porchWritesPerDay: 1 } },
    calls: [['add_note', { projectId: PROJECT, name: 'a', note: 'b' }]],
    fails: 'rate_limited',
  },
  {
    name: 'a write that was not made',
    conditions: { disk: 'fails' },
    calls: [sign('a')],
    fails: 'storage_unavailable',
  },
  {
    name: 'a write nobody knows of',
    conditions: { disk: 'forgets' },
    calls: [sign('a')],
    fails: 'storage_outcome_unknown',
  },
];

/** The answer over MCP: without addresses of HTTP, and of a write without the text that the caller has just sent. */
function withoutLongText(tool: string, answer: Answer): Answer {
  const { longText = '' } = tools.find(({ name }) => name === tool)!;
  if (!('output' in answer)) return answer;
  const leftOut: Record<string, string[]> = { get_started: ['links'] };
  const left = leftOut[tool] ?? [longText];
  const text = JSON.stringify(answer.output);
  const given = JSON.parse(
    tool === 'get_started' ? text.replace(/"http":"[^"]*"/g, '"http":null') : text,
  ) as object;
  const output = Object.entries(given).filter(([name]) => !left.includes(name));
  return { output: Object.fromEntries(output) };
}

/** Of the quick run: each transport, each generation of MCP and each engine once. */
const QUICK = [
  'REST, the folder engine',
  'REST, the PostgreSQL engine',
  'MCP of 2026 over HTTP, the folder engine',
  'MCP over stdio, started from another folder, the folder engine',
];

const WAYS = Object.entries(ALL_ENGINES)
  .flatMap(([engine, place]) =>
    Object.entries(ALL_SURFACES).map(([surface, open]) => ({ name: `${surface}, ${engine}`, open, place })),
  )
  .filter(({ name }) => IS_THOROUGH || QUICK.includes(name));

describe('on every surface and both engines', () => {
  const surfaces: Record<string, Surface> = {};
  let folder: string;
  let conditionsFile: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'porchlight-parity-'));
    conditionsFile = join(folder, 'conditions.json');
    await writeFile(conditionsFile, '{}');
    // All are opened or have failed before this throws, so that the after hook closes every one.
    const opened = await Promise.allSettled(
      WAYS.map(async ({ name, open, place }, index) => {
        surfaces[name] = await open({ folder: join(folder, String(index)), ...place(), conditionsFile });
      }),
    );
    const failed = opened.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  });

  after(async () => {
    await Promise.all(Object.values(surfaces).map((surface) => surface.close()));
    await rm(folder, { recursive: true });
  });

  it('a prompt hands a thread over as the same embedded resource', async () => {
    await writeFile(conditionsFile, '{}');
    for (const [surface, { prompt, call }] of Object.entries(surfaces)) {
      if (prompt === undefined) continue;
      const [layout, thread] = (await prompt('review', { postId: REPLY })) as EmbeddedThread[];
      assert.deepEqual([layout?.type, thread?.type], ['text', 'resource'], surface);
      const { uri, mimeType, text } = thread!.resource;
      assert.deepEqual([uri, mimeType], [`porchlight://posts/${REPLY}`, 'application/json']);
      const { post } = JSON.parse(text) as { post: object };
      const whole = (await call('read_thread', { postId: REPLY, limit: 1 })) as { output: { post: object } };
      assert.deepEqual({ ...post, referredToBy: [] }, whole.output.post, surface);
    }
  });

  for (const { name, conditions = {}, calls, fails } of STORIES)
    it(`${name} has one answer`, async () => {
      await writeFile(conditionsFile, JSON.stringify(conditions));
      const answers = await Promise.all(
        Object.entries(surfaces).map(async ([surface, { call }]) => {
          const outcome: Answer[] = [];
          for (const [tool, args] of calls) outcome.push(await call(tool, args));
          return [surface, outcome] as const;
        }),
      );
      const isMcp = (surface: string): boolean => surface.startsWith('MCP');
      const [, whole] = answers.find(([surface]) => !isMcp(surface))!;
      const lean = calls.map(([tool], index) => withoutLongText(tool, whole[index]!));
      for (const [surface, outcome] of answers)
        assert.deepEqual(outcome, isMcp(surface) ? lean : whole, surface);
      const last = whole.at(-1)!;
      assert.equal('failure' in last ? last.failure.code : undefined, fails);
    });
});
