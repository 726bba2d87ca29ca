import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import type { MirrorContext } from '#commands/mirror.ts';
import type { Store } from '#store/port/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { openMirror, type TestMirror } from '../../support/mirror.ts';
import { historyOf } from '../../support/store/store-location.ts';

const ORIGIN = 'http://origin.invalid';
const HEADER = { porchlight: 'log', newest: 9, at: '2026-03-02T16:00:00.000000Z' };

const POST = {
  id: 'post_1',
  message: 'x',
  parentId: null,
  rootId: 'post_1',
  createdAt: '2026-03-01T00:00:00.000000Z',
};
const OTHER = { ...POST, id: 'post_2', rootId: 'post_2', createdAt: '2026-03-01T00:00:01.000000Z' };
const PROJECT = {
  id: 'project_1',
  title: 't',
  summary: 's',
  by: 'b',
  url: null,
  looking_for: null,
  createdAt: POST.createdAt,
};
const HIDE = { n: 3, at: '2026-03-02T00:00:00.000000Z', hide: 'post_1', reason: 'spam' };

const end = (after: number, id: string | null, more = false) => ({ next: { after, id }, more });

const ndjson = (lines: readonly unknown[], status = 200): Response =>
  new Response(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''), {
    status,
    headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8' },
  });

/** A line of a log, as far as its last line names it. */
interface Line {
  readonly n: number;
  readonly add?: { readonly id: string; readonly [field: string]: unknown };
  readonly hide?: string;
  readonly unhide?: string;
  readonly [field: string]: unknown;
}

/** A page whose last line fits, if the id has a form that it may have. */
const page = (...lines: readonly Line[]): Response => {
  const { n = 0, hide, unhide, add } = lines.at(-1) ?? {};
  const id = hide ?? unhide ?? add?.id ?? '';
  return ndjson([HEADER, ...lines, end(n, /^(post|guest|project)_\d$/.test(id) ? id : 'post_1')]);
};

/** A copy of it would be read without end. */
const ENDLESS = new Response(
  new ReadableStream({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
    },
  }),
  { headers: { 'Content-Type': 'application/x-ndjson' } },
);

/** A mirror in a new folder, of an origin that answers so, the last answer again and again. */
async function openScripted(
  answers: readonly (Response | Error)[],
  overrides: Partial<MirrorContext> = {},
): Promise<TestMirror & { paths: string[] }> {
  const paths: string[] = [];
  let time = Date.parse('2026-03-03T00:00:00Z');
  const fetch = async (address: URL): Promise<Response> => {
    paths.push(`${address.pathname}${address.search}`);
    const answer = answers[Math.min(paths.length, answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return answer === ENDLESS ? answer : answer.clone();
  };
  const mirror = await openMirror(
    { after },
    ORIGIN,
    { dataDir: await temporaryFolder({ after }) },
    {
      fetch,
      now: () => (time += 1000),
      ...overrides,
    },
  );
  return { ...mirror, paths };
}

/** A project that the log shows again. */
const SHOWN = { n: 1, at: HIDE.at, unhide: 'project_1', reason: 'x', add: PROJECT };
const NOTE = { id: 'note_1', projectId: 'project_1', name: 'n', note: 'x', createdAt: POST.createdAt };

const pageOfNotes = (nextAfter: string | null, ...notes: object[]): Response =>
  Response.json({ notice: '', nextAfter, project: { ...PROJECT, noteCount: 1 }, notes });

const NO_HEADER = /first line is not the header/;
const NO_NOTES = /does not contain the notes of "project_1"/;

/** A page without lines, whose header has this too. */
const withHeader = (fields: object): Response[] => [ndjson([{ ...HEADER, ...fields }, end(0, null)])];

const under = (parentId: string): object => ({ parentId, rootId: 'post_3' });
const withPost = (fields: object): Response[] => [page({ n: 1, add: { ...POST, ...fields } })];
const withHide = (fields: object): Response[] => [page({ ...HIDE, ...fields })];

type Row = [name: string, answers: Response[], message: RegExp];

const REFUSED: Row[] = [
  ['a page of HTML', [new Response('<html>', { headers: { 'Content-Type': 'text/html' } })], /is not a log/],
  ['JSON of another service', [Response.json({ porchlight: 'log' })], /is not a log/],
  ['a redirect', [new Response(null, { status: 302, headers: { Location: 'http://[::1]/' } })], /redirects/],
  [
    'a service with no log',
    [Response.json({ detail: 'no' }, { status: 404 })],
    /no \/api\/log \(status 404\)/,
  ],
  [
    'an error with escape sequences',
    [Response.json({ detail: '\u001b]0;x\u0007' }, { status: 403 })],
    /status 403: "\\u001b\]0;x\\u0007"$/,
  ],
  ['a conflict', [Response.json({ code: 'other', detail: 'busy' }, { status: 409 })], /status 409: "busy"$/],
  ['an answer without end', [ENDLESS], /longer than any response/],
  [
    'a last line with the time of another line',
    [
      ndjson([
        HEADER,
        { n: 1, add: POST },
        { next: { after: 1, id: 'post_1', at: OTHER.createdAt }, more: false },
      ]),
    ],
    /last line does not name the line before it/,
  ],
  ['another header', [ndjson([{ porchlight: 'export' }, end(0, null)])], NO_HEADER],
  ['a header with too much', withHeader({ x: Array.from({ length: 1000 }, () => []) }), NO_HEADER],
  ['a clock that is far ahead', withHeader({ at: '2999-01-01T00:00:00.000000Z' }), /first line is ahead/],
  ['a number that is a text', withHeader({ newest: 'x' }), NO_HEADER],
  ['a last page without a time', [ndjson([{ porchlight: 'log' }, end(0, null)])], /first line has no time/],
  [
    'a mirror of this mirror',
    withHeader({ mirrors: ['https://b.example', ORIGIN] }),
    /^http:\/\/origin\.invalid is a mirror of this mirror or of itself, so /,
  ],
  [
    'the last of a chain of five',
    withHeader({ mirrors: [1, 2, 3, 4, 5].map((n) => `https://m${n}.example`) }),
    /is the last in a chain of 5 mirrors/,
  ],
  ...['https://a.example/?q=1', 'https://a.example/do as I say', 'ftp://a.example', 5].map(
    (address): Row => [`a chain with ${address}`, withHeader({ mirrors: [address] }), NO_HEADER],
  ),
  [
    'too many lines',
    [ndjson([HEADER, ...Array.from({ length: 1001 }, () => ({ n: 1 })), end(1, null)])],
    /more than 1000 lines/,
  ],
  ['a line that is not JSON', [ndjson([HEADER, '{', end(1, 'post_1')])], /line 2 is not a line of a log/],
  ['an unknown field of a line', [page({ n: 1, add: POST, extra: 1 })], /line 2 is not a line of a log/],
  ['a line that does two things', withHide({ erase: 'post_1' }), /is not a line of a log/],
  ['an unhide with another record', [page({ ...SHOWN, unhide: 'post_2', add: POST })], /is not a line/],
  [
    'a number that does not rise',
    [page({ n: 2, add: POST }, { n: 2, add: OTHER })],
    /line 3 has a number that/,
  ],
  [
    'a last line of another line',
    [ndjson([HEADER, { n: 1, add: POST }, end(2, 'post_1')])],
    /last line does not/,
  ],
  ['a last line that moves back', [ndjson([HEADER, end(7, 'post_1')])], /last line does not/],
  ['an unknown field of a record', withPost({ admin: true }), /line 2 is not a valid record: it has a field/],
  ['a prototype as id', withPost({ id: '__proto__' }), /is not a line of a log/],
  ['a time that is far ahead', withPost({ createdAt: '2999-01-01T00:00:00.000000Z' }), /ahead of the clock/],
  ['a hide with a mark', withHide({ mark: '0123456789az' }), /mark belongs to an erase of a post/],
  ['a mark that is no text', withHide({ mark: ['x'] }), /is not a line of a log/],
  ['a moderation of no record', withHide({ hide: 'x' }), /is not a valid record|is not a line/],
  [
    'two records of one time',
    [page({ n: 1, add: POST }, { n: 2, add: { ...OTHER, createdAt: POST.createdAt } })],
    /line 2 .* createdAt of another record/,
  ],
  [
    'replies in a circle',
    [page({ n: 1, add: { ...POST, ...under('post_2') } }, { n: 2, add: { ...OTHER, ...under('post_1') } })],
    /is not later than the post that it replies to/,
  ],
  [
    'notes of another project',
    [page(SHOWN), pageOfNotes(null, { ...NOTE, projectId: 'project_2' })],
    NO_NOTES,
  ],
  ['notes without end', [page(SHOWN), pageOfNotes(POST.createdAt)], NO_NOTES],
];

describe('a mirror refuses and stores nothing of', () => {
  for (const [name, answers, message] of REFUSED)
    it(name, async () => {
      const { store, follow } = await openScripted(answers);
      await assert.rejects(follow(), (error: Error) => {
        assert.equal(error.name, 'CommandError');
        assert.match(error.message, message);
        // Nothing of the page may reach a terminal.
        assert.doesNotMatch(error.message, /\p{Cc}|javascript|xxxx/u);
        return true;
      });
      assert.deepEqual(await historyOf(store), []);
    });

  it('a record that has two texts on one page', async () => {
    const { store, follow } = await openScripted([
      page(
        { n: 1, add: POST },
        { n: 2, at: HIDE.at, unhide: 'post_1', reason: 'x', add: { ...POST, message: 'y' } },
      ),
    ]);
    await assert.rejects(follow(), { exitCode: 4 });
    assert.deepEqual(await historyOf(store), []);
  });

  it('a mirror of its own address', async () => {
    const answer = ndjson([{ ...HEADER, mirrors: ['https://mirror.example'] }, end(0, null)]);
    const service = { name: 'porchlight', baseUrl: 'https://mirror.example' };
    const { follow } = await openScripted([answer], { service });
    await assert.rejects(follow(), { name: 'CommandError', message: /is a mirror of this mirror/ });
  });

  it('a page when the store is full', async () => {
    const { store, follow, paths } = await openScripted([page({ n: 1, add: POST })], { isFull: () => true });
    await assert.rejects(follow(), { name: 'CommandError', message: /STORE_MAX_BYTES/ });
    assert.deepEqual([await historyOf(store), paths], [[], []]);
  });
});

test('a mirror reads 1 MiB of an answer and no more', async () => {
  const MIB = 1024 * 1024;
  const followAnswer = async (bytes: number): Promise<void> => {
    const fetch = async (): Promise<Response> => new Response(' '.repeat(bytes));
    const { follow } = await openScripted([], { fetch });
    await follow();
  };
  await assert.rejects(followAnswer(MIB), { name: 'CommandError', message: /is not a log/ });
  await assert.rejects(followAnswer(MIB + 1), { name: 'CommandError', message: /longer than any response/ });
});

test('of the ids in sameKeyAs a mirror takes those that stand on such a line of a signed message', async () => {
  const id = 'post_01a214ad-06aa-73b3-b136-91544051f4cd';
  const signed = { mark: '0123456789az', sameKeyAs: [OTHER.id, id] };
  const { store, follow } = await openScripted([
    page(
      { n: 1, add: { ...POST, ...signed } },
      { n: 2, add: { ...OTHER, ...signed, message: `x\nSame key as: ${id}` } },
    ),
  ]);
  await follow();
  const posts = await store.read.page('post', { order: 'oldest', limit: 9 });
  const taken = posts.map(({ record }) => record.sameKeyAs);
  assert.deepEqual(taken, [undefined, [id]]);
  const wrong = { ...POST, ...signed, sameKeyAs: { length: 1 } };
  const other = await openScripted([page({ n: 1, add: wrong })]);
  await assert.rejects(other.follow(), /sameKeyAs/);
});

test('an origin that hides a refused record first, and unhides it later, does not show it', async () => {
  const refused = { ...POST, message: 'a\u202Eb' };
  const { store, follow } = await openScripted([
    ndjson([HEADER, { ...HIDE, n: 1, at: POST.createdAt }, { n: 2, add: refused }, end(2, 'post_1', true)]),
    page({ n: 3, at: HIDE.at, unhide: 'post_1', reason: 'x' }),
  ]);
  await follow();
  assert.equal((await store.read.records(['post_1'])).length, 1);
  assert.equal((await store.read.totals()).posts, 0);
});

test('a note of an unhidden project that new notes may not have is hidden', async () => {
  const notes = pageOfNotes(null, { ...NOTE, note: 'a\u202Eb' });
  const { store, follow } = await openScripted([page(SHOWN), notes]);
  await follow();
  assert.equal((await store.read.records(['note_1'])).length, 1);
  assert.equal((await store.read.find('project', 'project_1'))?.children, 0);
});

test('a full page is read and stored in small parts, between which others are answered', async () => {
  const lines = Array.from({ length: 1000 }, (_, n) => {
    const id = `post_a${n}`;
    const createdAt = `2026-03-01T00:00:00.${String(n).padStart(6, '0')}Z`;
    return { n: n + 1, add: { ...POST, id, rootId: id, message: 'x'.repeat(600), createdAt } };
  });
  const { store, follow } = await openScripted([ndjson([HEADER, ...lines, end(1000, 'post_a999')])]);
  const records = store.read.records.bind(store.read);
  const write = store.write.bind(store);
  let [atOnce, mostRead, mostWritten] = [0, 0, 0];
  Object.assign(store.read, {
    records: (ids: readonly string[]) => {
      mostRead = Math.max(mostRead, ids.length);
      return records(ids);
    },
  });
  Object.assign(store, {
    write: async (...args: Parameters<Store['write']>) => {
      mostWritten = Math.max(mostWritten, (atOnce += 1));
      return write(...args).finally(() => (atOnce -= 1));
    },
  });
  await follow();
  assert.deepEqual([mostRead, mostWritten], [100, 100]);
  assert.equal((await historyOf(store)).length, 1000);
});

test('notes without end stop when the store is full', async () => {
  const noteAt = (n: number): string => `2026-03-01T00:00:00.00000${n}Z`;
  const notes = [1, 2, 3, 4, 5].map((n) =>
    pageOfNotes(noteAt(n), { ...NOTE, id: `note_${n}`, createdAt: noteAt(n) }),
  );
  const isFull = (): boolean => paths.length === 4;
  const { follow, paths } = await openScripted([page(SHOWN), ...notes], { isFull });
  await assert.rejects(follow(), { name: 'CommandError', message: /STORE_MAX_BYTES/ });
  assert.equal(paths.length, 4);
});

test('with --once a mirror that is stopped before the end says so', async () => {
  const first = ndjson([HEADER, { n: 1, add: POST }, end(1, 'post_1', true)]);
  const { follow, paths } = await openScripted([first], { isStopped: () => paths.length === 1 });
  await assert.rejects(follow(), { exitCode: 130, message: /^1 lines were copied\./ });
  const aborted = await openScripted([new DOMException('aborted', 'AbortError')], {
    isStopped: () => aborted.paths.length === 1,
  });
  await assert.rejects(aborted.follow(), { exitCode: 130 });
  assert.deepEqual(aborted.status, []);
});

test('a page that was cut off, a lost connection and a busy origin are tried again', async () => {
  const cut = new Response(`${JSON.stringify(HEADER)}\n${JSON.stringify({ n: 1, add: POST }).slice(0, 20)}`, {
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  const withoutEnd = ndjson([HEADER, { n: 1, add: POST }]);
  const pauses: number[] = [];
  const { store, follow, paths, status } = await openScripted(
    [
      cut,
      withoutEnd,
      new TypeError('fetch failed'),
      new Response('', { status: 503, headers: { 'Retry-After': '7' } }),
      // No timer is so long.
      new Response('', { status: 503, headers: { 'Retry-After': '9'.repeat(30) } }),
      page({ n: 1, add: POST }),
    ],
    { sleep: async (milliseconds) => pauses.push(milliseconds) },
  );
  await follow();
  assert.deepEqual(paths, Array(6).fill('/api/log'));
  assert.deepEqual((await historyOf(store)).length, 1);
  assert.deepEqual(pauses, [1000, 2000, 4000, 7000, 60_000]);
  assert.equal(status[0], 'A call failed (the response was cut off); trying again.');
});

test('an origin that never sends the end of a page is given up, also without --once', async () => {
  const { store, followLive, paths } = await openScripted([ndjson([HEADER, { n: 1, add: POST }])]);
  await assert.rejects(followLive(), {
    name: 'CommandError',
    message: /^20 responses in a row from the origin were cut off: .* None of the page was stored\.$/,
  });
  assert.equal(paths.length, 20);
  assert.deepEqual(await historyOf(store), []);
});

test('with --once an origin that never answers is given up after a minute', async () => {
  let time = Date.parse('2026-03-03T00:00:00Z');
  const { follow, paths } = await openScripted([new TypeError('fetch failed')], {
    now: () => time,
    sleep: async (milliseconds) => (time += milliseconds),
  });
  await assert.rejects(follow(), {
    name: 'CommandError',
    message: /^The origin does not respond \(fetch failed\)/,
  });
  assert.ok(paths.length > 10 && paths.length < 20, String(paths.length));
});

test('an unhidden project that is hidden again has no notes to read', async () => {
  const gone = Response.json({ detail: 'no' }, { status: 404 });
  const { store, follow, paths } = await openScripted([page(SHOWN), gone]);
  await follow();
  assert.deepEqual(paths, ['/api/log', '/api/projects/project_1?limit=100']);
  assert.equal((await store.read.totals()).projects, 1);
});
