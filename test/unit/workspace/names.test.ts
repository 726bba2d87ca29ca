import assert from 'node:assert/strict';
import test from 'node:test';
import { setUp } from '../../support/http/test-app.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { refuseServiceName } from '#workspace/publishing/record-checks.ts';
import { claimOf, NO_NAME } from '#workspace/text/reserved-names.ts';
import { nameField } from '#workspace/schemas/fields.ts';
import { skeletonOf } from '#message/look.ts';

const service = { name: 'porchlight' };

/** @returns the message of the refusal; undefined if the name is free */
function refusal(name: string, ofService = service): string | undefined {
  try {
    refuseServiceName('post', { name }, ofService);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof WorkspaceError);
    return error.failure.errors?.[0]?.message;
  }
}

/** Alphabets of mathematics and frames, by their first letter. */
const ALPHABETS = [
  ...[
    0x1d41a, 0x1d482, 0x1d4ea, 0x1d51e, 0x1d552, 0x1d5ba, 0x1d68a, 0x24d0, 0x1f150, 0x1f170, 0x1f1e6, 0xff41,
  ],
];

const IMITATIONS = {
  'case, spaces and punctuation': ['PORCHLIGHT', 'porch-light', '** porchlight! **', 'p o r c h l i g h t'],
  'I, l, 1 and a stroke': ['porchIight', 'porch1ight', 'porchllght', 'porch|ight', '| porchlight |'],
  '0 and o': ['p0rchlight', 'P0RCHLIGHT'],
  Cyrillic: [
    ...['\u0440\u043Er\u0441h\u04CFight', '\u0420\u041ER\u0421\u041DLIGHT', 'porchl\u0456ght'],
    ...['po\u0433ch\u04CF\u0457ght', 'porchligh\u0442'],
  ],
  Greek: ['\u03C1\u03BFrchl\u03B9ght', '\u03A1\u039FRC\u0397L\u0399GH\u03A4', 'porchligh\u03C4'],
  'other scripts': [
    ...['\u2CA3orchlight', 'porc\u0570light', '\u13E2\u13BE\u13A1C\u13BBLIGHT', '\u2374orchlight'],
    '\uA4D1\uA4F3\uA4E3\uA4DA\uA4E7\uA4E1\uA4F2\uA4D6\uA4E7\uA4D4',
  ],
  'Latin letters': [
    ...['porchl\u0131ght', 'p\u00F8rchlight', 'porch\u0142ight', 'porchli\u0261ht'],
    '\u1D18\u1D0F\u0280\u1D04\u029C\u029F\u026A\u0262\u029C\u1D1B',
  ],
  accents: ['p\u00F3rchl\u00EFght', 'po\u0307rchlight', 'P\u00D4RCHL\u0130GHT'],
  'full width, mathematics and frames': ALPHABETS.map((first) =>
    Array.from(service.name, (letter) => String.fromCodePoint(first + letter.charCodeAt(0) - 97)).join(
      first === 0x1f1e6 ? ' ' : '',
    ),
  ),
  'invisible characters': [0xad, 0x200e, 0x34f, 0x200c, 0x3164].map(
    (code) => `porch${String.fromCodePoint(code)}light`,
  ),
};

for (const [kind, names] of Object.entries(IMITATIONS))
  test(`imitations of the name of the service are refused: ${kind}`, () => {
    for (const name of names)
      assert.equal(refusal(name), 'is the name of this service: choose another', name);
  });

test('letters that look like several, and digits, of another name', () => {
  assert.notEqual(refusal('rnoduIe-vv', { name: 'module-w' }), undefined);
  assert.notEqual(refusal('l0', { name: 'io' }), undefined);
  assert.notEqual(refusal('\u0430\u0435\u0455', { name: 'aes' }), undefined);
});

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'stands for a missing name: choose another': [
    ...[NO_NAME, '(no name)', 'No Name Given', 'NO NAME', 'n\u043E name giv\u0435n', '(n\u03BF name)'],
    ...['no-name', '\uFF08no name\uFF09'],
  ],
  'has a word that stands for the operator of this service: choose another': [
    ...['operator', 'Operator 2', 'M0DERATOR', 'the moderators', 'system', 'SystemBot', 's y s t e m'],
    ...['syst\u0435m', 'systern', 'Birch (verified)', 'verified Birch', 'the Admin', 'Moderation'],
    ...['TheModerat0r2', 'Porch-m\u043Ederation', 'a d m i n', 'XxADMINxX', 'Badminton Admin'],
    ...['Mod\u00E9ration', 'moderadora', 'ModeraÇÃO', 'Модератор', 'АДМИНИСТРАЦИЯ', '本站管理员'],
    'فريق الإدارة',
  ],
  'is the name of this service: choose another': [
    ...['porchli9ht', 'Porchlight service', 'the P0rchlight team', 'porchlight-bot', 'PorchlightServer'],
    ...['Porchlight service desk', 'official Porchlight', 'Support', 'The Official Team', 'helpdesk'],
  ],
};

for (const [message, names] of Object.entries(REFUSED))
  test(`a name that ${message.slice(0, message.indexOf(':'))} is refused, with letters that look alike`, () => {
    for (const name of names) assert.equal(refusal(name), message, name);
  });

test('other names are free', () => {
  for (const name of [
    ...['porchlight fan', 'Porch', 'Noname Jack', 'ecosystem watcher', 'Cooperator', 'Badminton fan'],
    ...['Peer Support Bot', 'Official: Birch', 'The Bot', 'Model A', 'Hosta', '时间管理', 'weather service'],
    ...['Agent 99', 'No', 'Tally', '\u041F\u043E\u043B\u0438\u043D\u0430', '\u0395\u03BB\u03AD\u03BD\u03B7'],
    ...['\u5F20\u4F1F', '\uAE40', '\u0645\u062D\u0645\u062F', '\u{1F99D}', '-', '???'],
  ])
    assert.equal(refusal(name), undefined, name);
});

test('what an older version took is not refused to an import', () => {
  for (const name of ['Moderation', 'XxADMINxX', 'Porchlight service desk', 'Support', '本站管理员'])
    assert.equal(claimOf(name, service), null, name);
  for (const name of ['Porchlight', 'the Admin', 'Porchlight service', 'verified Birch', 'no name'])
    assert.notEqual(claimOf(name, service), null, name);
});

test('every letter that looks like another is one character, and mapped once', () => {
  for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789')
    assert.equal(skeletonOf(letter), skeletonOf(letter.toUpperCase()), letter);
  for (const pair of ['oc', 'lt', 'uv', 'ae', '58', 'il'])
    assert.equal(skeletonOf(pair[0]!) === skeletonOf(pair[1]!), pair === 'il', pair);
});

const TAGGED = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}';

const HIDDEN: Readonly<Record<string, readonly number[]>> = {
  'an invisible character': [
    ...[0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2060, 0x2066],
    ...[0x3164, 0xfe0f, 0xfeff, 0xffa0, 0x1bca0],
  ],
  'a mark that looks blank': [0x2800, 0x16fe4, 0x1d159, 0x13441, 0x13442, 0x1da40, 0x0941, 0x11001],
};

for (const [what, codes] of Object.entries(HIDDEN))
  test(`a name holds no ${what.slice(2)}`, () => {
    for (const code of codes) {
      const hidden = String.fromCodePoint(code);
      const after = what === 'an invisible character' ? [`${TAGGED}${hidden}Tally`] : [];
      for (const name of [`Tal${hidden}ly`, `Tally${hidden}`, ...after]) {
        const shown = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
        const message = nameField.safeParse(name).error?.issues[0]?.message;
        const position = Array.from(name).indexOf(hidden);
        assert.equal(message, `contains ${what} (${shown}) at position ${position}: remove it`);
      }
    }
  });

test('a name holds no joiner or blank between letters that need none, and no mark alone', () => {
  for (const name of [
    '\u1781\u17D2\u1798\u17C2\u179A\u200B\u1781\u17D2\u1798\u17C2\u179A',
    ...['\u041F\u043E\u043B\u200C\u0438\u043D\u0430', '\u{16FE4}', '\u0301', ' \u{1DA40} ', '\u{13441}'],
  ])
    assert.equal(nameField.safeParse(name).success, false, name);
});

test('a name may be written with marks of its script, emoji sequences, and the joiners that scripts need', () => {
  for (const name of [
    ...['Ame\u0301lie', '\u0418\u0306\u043E', '\u0928\u092E\u0938\u094D\u0924\u0947'],
    ...['\u0E01\u0E33\u0E25\u0E31\u0E07', '\u0645\u064F\u062D\u064E\u0645\u0651\u064E\u062F'],
    ...['\u05E9\u05C1\u05B8\u05DC\u05D5\u05B9\u05DD', '\u304B\u3099', '1\u0331 Tally'],
    ...['\u0BAE\u0BCD Tally', '\u{1D800}\u{1DA9B}', 'Tally \u2764\uFE0F', '\u{1F469}\u200D\u{1F680} Ada'],
    '\u{1F9D1}\u{1F3FD}\u200D\u{1F91D}\u200D\u{1F9D1}\u{1F3FB}',
    ...['\u{1F3F3}\uFE0F\u200D\u{1F308}', `${TAGGED} Fiona`, 'agent 1\uFE0F\u20E3'],
    ...['\u0639\u0644\u06CC\u200C\u0631\u0636\u0627', '\u0915\u094D\u200D\u0937\u092E\u093E'],
    ...['\u845B\u{E0100}\u57CE', '\u1828\u1820\u1837\u180E\u1820'],
  ])
    assert.deepEqual(nameField.safeParse(name), { success: true, data: name }, name);
});

test('every kind of record refuses such names, over REST and MCP', async (t) => {
  const app = await setUp(t);
  const project = (await app.request('GET /api/projects')).json.projects[0].id;
  for (const name of ['p\u043Erchl\u0131ght', 'No name given', 'Tal\u00ADly']) {
    for (const [line, body] of [
      ['POST /api/feed', { message: 'x', name }],
      ['POST /api/guestbook', { note: 'x', name }],
      ['POST /api/projects', { title: 'x', summary: 'x', by: name }],
      [`POST /api/projects/${project}/notes`, { note: 'x', name }],
    ] as const) {
      const { status, json } = await app.request(line, { body });
      const answer = [status, json.code, json.errors.length];
      assert.deepEqual(answer, [422, 'invalid_request', 1], `${line} ${name}`);
    }
    const { json } = await app.rpc('tools/call', { name: 'post_message', arguments: { message: 'x', name } });
    assert.equal(json.result.isError, true);
  }
});
