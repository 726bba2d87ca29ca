import assert from 'node:assert/strict';
import test from 'node:test';
import { NONE } from '#store/memory/columns/column.ts';
import { LinkedLists } from '#store/memory/columns/linked-lists.ts';
import { SeededRandom } from '../../../../torture/support/random.ts';

function linksOf(lists: LinkedLists, list: number): number[] {
  const links: number[] = [];
  for (let link = lists.first(list); link !== NONE; link = lists.next(link)) links.push(link);
  const back: number[] = [];
  for (let link = lists.last(list); link !== NONE; link = lists.previous(link)) back.unshift(link);
  assert.deepEqual(links, back);
  return links;
}

test('lists hold their links in order, whatever is added and removed', () => {
  const random = new SeededRandom(20261122);
  const times = Array.from({ length: 400 }, () => random.below(60));
  const lists = new LinkedLists((link, other) => times[link]! < times[other]!);
  const expected: number[][] = [[], [], []];
  for (let link = 0; link < times.length; link++) {
    const list = random.below(expected.length);
    lists.add(list, link);
    const own = expected[list]!;
    const place = own.findIndex((other) => times[link]! < times[other]!);
    own.splice(place < 0 ? own.length : place, 0, link);
    if (random.below(4) === 0) lists.remove(list, own.splice(random.below(own.length), 1)[0]!);
    for (const [index, links] of expected.entries()) assert.deepEqual(linksOf(lists, index), links);
  }
});

test('older links that are added in their order cost a few comparisons each', () => {
  let comparisons = 0;
  const lists = new LinkedLists((link, other) => {
    comparisons += 1;
    return (link + 5000) % 10_000 < (other + 5000) % 10_000;
  });
  for (let link = 0; link < 5000; link++) lists.add(0, link);
  comparisons = 0;
  for (let link = 5000; link < 10_000; link++) lists.add(0, link);
  assert.equal(lists.first(0), 5000);
  assert.ok(comparisons < 30_000, `${comparisons} comparisons`);
});
