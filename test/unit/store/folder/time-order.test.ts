import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  count,
  elementsAt,
  merged,
  page,
  withElement,
  withoutElement,
  type PageRange,
  type Timed,
} from '#store/folder/time-order.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

interface Element extends Timed {
  /** The number of the element among all, in order of arrival. */
  readonly n: number;
}

const TIMES = 30;
const timeOf = (n: number): string => `2026-11-21T10:49:32.${String(n).padStart(6, '0')}Z`;

/** Sorts by time, and elements of one time by arrival. */
const sorted = (elements: Iterable<Element>): Element[] =>
  [...elements].sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.n - b.n));

function isWithin({ createdAt }: Element, { after, before }: Pick<PageRange, 'after' | 'before'>): boolean {
  return (after === undefined || createdAt > after) && (before === undefined || createdAt < before);
}

/** @returns lists of up to 60 elements, some of one time, to which elements were added and from which some were taken */
function* randomLists(random: SeededRandom): Generator<{ list: Element[]; expected: Element[] }> {
  let list: Element[] = [];
  const held = new Set<Element>();
  for (let n = 0; n < 120; n++) {
    const element = { n, createdAt: timeOf(random.below(TIMES)) };
    list = withElement(list, element);
    held.add(element);
    if (n > 60 || random.below(4) === 0) {
      const gone = [...held][random.below(held.size)]!;
      list = withoutElement(list, gone);
      held.delete(gone);
    }
    yield { list, expected: sorted(held) };
  }
}

test('elements come and go in the order of time, and pages and counts are those of a sorted list', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = new SeededRandom(seed);
    const bound = (): string | undefined => (random.below(4) === 0 ? undefined : timeOf(random.below(TIMES)));
    for (const { list, expected } of randomLists(random)) {
      assert.deepEqual(list, expected);
      const [after, before, limit] = [bound(), bound(), random.below(8)];
      const within = expected.filter((element) => isWithin(element, { after, before }));
      assert.deepEqual(page(list, { order: 'oldest', limit, after, before }), within.slice(0, limit));
      assert.deepEqual(
        page(list, { order: 'newest', limit, after, before }),
        within.toReversed().slice(0, limit),
      );
      assert.equal(count(list, { after, before }), within.length);
      assert.equal(count(list, { after, before }, limit), Math.min(limit, within.length));
      const time = timeOf(random.below(TIMES));
      assert.deepEqual(
        elementsAt(list, time),
        expected.filter(({ createdAt }) => createdAt === time),
      );
    }
  }
});

test('a day bounds all times of it, and an element that is not there is taken from no list', () => {
  const list = [
    { n: 0, createdAt: timeOf(1) },
    { n: 1, createdAt: timeOf(2) },
  ];
  assert.equal(count(list, { after: '2026-11-21' }), 2);
  assert.equal(count(list, { before: '2026-11-21' }), 0);
  assert.equal(withoutElement(list, { n: 0, createdAt: timeOf(1) }), list);
});

test('a short list is copied, since an array that was pushed to keeps room for more', () => {
  const short: Element[] = [];
  assert.notEqual(withElement(short, { n: 0, createdAt: timeOf(0) }), short);
  assert.deepEqual(short, []);
});

test('merged lists have every later element of each once, the earliest first', () => {
  const random = new SeededRandom(1);
  for (let round = 0; round < 50; round++) {
    // Of one time each, as posts are.
    const all = Array.from({ length: 20 }, (_, n) => ({ n, createdAt: timeOf(n) }));
    const lists = Array.from({ length: 4 }, () => all.filter(() => random.below(3) === 0));
    const after = timeOf(random.below(20));
    const expected = all.filter(
      (element) => element.createdAt > after && lists.some((list) => list.includes(element)),
    );
    assert.deepEqual([...merged(lists, after)], expected);
  }
  assert.deepEqual([...merged([], '')], []);
});
