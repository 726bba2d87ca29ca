import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from '#message/words.ts';
import { WordFilters } from '#store/folder/word-filters.ts';
import { SeededRandom } from '../../../torture/support/random.ts';
import { aPost } from '../../../support/store/records.ts';
import { thoroughTest } from '../../../support/thorough.ts';

const newItem = (): { filterOffset: number } => ({ filterOffset: -1 });

thoroughTest('a filter holds every word of its post, and few others, in some ten bits an entry', () => {
  const random = new SeededRandom(1);
  const filters = new WordFilters();
  // Some 2,500 filters of up to 1 KB fill more than one chunk.
  const posts = Array.from({ length: 2500 }, (_, n) => {
    const length = n % 100 === 0 ? 0 : 1 + random.below(800);
    const post = aPost(Array.from({ length }, () => `${random.below(1_000_000)}`).join(' '));
    const item = newItem();
    filters.add(item, post);
    return { item, words: wordsOf(post) };
  });
  const words = posts.reduce((sum, one) => sum + one.words.size, 0);
  const isSmall = filters.bytes > 2 ** 20 && filters.bytes < 2 * 2 ** 20 + (words * 11) / 8;
  assert.ok(isSmall, `${filters.bytes} bytes`);
  for (const { item, words: own } of posts) assert.ok(filters.mayHold(item, filters.hashes([...own])));
  const absent = filters.hashes(['absent']);
  const wrong = posts.filter(({ item }) => filters.mayHold(item, absent)).length;
  assert.ok(wrong < posts.length * 0.05, `${wrong} of ${posts.length}`);
  // All words have to be there.
  const [{ item, words: own }] = posts.slice(1) as [(typeof posts)[0]];
  const others = filters.hashes(Array.from({ length: 20 }, (_, n) => `absent${n}`));
  assert.equal(filters.mayHold(item, [...filters.hashes([...own]), ...others]), false);
});

test('a filter of more than 2,000 entries has all of them in the same space', () => {
  const filters = new WordFilters();
  const item = newItem();
  const post = aPost(String.fromCodePoint(...Array.from({ length: 8000 }, (_, n) => 0x4e00 + n)));
  filters.add(item, post);
  const words = [...wordsOf(post)];
  assert.ok(words.length > 15_000);
  assert.ok(filters.mayHold(item, filters.hashes(words)));
  const next = newItem();
  filters.add(next, aPost('one'));
  assert.ok(next.filterOffset - item.filterOffset < 2600, `${next.filterOffset - item.filterOffset} bytes`);
});

test('a post without a filter may hold any word, also once its filter was removed', () => {
  const filters = new WordFilters();
  const [first, second] = [newItem(), newItem()];
  filters.remove(first);
  assert.ok(filters.mayHold(first, filters.hashes(['absent'])));
  filters.add(first, aPost('one'));
  filters.add(second, aPost('two'));
  filters.remove(first);
  assert.deepEqual([first.filterOffset, filters.mayHold(first, filters.hashes(['absent']))], [-1, true]);
  assert.ok(filters.mayHold(second, filters.hashes(['two'])));
});

test('two processes hash a word differently, so that words of equal hashes cannot be prepared', () => {
  assert.notDeepEqual(new WordFilters().hashes(['word']), new WordFilters().hashes(['word']));
  assert.equal(new WordFilters().hashes(['word', 'word']).length, 1);
});
