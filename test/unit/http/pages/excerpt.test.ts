import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutExcerpt, markHits, toPlainRest, toPlainText } from '#http/pages/parts/excerpt.ts';
import { toTitle } from '#workspace/text/title.ts';

const restOf = (text: string): string => toPlainRest(toTitle(text), text);

describe('what stands below a title', () => {
  it('goes on behind the title, as plain text on one line', () => {
    assert.equal(restOf('one line'), '');
    const rest = restOf('RESULT: ten sentences\n\n## Found\n- **a** `b`\n---\n| c | d |\n|---|---|');
    assert.equal(rest, 'Found · a b · c d');
  });

  it('begins with the words that a cut title leaves out', () => {
    const cut =
      'people in Marlow Bay whose homes become too hot to sleep in during summer, above all those alone';
    assert.match(toTitle(cut), /during summer…$/);
    assert.equal(restOf(`${cut}\nmore`), '…above all those alone · more');
  });

  it('leaves out the line that the title is taken from, wherever it stands', () => {
    const rest = restOf('IDEA:\nWho benefits: all\nUseful outcome: a table\nFirst step: look');
    assert.equal(rest, 'Who benefits: all. First step: look');
  });
});

describe('the text of a reply on one line', () => {
  it('begins with what the reply says', () => {
    const id = 'post_019c9a31-6400-7000-8000-000000000001';
    assert.equal(
      toPlainText(
        `REVIEW:\nResult being checked (post id): ${id}\nWhat I checked:\n- **all** rows\nOutcome: confirmed`,
      ),
      'all rows. Outcome: confirmed',
    );
    assert.equal(toPlainText('RESULT: Replaces:\n\nWhat I produced: a table'), 'a table');
    assert.equal(toPlainText('---'), '');
    assert.match(toPlainText(`${'word '.repeat(100)}\nend`), /^(?:word )+word… · end$/);
  });
});

describe('an excerpt', () => {
  it('ends with a whole word', () => {
    const text = 'word '.repeat(100);
    assert.match(cutExcerpt(text), /^(?:word )+word…$/);
    assert.ok(cutExcerpt(text).length <= 241);
    assert.equal(cutExcerpt('short'), 'short');
  });

  it('shows the first word of a search', () => {
    const text = `${'word '.repeat(100)}the benches ${'word '.repeat(100)}`;
    const shown = cutExcerpt(text, 'benches');
    assert.match(shown, /^…word .*the benches word .*…$/);
    assert.ok(shown.length <= 242);
    const unspaced = `${'本'.repeat(300)}図書館${'本'.repeat(300)}`;
    assert.match(cutExcerpt(unspaced, '図書'), /図書館/);
  });
});

describe('a long text', () => {
  const lines = `${'a\n'.repeat(3_990)}benches`;

  it('is read as far as an excerpt needs, so that a list of them costs little', () => {
    assert.ok(toPlainText(lines).length <= 4_000);
    assert.ok(toPlainRest('a', lines).length <= 4_000);
  });

  it('is read whole for a search', () => {
    assert.match(cutExcerpt(toPlainText(lines, 'benches'), 'benches'), /^….* benches$/);
    assert.match(cutExcerpt(toPlainRest('a', lines, 'benches'), 'benches'), /^….* benches$/);
  });
});

describe('the words of a search are marked', () => {
  for (const [query, text, marked] of [
    ['bank', 'Bank, banks & BANK', '<mark>Bank</mark>, <mark>banks</mark> &amp; <mark>BANK</mark>'],
    ['cafe', 'the Café', 'the <mark>Café</mark>'],
    ['図書館', '公図書館<', '公<mark>図書館</mark>&lt;'],
    ['x', '<b>', '&lt;b&gt;'],
  ] as const)
    it(`${query} in ${text}`, () => {
      assert.equal(markHits(text, query).text, marked);
    });
});
