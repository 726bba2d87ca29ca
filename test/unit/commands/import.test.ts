import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { it, type TestContext } from 'node:test';
import { ForeignRecords } from '#commands/foreign-records.ts';
import { escapeLineBreaks, parseJson } from '#runtime/json.ts';
import { decodeEntry } from '#workspace/log/export-format.ts';
import { textRefusal } from '#workspace/log/import-rules.ts';
import { validateText } from '#workspace/text/text-rules.ts';
import { validateWebAddress } from '#workspace/text/links.ts';
import { findSecret } from '#workspace/text/secrets.ts';
import { exportLine } from '../../support/export-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { newDatabase } from '../../support/postgres/postgres.ts';
import { pipeStore, runProgram, runSuccessfully } from '../../support/product.ts';
import { firstOf, thoroughTest } from '../../support/thorough.ts';

/** Texts that a new write may not contain, but that older versions published or an operator imported. */
const REJECTED_IN_WRITES = {
  'a flag that does not exist': '\u{1F3F4}\u{E0075}\u{E0073}\u{E0063}\u{E0061}\u{E007F}',
  'selectors behind letters': 'a\u{E0141}b\u{E0152}c',
  'zero-width bits': `${'\u200B\u200C'.repeat(30)}x`,
  'invisible operators': 'a\u2062b\u2064c',
  'interlinear annotation': 'a\uFFF9b\uFFFBc',
  'a bidirectional override': 'a\u202Eb',
  blank: ' \u200B',
  'a line break in a single-line field': 'a\u2028b\u0085c\td',
};

const SECRET = `ghp_${'aB3dE6gH9j'.repeat(4)}`;
const LINKS = 'https://a.example https://b.example https://c.example';
const EARLIER_URL = 'https://user:password@127.0.0.1/a\u200Bb';

/** @returns an export file with each text in every text field, formatted as `export` does */
function exportWith(texts: readonly string[]): string {
  let count = 0;
  const next = (kind: string): { id: string; createdAt: string } => {
    const number = String(++count).padStart(6, '0');
    return { id: `${kind}_${number}`, createdAt: `2026-01-01T00:00:00.${number}Z` };
  };
  const records: object[] = [];
  const moderations: object[] = [];
  for (const text of texts) {
    const [post, guest, project, note] = [next('post'), next('guest'), next('project'), next('note')];
    records.push(
      {
        post: {
          id: post.id,
          name: text,
          mark: count % 8 < 4 ? '0123456789AB' : 'z123456789ab',
          message: text,
          parentId: null,
          rootId: post.id,
          createdAt: post.createdAt,
        },
      },
      { guest: { id: guest.id, name: text, kind: text, note: text, createdAt: guest.createdAt } },
      {
        project: {
          id: project.id,
          title: text,
          summary: text,
          by: text,
          url: EARLIER_URL,
          looking_for: text,
          createdAt: project.createdAt,
        },
      },
      { note: { id: note.id, projectId: project.id, name: text, note: text, createdAt: note.createdAt } },
    );
    moderations.push({ moderation: { action: 'hide', id: guest.id, at: guest.createdAt, reason: text } });
  }
  return [
    { porchlight: 'export', format: 5 },
    ...records,
    ...moderations,
    { end: { entries: records.length + moderations.length } },
  ]
    .map((line) => `${escapeLineBreaks(JSON.stringify(line))}\n`)
    .join('');
}

it('a new write is rejected if it has one of these texts', () => {
  for (const [name, text] of Object.entries(REJECTED_IN_WRITES))
    assert.notEqual(validateText(text, { max: 8000, lines: 'one' }), null, name);
});

async function assertTextsSurvive(t: TestContext): Promise<void> {
  assert.notEqual(findSecret(SECRET), null);
  assert.notEqual(validateWebAddress(EARLIER_URL), null);
  const exported = exportWith([...Object.values(REJECTED_IN_WRITES), SECRET, LINKS]);
  const file = join(await temporaryFolder(t), 'export.jsonl');
  writeFileSync(file, exported);
  const folder = join(await temporaryFolder(t), 'data');
  await runSuccessfully(['import', file], { DATA_DIR: folder });
  const first = await runSuccessfully(['export', '-'], { DATA_DIR: folder });
  assert.equal(first, exported);

  const url = await newDatabase(t);
  const back = join(await temporaryFolder(t), 'data');
  assert.equal((await pipeStore({ DATA_DIR: folder }, { DATABASE_URL: url })).status, 0);
  assert.equal((await pipeStore({ DATABASE_URL: url }, { DATA_DIR: back })).status, 0);
  assert.equal(await runSuccessfully(['export', '-'], { DATABASE_URL: url }), first);
  assert.equal(await runSuccessfully(['export', '-'], { DATA_DIR: back }), first);
}

thoroughTest('texts that new writes may not contain survive import, pipe and export', assertTextsSurvive);

thoroughTest('an import counts records that new ones may not be like; --strict refuses them', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'export.jsonl');
  const write = (...texts: string[]): void => {
    writeFileSync(file, exportWith(texts).replaceAll(EARLIER_URL, 'https://a.example/'));
  };
  write('fine', 'a\u202Eb', 'porchlight');
  const settings = { DATA_DIR: join(folder, 'data') };
  const strict = await runProgram(['import', file, '--strict'], settings);
  // Lines 2 to 5 are fine; the next four and a reason are refused; the name of the service only as a name.
  const refusals =
    '9 entries have a text, name or id that new entries may not have. The first is in line 6: name ' +
    'contains a bidirectional embedding or override (U+202E) at position 1.';
  assert.deepEqual([strict.status, strict.stderr], [1, `${refusals} Nothing was imported.\n`]);
  const { status, stderr } = await runProgram(['import', file], settings);
  assert.deepEqual([status, stderr], [0, `Imported 15, skipped 0 existing.\n${refusals}\n`]);
  const other = { ...settings, SERVICE_NAME: 'elsewhere' };
  assert.match((await runProgram(['import', file], other)).stderr, /^5 entries have/m);
  write('fine');
  assert.equal(
    (await runProgram(['import', file, '--strict'], settings)).stderr,
    'Imported 0, skipped 5 existing.\n',
  );
});

test('the rules apply to the address of a project, to reasons and ids, and to texts that hold a key', () => {
  const refusals = {
    'url contains a user name or password before an @': project({ url: 'https://a:b@c.example/' }),
    'url contains an invisible character (U+200B) at position 17': project({
      url: 'https://a.example\u200B/',
    }),
    'id has letters that no id here has': guest({ id: 'guest_ignore-your-instructions' }),
    'parentId has letters that no id here has': post({ parentId: 'post_send-the-key', rootId: 'post_2' }),
    'reason contains a bidirectional embedding or override (U+202E) at position 1': JSON.stringify({
      moderation: { action: 'hide', id: 'post_1', at: '2026-01-01T00:00:00.000000Z', reason: 'a\u202Eb' },
    }),
    'name has a word that stands for the operator of this service': guest({ name: 'the operator' }),
    'message contains what looks like an author key': post({ message: 'mine is plk-7k3qx-2m9ab' }),
    'note contains what looks like an author key': guest({ note: 'PLK 7K3QX 2M9AB 00000' }),
  };
  for (const [refusal, line] of Object.entries(refusals)) {
    assert.equal(textRefusal(decode(line), { name: 'porchlight' }), refusal);
  }
});

for (const [format, absent] of firstOf([
  [1, /"name":"[^"]*","mark":"[^"]*",/],
  [2, /"mark":"[^"]*",/],
  [3, ''],
  [4, ''],
] as const))
  test(`an export of format ${format} imports, and is exported with the same records in format 5`, async (t) => {
    const current = exportWith(['a text']).replace(absent, '');
    const earlier = current.replace('"format":5', `"format":${format}`).replace(/\{"end".*\n/, '');
    const folder = await temporaryFolder(t);
    const file = join(folder, 'export.jsonl');
    writeFileSync(file, earlier);
    const settings = { DATA_DIR: join(folder, 'data') };
    await runSuccessfully(['import', file], settings);
    const exported = await runSuccessfully(['export', '-'], settings);
    assert.equal(exported, current);
    assert.equal(exported.includes('"mark"'), format >= 3);
  });

thoroughTest(
  'what a clock that was ahead has dated is imported with --clamp, in order and again',
  async (t) => {
    const folder = await temporaryFolder(t);
    const times = [
      '2026-01-01T00:00:00.000999Z',
      '2998-01-01T00:00:00.000000Z',
      '2998-01-01T00:00:00.000001Z',
    ];
    const posts = times.map((createdAt, n) => post({ id: `post_${n}`, rootId: `post_${n}`, createdAt }));
    const hide = { action: 'hide', id: 'post_2', at: '2998-01-01T00:00:00.000002Z', reason: 'spam' };
    const file = join(folder, 'export.jsonl');
    const lines = ['{"porchlight":"export","format":4}', ...posts, JSON.stringify({ moderation: hide })];
    writeFileSync(file, `${lines.join('\n')}\n`);
    const settings = { DATA_DIR: join(folder, 'data') };
    const { stderr } = await runProgram(['import', file], settings);
    assert.match(stderr, /^Line 3 has a timestamp that is more/);
    await runSuccessfully(['import', file, '--clamp'], settings);
    const again = await runProgram(['import', file, '--clamp'], settings);
    assert.equal(again.stderr, 'Imported 0, skipped 4 existing.\n');
    const exported = await runSuccessfully(['export', '-'], settings);
    const stamps = [...exported.matchAll(/"(?:createdAt|at)":"([^"]+)"/g)].map(([, at]) => at);
    assert.deepEqual(stamps, [
      times[0],
      ...['1000', '1001', '1002'].map((us) => `2026-01-01T00:00:00.00${us}Z`),
    ]);
  },
);

const guest = (fields: object): string => exportLine('guest', fields);
const post = (fields: object): string => exportLine('post', fields);
const project = (fields: object): string => exportLine('project', fields);

const decode = (line: string) => decodeEntry(parseJson(line), Date.parse('2026-11-21T10:00:00Z'));

const UNSTORABLE: Record<string, [line: string, message: RegExp]> = {
  NUL: [guest({ note: 'a\u0000' }), /note contains a control character \(U\+0000\)/],
  'an escape': [guest({ name: '\u001B[2J' }), /name contains a control character \(U\+001B\)/],
  'half of a surrogate pair': [guest({ kind: 'a\uD83D' }), /kind contains half of a surrogate pair/],
  'a noncharacter': [project({ title: '\uFFFE' }), /title contains a noncharacter/],
  'a name that is no text': [post({ name: null }), /name must be a string/],
  'an empty text': [guest({ note: '' }), /note is empty/],
  'a text that is too long': [guest({ name: 'a'.repeat(81) }), /name has 81 characters/],
  'an address that runs in a browser': [project({ url: 'javascript:alert(1)' }), /url is not a web address/],
  'an unknown field': [guest({ '\u001b[2J': 1 }), /it has a field that this version does not know$/],
  'an id of another kind': [guest({ id: 'post_1' }), /must be the id of a guest/],
  'a moderation of an id with escape sequences': [
    '{"moderation":{"action":"erase","id":"\\u001b]0;x","at":"2026-01-01T00:00:00.000000Z","reason":"x"}}',
    /is not a valid record: id must be the id of a record$/,
  ],
  'a time more than a minute ahead': [
    guest({ createdAt: '2026-11-21T10:01:00.001000Z' }),
    /than a minute ahead/,
  ],
};

for (const [name, [line, message]] of Object.entries(UNSTORABLE)) {
  it(`import rejects a line that no store can hold: ${name}`, () => {
    assert.throws(() => decode(line), message);
  });
}

/** A post with a number as its id and as its time. */
const numbered = (number: number, parent?: number, root = number): string =>
  post({
    id: `post_${number}`,
    parentId: parent === undefined ? null : `post_${parent}`,
    rootId: `post_${root}`,
    createdAt: `2026-01-01T00:00:00.00000${number}Z`,
  });

/** The lines of a file, the first line with a fault and what it is, and what the store has. */
const RELATED: [
  name: string,
  lines: string[],
  fault: [line: number, fault: RegExp] | null,
  stored?: string[],
][] = [
  ['replies in any order', [numbered(3, 2, 1), numbered(2, 1, 1), numbered(1)], null],
  ['a thread that has lost its first posts', [numbered(6, 5, 0), numbered(5, 4, 0)], null],
  ['a stored record', [numbered(1)], null, [numbered(1)]],
  ['the time of another record', [guest({}), guest({ id: 'guest_2' })], [1, /^has the createdAt of another/]],
  ['the id of another record', [guest({}), guest({ note: 'c' })], [1, /^has the id of another record, with/]],
  ['the id of a stored record', [guest({ note: 'c' })], [0, /^has the id of another/], [guest({})]],
  ['a post that replies to itself', [numbered(1), numbered(2, 2, 1)], [1, /replies to itself/]],
  ['a first post with the root of another', [numbered(1), numbered(2, undefined, 1)], [1, /has no parentId/]],
  ['a reply that is its own root', [numbered(1), numbered(2, 1)], [1, /is a reply, so its rootId/]],
  ['a reply with another root', [numbered(3, 1, 2), numbered(1)], [0, /a post of another thread/]],
  ['one to a stored post', [numbered(3, 1, 2)], [0, /a post of another thread/], [numbered(1), numbered(2)]],
  ['a reply older than its parent', [numbered(2, 3, 1), numbered(3, 1, 1)], [0, /not later than the post/]],
  ['a root that is a reply', [numbered(2, 1, 1), numbered(4, 3, 2)], [1, /rootId of a reply/]],
];

for (const [name, lines, expected, stored = []] of RELATED)
  it(`records of an import fit each other and those of the store: ${name}`, () => {
    const records = new ForeignRecords();
    for (const line of stored) records.add(decode(line));
    for (const [number, line] of lines.entries()) records.add(decode(line), number);
    const { line, fault = '' } = records.firstFault() ?? {};
    assert.equal(line, expected?.[0]);
    assert.match(fault, expected?.[1] ?? /^$/);
  });

it('an import of lines that do not fit each other or the store names one, and stores nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'export.jsonl');
  const settings = { DATA_DIR: join(folder, 'data') };
  const run = (...lines: string[]) => {
    writeFileSync(file, ['{"porchlight":"export","format":4}', ...lines, ''].join('\n'));
    return runProgram(['import', file], settings);
  };
  assert.equal((await run(numbered(1), numbered(2))).status, 0);
  const exported = await runSuccessfully(['export', '-'], settings);
  for (const [line, refusal] of [
    [numbered(3, 3, 1), /^Line 3 is a post that replies to itself: .* Nothing was imported\.\n$/],
    [numbered(3, 1, 2), /^Line 3 is a post that replies to a post of another thread: /],
  ] as const) {
    const { status, stderr } = await run(numbered(4), line);
    assert.equal(status, 1);
    assert.match(stderr, refusal);
    assert.equal(await runSuccessfully(['export', '-'], settings), exported);
  }
});
