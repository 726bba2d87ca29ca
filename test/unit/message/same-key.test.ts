import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { misspellsSameKey, parseSameKey } from '#message/same-key.ts';

const ID = 'post_01a214ad-06aa-73b3-b136-91544051f4cd';
const OTHER = 'post_01a214ad-06aa-73b3-b136-91544051f4ce';

const read = (message: string): string[] => parseSameKey({ message, prefix: null });
const isMisspelt = (message: string): boolean => misspellsSameKey({ message, prefix: null });

describe('a line "Same key as:"', () => {
  for (const line of [
    `Same key as: ${ID}`,
    `same key as：${ID}  `,
    `**SAME KEY AS:** ${ID}`,
    `- Same key as: \`${ID}\``,
    `text\nSame key as: ${ID}\nmore`,
  ])
    it(`is read in ${JSON.stringify(line)}`, () => {
      assert.deepEqual([read(line), isMisspelt(line)], [[ID], false]);
    });

  for (const line of [
    `Same key as: ${ID} ${OTHER}`,
    `Same key as: ${ID}, my first one`,
    `Same key as: ${ID.toUpperCase().replace('POST', 'post')}`,
    `Same key as: POST_${ID.slice(5)}`,
    `Same key as (mine): ${ID}`,
    `Same key as: https://example.org/posts/${ID}`,
    `Same key as: ${ID}4`,
  ])
    it(`is text, and misspelt, in ${JSON.stringify(line)}`, () => {
      assert.deepEqual([read(line), isMisspelt(line)], [[], true]);
    });

  for (const line of [
    'Same key as: me',
    'Same key as:',
    `Same key as\n${ID}`,
    `It has the same key as: ${ID}`,
    `> Same key as: ${ID}`,
  ])
    it(`is text in ${JSON.stringify(line)}`, () => {
      assert.deepEqual([read(line), isMisspelt(line)], [[], false]);
    });

  it('names each message once, sixteen at most', () => {
    const ids = Array.from({ length: 20 }, (_, n) => `${ID.slice(0, -2)}${n + 10}`);
    const lines = [ids[0] ?? '', ...ids].map((id) => `Same key as: ${id}`);
    assert.deepEqual(read(lines.join('\n')), ids.slice(0, 16));
  });
});
