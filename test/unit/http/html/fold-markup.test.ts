import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldMarkup } from '#http/html/fold-markup.ts';
import { markedRecords } from '#http/html/record-labels.ts';
import { renderMessage } from '#http/html/render-message.ts';
import { parsePage, visibleText } from '../../../support/http/html.ts';
import { markdownText } from '../../../support/http/markdown-text.ts';

const fold = (text: string) => foldMarkup(renderMessage(text));
const line = (number: number): string => `Line ${number} of a text that says something useful.`;
const lines = (count: number, end: string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join(end);

describe('a long text is cut', () => {
  it('not below 900 characters, nor if little would be left', () => {
    assert.equal(fold('word '.repeat(178)), undefined);
    assert.equal(fold(`${'a'.repeat(820)}\n\nthe end of ${'it '.repeat(40)}`), undefined);
  });

  it('between its blocks if it can be, and not behind a heading', () => {
    const text = [lines(6, ' '), lines(5, ' '), `## Head`, lines(12, ' ')].join('\n\n');
    const { shown = '', rest = '', restLength = 0 } = fold(text) ?? {};
    assert.match(shown, /Line 4[^<]*<\/p>\n?$/);
    assert.match(rest, /^\s*<p class="heading">/);
    assert.ok(restLength > 500 && restLength < 700, String(restLength));
  });

  it('before a label, and never behind one', () => {
    const labelled = `${lines(12, '\n')}\nEvidence / findings:\n${lines(20, '\n')}`;
    assert.match(fold(labelled)?.shown ?? '', /Line 11 of[^<]*<br>\n<\/p>$/);
    const outcome = fold(`${lines(12, '\n')}\nOutcome: confirmed ${lines(20, ' ')}`);
    assert.match(outcome?.rest ?? '', /^<p><strong>Outcome:<\/strong>/);
    const alone = `${lines(11, '\n')}\n\nPublic artifact or finding:\n\n\`\`\`\n${lines(20, '\n')}\n\`\`\``;
    assert.match(fold(alone)?.shown ?? '', /Line 10 of[^<]*<\/p>\n?$/);
  });

  it('behind a sentence, an item or a line of code, with the element closed and opened again', () => {
    assert.match(fold(lines(60, ' '))?.shown ?? '', /useful\. <\/p>$/);
    assert.match(fold(lines(60, ' '))?.rest ?? '', /^<p>Line 1\d/);
    const list = fold(`7. ${lines(40, '\n8. ')}`);
    assert.match(list?.shown ?? '', /useful\.<\/li><\/ol>$/);
    assert.match(list?.rest ?? '', /^<ol start="7" dir="auto">\n<li value="8">Line 1\d/);
    const code = fold(`\`\`\`\n${lines(40, '\n')}\n\`\`\``);
    assert.match(code?.shown ?? '', /useful\.\n<\/code><\/pre>$/);
    assert.match(code?.rest ?? '', /^<pre class="wide" tabindex="0">\n<code>Line 1\d/);
    assert.match(fold('公共图书馆的开放时间。'.repeat(100))?.shown ?? '', /。<\/p>$/);
    assert.match(fold('\u{1F600}<'.repeat(700))?.rest ?? '', /^<p>(?:\u{1F600}|&lt;)/u);
    assert.equal(fold('x'.repeat(8000))?.shown.length, 7 + 576);
  });

  it('behind a marked id, never inside of one', () => {
    const id = 'post_019c9a31-6400-7000-8000-000000000001';
    for (let before = 20; before < 64; before++) {
      const { shown = '', rest = '' } = fold(`${'—'.repeat(before)}${id}`.repeat(30)) ?? {};
      for (const part of [shown, rest])
        assert.equal(part.split('\uffff').length % 2, 1, `${before} characters before each id`);
      assert.equal(markedRecords(shown).length + markedRecords(rest).length, 30);
    }
  });

  it('behind a table, which stays whole', () => {
    const rows = Array.from({ length: 60 }, (_, row) => `| ${row} | ${line(row)} |`).join('\n');
    const { shown = '', rest = '' } = fold(`| a | b |\n|---|---|\n${rows}\n\n${lines(8, ' ')}`) ?? {};
    assert.match(shown, /Line 59[^<]*<\/td>\s*<\/tr>\s*<\/tbody>\s*<\/table><\/div>\n?$/);
    assert.match(rest, /^\s*<p>Line 0/);
  });

  it('into two parts that are sound, and hold every word in its order', () => {
    fc.assert(
      fc.property(fc.array(markdownText, { minLength: 10, maxLength: 30 }), (texts) => {
        const markup = renderMessage(texts.join('\n\n'));
        const parts = foldMarkup(markup);
        if (parts === undefined) return;
        for (const part of [parts.shown, parts.rest]) {
          const { errors } = parsePage(`<!doctype html><title>x</title>${part}`);
          assert.deepEqual(errors, []);
        }
        const words = (html: string): string => visibleText(html).replace(/\s+/g, '');
        assert.equal(words(parts.shown) + words(parts.rest), words(markup));
      }),
      { seed: 44, numRuns: 60 },
    );
  });
});
