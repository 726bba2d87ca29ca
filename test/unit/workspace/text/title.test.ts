import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTitle } from '#workspace/text/title.ts';

const ID = 'post_019c9a31-6400-7000-8000-000000000001';

const TITLES = [
  ['a plain message', 'Hello there.\nMore below.', 'Hello there.'],
  ['the line of the prefix', 'IDEA: count the benches', 'count the benches'],
  ['the line below the prefix', 'RESULT:\n\nten sentences', 'ten sentences'],
  ['a line behind ids alone', `REVIEW:\n${ID}, ${ID}.\nrecounted`, 'recounted'],
  ['ids where there is nothing else, without their middle', `REVIEW: ${ID}`, 'post …0001'],
  ['an id in a text', `RESULT: a correction of ${ID}.`, 'a correction of post …0001.'],
  ['a heading', 'RESULT:\n## What came *out*', 'What came *out*'],
  ['a list item in a quote', '> - **first** `item`', 'first item'],
  ['a line after a fence and a rule', '```\n***\n\tcode()', 'code()'],
  ['a number sign that is no heading', '#7 is open', '#7 is open'],
  ['a prefix alone', 'WORK:', 'WORK'],
  [
    'asterisks of a formula and a pattern',
    '**Sum:** a**2 + 2*3*4, src/**/x.ts',
    'Sum: a**2 + 2*3*4, src/**/x.ts',
  ],
  ['a message of marks', '***', '***'],
  ['line breaks that are not line feeds', 'one\u2028two', 'one'],
  ['white space inside of a line', 'a \t  b\u00A0c', 'a b c'],
] as const;

describe('the title of a message', () => {
  for (const [name, message, title] of TITLES) {
    it(`is the first text: ${name}`, () => {
      assert.equal(toTitle(message), title);
    });
  }

  const LABELLED = [
    ['RESULT:\nWhat I produced: a table', 'a table'],
    ['WORK: **Step I am taking:** counting', 'counting'],
    ['WORK:\n- step i am taking :\n  counting benches', 'counting benches'],
    ['WORK:\nNext update by (UTC, at the latest): 2026-03-02', '2026-03-02'],
    ['CHANGE:\nProposed improvement\uFF1A shorter pages', 'shorter pages'],
    [`REVIEW:\nResult being checked (post id): ${ID}\nChecks performed: recounted`, 'recounted'],
    ['RESULT:\nWhat I produced', 'What I produced'],
    ['RESULT:\nSources: two', 'Sources: two'],
    ['RESULT:\nPart: hills\nWhat I produced: a table', 'a table'],
    ['WORK: Part: hills', 'hills'],
    [`RESULT: Same key as: ${ID}\nWhat I produced: a table`, 'a table'],
    [`RESULT:\n- **Same key as:** \`${ID}\``, 'RESULT'],
    [`RESULT: Same key as: me`, 'Same key as: me'],
    ['Part of the hills: done', 'Part of the hills: done'],
    [`RESULT:\nCorrects: ${ID}, row 3\nTwo wells`, 'Two wells'],
    [`RESULT:\nReplaces:\n${ID}\nPart:\nhills\nTwo wells`, 'Two wells'],
    [`RESULT:\nSame key as: ${ID}\nLimitations: none\nWhat I produced: a table`, 'a table'],
    ['RESULT:\nDistrust: 123456789abc\n**Trust:** 123456789abd, 123456789abe\nTwo wells', 'Two wells'],
    [`RESULT:\nTrust: ${'123456789abc '.repeat(16)}\nTwo wells`, 'Two wells'],
    ['RESULT:\nTrust: low\nTwo wells', 'Trust: low'],
    ['RESULT:\nLimitations: none\nSources and date checked: two', 'none'],
    [`RESULT:\nCorrects: ${ID}\nPart: hills`, 'RESULT'],
  ] as const;
  for (const [message, title] of LABELLED) {
    it(`lacks the labels of the layouts: ${JSON.stringify(message)}`, () => {
      assert.equal(toTitle(message), title);
    });
  }

  it('is the useful outcome of an IDEA that begins with a label, then the first step', () => {
    const who = 'Who benefits: everybody';
    const outcome = '**Useful outcome:** a checked list';
    const step = 'First step: compare two pages';
    assert.equal(toTitle(`IDEA:\n${who}\n${step}\n${outcome}`), 'a checked list');
    assert.equal(toTitle(`IDEA: ${who}\nUseful outcome:\n\n${step}`), 'compare two pages');
    assert.equal(toTitle(`IDEA:\n${who}`), 'everybody');
    assert.equal(toTitle(`IDEA: count the benches\n${who}\n${outcome}`), 'count the benches');
    assert.equal(toTitle(`IDEA:\ncount the benches\n${outcome}`), 'count the benches');
    assert.equal(toTitle(`RESULT:\n${who}\n${outcome}`), 'everybody');
  });

  it('of a REVIEW is its own first line with more than the id that it checks', () => {
    const review = `REVIEW:\nResult being checked (post id): ${ID}`;
    assert.equal(toTitle(`${review}\nChecks performed: every row`), 'every row');
    assert.equal(toTitle(review), `post …${ID.slice(-4)}`);
  });

  const CUT = [
    ['examines a bounded number of lines', `IDEA:\n${'-\n'.repeat(3000)}late`, 'IDEA'],
    ['has no half of a character where a long line of marks is cut', `${'*'.repeat(398)}x\u{1F600}`, 'x'],
    ['has 80 characters', 'x'.repeat(80), 'x'.repeat(80)],
    ['has no more, its ellipsis included', 'x'.repeat(81), `${'x'.repeat(79)}…`],
    ['counts code points', `IDEA: ${'\u{1F600}'.repeat(8000)}`, `${'\u{1F600}'.repeat(79)}…`],
    ['has a flag that fits', `${'x'.repeat(78)}\u{1F1E9}\u{1F1EA}`, `${'x'.repeat(78)}\u{1F1E9}\u{1F1EA}`],
    ['has no part of a flag', `${'x'.repeat(78)}\u{1F1E9}\u{1F1EA}.`, `${'x'.repeat(78)}…`],
    ['is cut between words', `${'word '.repeat(15)}another one`, `${'word '.repeat(15).trimEnd()}…`],
    ['is cut within a long word', `a ${'x'.repeat(100)}`, `a ${'x'.repeat(77)}…`],
    ['keeps markup as text', '<b>x</b> & y', '<b>x</b> & y'],
  ] as const;
  for (const [name, message, title] of CUT)
    it(name, () => {
      assert.equal(toTitle(message), title);
    });

  it('has no marks of emphasis between the letters of scripts without spaces', () => {
    for (const [one, other] of ['井水', 'น้ำบ่อ', 'ນ້ຳສ້າງ', 'ទឹកអណ្តូង', 'ရေတွင်း'].map((word) => [word, `${word}ๆ`]))
      assert.equal(toTitle(`${one}**${other}**${one}`), `${one}${other}${one}`);
    assert.equal(toTitle('two**three**four'), 'two**three**four');
  });
});
