import assert from 'node:assert/strict';
import test from 'node:test';
import { renderMessage } from '#http/html/render-message.ts';

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
