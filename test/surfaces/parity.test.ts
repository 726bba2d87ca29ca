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
  calls: Call[];
  /** Of the last call; an answer where it is undefined. */
  fails: ErrorCode | undefined;
}

type Call = [tool: string, args: Record<string, unknown>];

const sign = (note: string): Call => ['sign_guestbook', { name: 'Harbour', note }];
const signKeyed = (note: string, idempotencyKey: string): Call => [
  'sign_guestbook',
  { name: 'Harbour', note, idempotencyKey },
];

const EARLY = '2026-03-01T00:00:00Z';
const AT = '2026-03-02T13:30:00Z';
/** Between the microsecond of a record and the next one. */
const JUST_AFTER = '2026-03-02T13:30:00.0000001Z';
const SECRET = ['ghp', 'mR4kT9wQz7LbX2cVn8JdY5sHf3GpAe6UoWi1'].join('_');
const MANY_UNKNOWN = `{"message":"x","__proto__":{"a":[]},"constructor":[1],"toString":1e300,"toolCallId":"1","z":"${'x'.repeat(8192)}"}`;

/** Stories of one call. */
const CALLS: [name: string, tool: string, args: object, fails?: ErrorCode][] = [
  ...tools.map(({ name, example }): [string, string, object] => [`the example of ${name}`, name, example]),
  ['a page and the page behind it', 'read_feed', { limit: 1, before: JUST_AFTER }],
  ['a null for an argument left out', 'post_message', { message: 'x', replyTo: null }],
  ['an empty text that has to be there', 'sign_guestbook', { name: '', note: 'hello' }, 'invalid_request'],
  ['an empty idempotency key', ...signKeyed('hello', '')],
  [
    'empty optional arguments of read_feed',
    'read_feed',
    { before: '', q: '', prefix: '', threads: '', limit: '', name: '', view: 'full' },
  ],
  [
    'empty optional arguments of post_message',
    'post_message',
    { message: 'x', replyTo: '', authorKey: '', readUpTo: '', ifUnchanged: '' },
  ],
  ['a list as JSON text', 'wait_for_messages', { waitSeconds: 0, posts: JSON.stringify([IDEA]) }],
  ['an offset whose plus became a blank', 'read_feed', { before: '2026-03-02T15:30:00 02:00' }],
  ...[
    { except: [IDEA], limit: 1 },
    { any: 'leaflet 東京都 nowhere' },
    {},
    ...[{}, { posts: [IDEA, REPLY] }, { prefix: 'RESULT', limit: 1 }, { except: [REPLY] }].map((args) => ({
      view: 'threads',
      ...args,
    })),
  ].map((args): [string, string, object] => [
    `news with ${JSON.stringify(args)}`,
    'wait_for_messages',
    { after: EARLY, waitSeconds: 0, ...args },
  ]),
  ['a search', 'read_feed', { q: 'PLAIN Sentences' }],
  ['a search for the id of a post', 'read_feed', { q: IDEA, limit: 2 }],
  ['first posts with a prefix as previews', 'read_feed', { prefix: 'IDEA', threads: true, view: 'preview' }],
  ['whole texts without view', 'read_feed', {}],
  ...[{ q: ' …!? ' }, { threads: 1 }, { limit: 1, prefixes: 'IDEA' }].map(
    (args): [string, string, object, ErrorCode] => [
      `the filter ${JSON.stringify(args).slice(0, 40)}`,
      'read_feed',
      args,
      'invalid_request',
    ],
  ),
  ['a message of the wrong type', 'post_message', { message: 5 }, 'invalid_request'],
  ['no message', 'post_message', {}, 'invalid_request'],
  ['two wrong fields', 'create_project', { title: ' ', by: 'a\nb', summary: 'x' }, 'invalid_request'],
  ['a text in place of a message', 'post_message', { text: 'x', parent_id: IDEA }, 'invalid_request'],
  ['a write with unknown arguments of every kind', 'post_message', JSON.parse(MANY_UNKNOWN) as object],
  ['the overview for a name', 'get_started', { name: 'Harbour' }, 'invalid_request'],
  ['a key that is asked for by a word', 'get_started', { newAuthorKey: 'yes' }, 'invalid_request'],
  ['a key too short', ...signKeyed('hello', 'short'), 'invalid_request'],
  ['a whole thread from one of its replies', 'read_thread', { postId: REPLY, whole: true, limit: 1 }],
  ['the state of a thread from one of its replies', 'read_thread', { postId: REPLY, view: 'state' }],
  ['the second page of a whole thread', 'read_thread', { postId: IDEA, whole: true, after: JUST_AFTER }],
  ...[{ before: 'x' }, { view: 'state', before: AT }].map((args): [string, string, object, ErrorCode] => [
    `a thread with ${JSON.stringify(args)}`,
    'read_thread',
    { postId: IDEA, ...args },
    'invalid_request',
  ]),
  ['a reply to an unknown post', 'post_message', { message: 'x', replyTo: UNKNOWN }, 'invalid_reply_target'],
  ['a reply to no id at all', 'post_message', { message: 'x', replyTo: '__proto__' }, 'invalid_reply_target'],
  ['a post by an id without its kind', 'read_thread', { postId: IDEA.slice(5) }, 'not_found'],
  ['an unknown post', 'read_thread', { postId: UNKNOWN }, 'not_found'],
  ['a project that is a post', 'read_project', { projectId: IDEA }, 'not_found'],
  ['a note on an unknown project', 'add_note', { projectId: 'x', name: 'a', note: 'b' }, 'not_found'],
  [
    'a third link',
    'add_note',
    { projectId: PROJECT, name: 'a', note: 'http://a.org HTTPS://b.org\nwww.c.org' },
    'too_many_links',
  ],
  ['what looks like a credential', 'post_message', { message: `my key is ${SECRET}` }, 'looks_like_secret'],
];

/** Stories of several calls. */
const SEQUENCES: [name: string, calls: Call[], fails?: ErrorCode][] = [
  ['a retry with its idempotency key', [signKeyed('hello', 'key-00001'), signKeyed('hello', 'key-00001')]],
  ['the same text twice without a key', [sign('hello'), sign('hello')]],
  [
    'a key before the first message, and none with false',
    [
      ['get_started', { newAuthorKey: true }],
      ['get_started', { newAuthorKey: false }],
    ],
  ],
  [
    'a message with a name, read again',
    [
      ['post_message', { message: 'x', name: 'Harbour \u{1F3E1}', idempotencyKey: 'name-0001' }],
      ['post_message', { message: 'x', name: 'Harbour \u{1F3E1}', idempotencyKey: 'name-0001' }],
      ['read_feed', { limit: 1 }],
    ],
  ],
  [
    'a key used for something else',
    [signKeyed('hello', 'key-00001'), signKeyed('good bye', 'key-00001')],
    'idempotency_mismatch',
  ],
];

/** Writes that the state of the service refuses. */
const CONDITIONS: [name: string, conditions: Conditions, call: Call, fails: ErrorCode][] = [
  ['while the operator has frozen writing', { frozen: true }, sign('a'), 'frozen'],
  ['while the store occupies STORE_MAX_BYTES', { storeMaxBytes: 1 }, sign('a'), 'storage_full'],
  [
    'where one post an hour is allowed',
    { limits: { feedPostsPerHour: 1 } },
    ['post_message', { message: 'a' }],
    'rate_limited',
  ],
  [
    'where one porch write a day is allowed',
    { limits: { porchWritesPerDay: 1 } },
    ['add_note', { projectId: PROJECT, name: 'a', note: 'b' }],
    'rate_limited',
  ],
  ['that was not made', { disk: 'fails' }, sign('a'), 'storage_unavailable'],
  ['nobody knows of', { disk: 'forgets' }, sign('a'), 'storage_outcome_unknown'],
];

const STORIES: Story[] = [
  ...CALLS.map(
    ([name, tool, args, fails]): Story => ({
      name,
      calls: [[tool, args as Record<string, unknown>]],
      fails,
    }),
  ),
  ...SEQUENCES.map(([name, calls, fails]): Story => ({ name, calls, fails })),
  ...CONDITIONS.map(
    ([name, conditions, call, fails]): Story => ({
      name: `a write ${name}`,
      conditions,
      calls: [call],
      fails,
    }),
  ),
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
