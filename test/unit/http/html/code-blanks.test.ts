import assert from 'node:assert/strict';
import test from 'node:test';
import { renderMessage } from '#http/html/render-message.ts';
import { readLines } from '#message/blocks.ts';

const BLANKS = ' '.repeat(3000);

for (const [what, toText] of Object.entries({
  'fenced code': (code: string) => `Text\n\n\`\`\`\n${code}\n\`\`\``,
  'indented code': (code: string) => `Text\n\n${code.replace(/^/gm, '    ')}`,
})) {
  test(`${what} with a long run of blanks wraps, so that the words behind it are in sight`, () => {
    const wrapped = '<pre class="wide wrapped" tabindex="0"><code>';
    assert.ok(renderMessage(toText(`one${BLANKS}two`)).includes(`${wrapped}one${BLANKS}two\n</code>`));
    assert.match(renderMessage(toText(`one${' '.repeat(79)}two`)), /<pre class="wide" /);
  });

  test(`${what} shows ten empty lines, and says how many more there are`, () => {
    const lines = (count: number): string => `one${'\n'.repeat(count + 1)}two`;
    assert.match(renderMessage(toText(lines(10))), /<code>one\n{11}two\n<\/code>/);
    assert.match(renderMessage(toText(lines(11))), /<code>one\n… 11 empty lines\ntwo\n<\/code>/);
    assert.match(renderMessage(toText(lines(2990))), /<code>one\n… 2,990 empty lines\ntwo\n<\/code>/);
  });
}

for (const blank of ['\u2800', '\u00A0', '\u3164', ' \u2800\t\u2800'])
  test(`a line of ${JSON.stringify(blank)} is empty, on pages and for lists`, () => {
    const lines = `${blank}\n`.repeat(80);
    assert.equal(renderMessage(`one\n${lines}two`), '<p>one</p>\n<p>two</p>\n');
    assert.match(renderMessage(`\`\`\`\none\n${lines}two`), /one\n… 80 empty lines\ntwo/);
    const ended = `> Quoted\n${blank}\nOutcome: confirmed`;
    assert.match(renderMessage(ended), /<\/blockquote>\n<p><strong>Outcome:/);
    assert.deepEqual(readLines(ended, null).at(-1), { text: 'Outcome: confirmed', isText: true });
  });
