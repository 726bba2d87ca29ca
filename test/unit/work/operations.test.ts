import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '#work/board.ts';
import { othersUnderWay } from '#work/conflict.ts';
import { effectOf } from '#work/reviews.ts';
import { insertTop } from '#work/lists.ts';
import type { Result } from '#work/model.ts';
import { randomPosts, RANDOM_START } from '../../support/random-work.ts';
import { boardOf, listWork, toSteps } from '../../support/derived-work.ts';
import { signerOf } from '../../support/strangers.ts';
import { aPost } from '../../support/store/records.ts';
import { datePosts, type NewPost, START, stepsOf, under } from '../../support/threads.ts';

/** @returns the list, and how often its elements were read so far */
function counted<One>(list: readonly One[]): { list: One[]; reads: () => number } {
  let reads = 0;
  const proxy = new Proxy([...list], {
    get: (target, index) => {
      if (typeof index === 'string' && /^\d+$/.test(index)) reads += 1;
      return Reflect.get(target, index) as unknown;
    },
  });
  return { list: proxy, reads: () => reads };
}

/** Numbers of marks: the opener of each thread, and a stranger. */
const [OPENER, STRANGER] = [{ mark: signerOf(1) }, { mark: signerOf(2) }];

test('whether REVIEWs of a RESULT count is found with a few reads of each', () => {
  const WITHDRAWN = 'REVIEW: x\nOutcome: withdrawn';
  const root = aPost('IDEA: x', OPENER);
  const result = under(root, 'RESULT: y', STRANGER);
  const by = (key: number, message: string): NewPost =>
    under(root, message, { parentId: result.id, mark: signerOf(key) });
  const first = Array.from({ length: 100 }, (_, n) => by(10 + n, WITHDRAWN));
  const [confirms, takesBack] = [by(5, 'REVIEW: x\nOutcome: confirmed\nEvidence: x'), by(5, WITHDRAWN)];
  const unsigned = Array.from({ length: 2 }, () => under(root, WITHDRAWN, { parentId: result.id }));
  const again = by(10, WITHDRAWN);
  const board = boardOf(stepsOf([root, result, ...first, confirms, ...unsigned, takesBack, again]));
  const known = board.results.get(result.id)!;
  const { list, reads } = counted(known.reviews);
  Object.assign(known, { reviews: list } satisfies Partial<Result>);
  const counting = [...list].filter((review) => effectOf(known, review) !== null);
  const ids = counting.map(({ step }) => step.id);
  assert.deepEqual(
    ids,
    [confirms, takesBack, again].map(({ id }) => id),
  );
  assert.ok(reads() <= 6 * list.length, `${reads()} reads of ${list.length}`);
});

test('an update that pauses after each item goes on where it paused, also while steps come', () => {
  for (const seed of [1, 2, 3]) {
    const steps = toSteps(randomPosts(seed));
    const board = new Board();
    let now = RANDOM_START;
    for (const step of steps) {
      board.add(step);
      now = Date.parse(step.createdAt);
      board.update(now, () => true);
    }
    let pauses = 0;
    while (!board.update(now, () => true)) pauses += 1;
    assert.ok(pauses > 1 && pauses < steps.length, `${pauses}`);
    assert.deepEqual(board.lists.current(), listWork(boardOf(steps), now));
  }
});

test('a WORK under way is by another writer, unless both sent one key, or none and one name', () => {
  const idea = aPost('IDEA: x', OPENER);
  for (const [of, given, isOther] of [
    ['no name', [{}, {}], true],
    ['one name', [{ name: 'Ann' }, { name: ' ann' }], false],
    ['one name and one key', [{ name: 'Ann' }, { name: 'Ann', ...OPENER }], true],
    ['one key', [{ name: 'Ann', ...OPENER }, OPENER], false],
    ['two keys', [OPENER, STRANGER], true],
  ] as const) {
    const posts = datePosts([idea, ...given.map((one) => under(idea, 'WORK: y', one))]);
    const others = othersUnderWay(boardOf(toSteps(posts)), posts[2]!, '', START);
    assert.equal(others.length, Number(isOther), of);
  }
});

test('a list keeps its first elements in order, and of equal ones those that came first', () => {
  const list: string[] = [];
  for (const one of ['5a', '9a', '5b', '3a', '7a', '5c', '9b'])
    insertTop(list, one, 5, (first, second) => first.charAt(0) > second.charAt(0));
  assert.deepEqual(list, ['9a', '9b', '7a', '5a', '5b']);
});
