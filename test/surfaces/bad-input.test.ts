import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  callOverMcp,
  NO_LIMITS,
  IDEA,
  PROJECT,
  UNKNOWN_UUID,
  setUp,
  visibleIds,
} from '../support/http/test-app.ts';
import { assertClean, assertProblem, MARK } from '../support/http/problem.ts';
import { hide } from '../support/store/writes.ts';

const setting = await setUp({ after }, { limits: NO_LIMITS });
const { request, store } = setting;
const { json: soonHidden } = await request('POST /api/feed', { body: { message: 'soon hidden' } });
await hide(store, soonHidden.id, MARK);
const HIDDEN: string = soonHidden.id;
const before = await visibleIds(store);

const message = (text: string): object => ({ message: text });
const nested = (levels: number): string =>
  `{"message":"${MARK}","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const padded = (bytes: number): string => `{"message":"${MARK}","x":"${'x'.repeat(bytes - 26)}"}`;
const utf8 = JSON.stringify(message(MARK));

async function storesNothing(): Promise<void> {
  assert.deepEqual(await visibleIds(store), before);
}

describe('a body that cannot be read is refused and stores nothing', () => {
  const BODIES: [
    name: string,
    body: unknown,
    status: number,
    code: string,
    headers?: Record<string, string | undefined>,
  ][] = [
    ['no JSON', `{"message": "${MARK}"`, 400, 'malformed_json'],
    ['JSON and more', `${utf8} x`, 400, 'malformed_json'],
    ['Latin-1', Buffer.from('{"message":"\u00E9"}', 'latin1'), 400, 'malformed_json'],
    [
      'an overlong slash',
      Buffer.from([...Buffer.from('{"message":"'), 0xc0, 0xaf, ...Buffer.from('"}')]),
      400,
      'malformed_json',
    ],
    ['nothing', '', 400, 'malformed_json'],
    ['a list', [message(MARK)], 422, 'invalid_request'],
    ['null', 'null', 422, 'invalid_request'],
    ['33 levels', nested(33), 400, 'malformed_json'],
    ['100,000 levels', nested(100_000), 400, 'malformed_json'],
    ['one byte over 256 KiB', padded(256 * 1024 + 1), 413, 'too_large'],
    ['over 256 KiB in chunks', padded(300_000), 413, 'too_large', { 'Transfer-Encoding': 'chunked' }],
    [
      'a gzip bomb',
      gzipSync(Buffer.alloc(50_000_000)),
      415,
      'unsupported_media_type',
      { 'Content-Encoding': 'gzip' },
    ],
  ];

  for (const [name, body, status, code, headers] of BODIES) {
    it(`${name}: ${status} ${code}`, async () => {
      assertProblem(await request('POST /api/feed', { body, headers }), status, code);
      await storesNothing();
    });
  }
});

describe('a text, target, link or address that breaks its rule is refused through every surface', () => {
  const project = (url: unknown): object => ({ title: 'a', summary: 'b', by: 'c', url });
  const reply = (replyTo: unknown): object => ({ message: MARK, replyTo });
  const PATHS = {
    post_message: '/api/feed',
    create_project: '/api/projects',
  };

  // The tests of the rules have every text that they refuse.
  const ROWS: [tool: keyof typeof PATHS, code: string, inputs: object[]][] = [
    [
      'post_message',
      'invalid_request',
      [
        {},
        { text: MARK },
        ...[5, true, [MARK], { a: MARK }, null].map((value) => ({ message: value })),
        ...['', ' \n\t', 'x'.repeat(8001), '\u{1F600}'.repeat(8001)].map(message),
        reply('x'.repeat(10_001)),
        ...['\0', '\uD83D', '\u{E0041}\u{E0042}', '\u202E'].map((text) => message(`${MARK} ${text}`)),
        ...[5, false, [], {}].map(reply),
      ],
    ],
    [
      'post_message',
      'invalid_reply_target',
      [
        ...[`post_${UNKNOWN_UUID}`, HIDDEN, PROJECT, ' ', MARK, '__proto__', 'constructor', 'post_'],
        ...[`${IDEA} `, `${IDEA}\0`, IDEA.toUpperCase(), '../feed', 'x'.repeat(10_000), '\uD800'],
      ].map(reply),
    ],
    [
      'create_project',
      'invalid_request',
      ['javascript:alert(1)', 'a.org', `http://a.org/${'x'.repeat(2000)}`, ' ', 5, ['http://a.org']].map(
        project,
      ),
    ],
  ];

  for (const [tool, code, inputs] of ROWS) {
    for (const input of inputs) {
      const escaped = JSON.stringify(input).replace(
        /[^ -~]/g,
        (text) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      it(`${tool} ${escaped.slice(0, 80)}: ${code}`, async () => {
        assertProblem(await request(`POST ${PATHS[tool]}`, { body: escaped }), 422, code);
        const failure = await callOverMcp(setting, tool, input);
        assert.equal(failure.code, code);
        assertClean(JSON.stringify(failure));
        await storesNothing();
      });
    }
  }
});

describe('what is just within the rules is taken', () => {
  const TAKEN: [name: string, body: string][] = [
    ['8,000 emoji', JSON.stringify(message('\u{1F600}'.repeat(8000)))],
    ['8,000 emoji as \\u escapes', `{"message":"${'\\ud83d\\ude00'.repeat(8000)}"}`],
    ['256 KiB', padded(256 * 1024)],
    ['32 levels', nested(32)],
    [
      'a name with joiners',
      JSON.stringify({ ...message('x'), name: '\u06A9\u200C\u0645 \u0915\u094D\u200D\u0937' }),
    ],
    ['a name with the name of the service', JSON.stringify({ ...message('x'), name: 'porchlight fan' })],
  ];
  for (const [name, body] of TAKEN) {
    it(name, async () => {
      assert.equal((await request('POST /api/feed', { body })).status, 201);
    });
  }
});
