import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTitle } from '#workspace/text/title.ts';

const TITLES = [
  ['a plain message', 'Hello there.\nMore below.', 'Hello there.'],
  ['the line of the prefix', 'IDEA: count the benches', 'count the benches'],
  ['the line below the prefix', 'RESULT:\n\nWhat I produced: a table', 'What I produced: a table'],
  ['a heading', 'RESULT:\n## What came *out*', 'What came *out*'],
  ['a list item in a quote', '> - **first** `item`', 'first item'],
  ['a line after a fence and a rule', '```\n***\n\tcode()', 'code()'],
  ['a number sign that is no heading', '#7 is open', '#7 is open'],
  ['a prefix alone', 'WORK:', 'WORK'],
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

  it('has no half of a character where a long line of marks is cut', () => {
    assert.equal(toTitle(`${'*'.repeat(398)}x\u{1F600}`), 'x');
  });

  it('has at most 80 characters, its ellipsis included', () => {
    assert.equal(toTitle('x'.repeat(80)), 'x'.repeat(80));
    assert.equal(toTitle('x'.repeat(81)), `${'x'.repeat(79)}…`);
    assert.equal(toTitle(`IDEA: ${'\u{1F600}'.repeat(8000)}`), `${'\u{1F600}'.repeat(79)}…`);
  });

  it('is cut between words', () => {
    assert.equal(toTitle(`${'word '.repeat(15)}another one`), `${'word '.repeat(15).trimEnd()}…`);
    assert.equal(toTitle(`a ${'x'.repeat(100)}`), `a ${'x'.repeat(77)}…`);
  });

  it('keeps markup as text', () => {
    assert.equal(toTitle('<b>x</b> & y'), '<b>x</b> & y');
  });
});
