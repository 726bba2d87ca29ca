import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countsAsStep, parseStepFacts, toHeld, windowOf, type Step } from '#message/step.ts';
import { Copies } from '#work/copies.ts';
import { Board, listStanding } from '#work/board.ts';
import { freeParts } from '#work/parts.ts';
import { findCopyOf } from '#work/standing-view.ts';
import { copiesByHand, originalsByHand } from '../../support/copies-by-hand.ts';
import { boardOf, compareBoards, listWork, replaceSteps } from '../../support/derived-work.ts';
import { aPost } from '../../support/store/records.ts';
import { SeededRandom } from '../../torture/support/random.ts';
import { type NewPost, MINUTE_MS, START, stepsOf, under } from '../../support/threads.ts';

const SEEDS = 500;
const TEXTS = 60;

const idOf = (n: number): string => `post_${String(n).padStart(4, '0')}`;

function stepOf(n: number, message: string): Step {
  const createdAt = new Date(START + n * MINUTE_MS).toISOString().replace('Z', '000Z');
  const facts = parseStepFacts({ id: idOf(n), prefix: 'IDEA', parentId: null, message, createdAt });
  assert.ok(facts !== null);
  return { id: idOf(n), prefix: 'IDEA', parentId: null, rootId: idOf(n), createdAt, ...facts };
}

/** Many have most lines of another; those of every third seed only lines that nearly all share, or many lines. */
function randomSteps(seed: number, random: SeededRandom): Step[] {
  const texts: string[][] = [];
  const [isCrowded, isLong] = [seed % 3 === 1, seed % 3 === 2];
  const several = (count: number, line: () => string): string[] => Array.from({ length: count }, line);
  return Array.from({ length: TEXTS }, (_, n) => {
    const near = random.below(2) === 0 ? undefined : texts[random.below(Math.max(texts.length, 1))];
    const common = (pool: number) => (): string => `line ${random.below(pool)} of all`;
    const anew = isCrowded
      ? several(near === undefined ? 12 : 1, common(14))
      : [
          ...several(random.below(isLong ? 24 : 4), () => `own ${random.below(99)} of ${n}`),
          ...several(random.below(9), common(9)),
        ];
    const lines = [...(near?.slice(random.below(3)) ?? []), ...anew].slice(0, 50);
    texts.push(lines);
    const first = isCrowded ? '' : random.below(2) === 0 ? 'count the wells' : `number ${n}`;
    return stepOf(n, `IDEA: ${first}\n${lines.join('\n')}`);
  });
}

it(`near-copies are what the sentences of the documentation say, in ${SEEDS} random orders of texts`, () => {
  let found = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new SeededRandom(seed);
    const steps = randomSteps(seed, random);
    const free = new Set(steps.flatMap(({ id }) => (random.below(8) === 0 ? [id] : [])));
    const isFree = ({ id }: Step, earlier: Step): boolean =>
      free.has(id) && Number(earlier.id.at(-1)) % 2 === 0;
    const copies = new Copies(isFree);
    const there = new Set<Step>();
    const isCopy = new Map<string, boolean>();
    const compare = (): void => {
      const shown = steps.filter((step) => there.has(step));
      for (const [id, original] of originalsByHand(shown, { isFree })) {
        const copy = copies.copyOf(id);
        assert.equal(copy !== undefined && copy.equal > 0 ? copy.id : null, original, `${seed} ${id}`);
        assert.equal(isCopy.get(id) === true, original !== null, `${seed} ${id} was told`);
        if (original === null) continue;
        found += 1;
        assert.ok(copies.copiesOf(original).some((step) => step.id === id));
      }
    };
    const tell = (changed: readonly string[]): void => {
      for (const id of changed) isCopy.set(id, copies.isCopy(id));
    };
    // First as they come, then in any order, as moderation and the window have it.
    const order = [...steps, ...Array.from({ length: TEXTS }, () => steps[random.below(TEXTS)]!)];
    for (const [n, step] of order.entries()) {
      if (there.delete(step)) {
        isCopy.delete(step.id);
        tell(copies.remove(step.id));
      } else {
        there.add(step);
        tell(copies.add(step));
      }
      if (n >= TEXTS - 1 && n % 20 === 19) compare();
    }
    const [some] = there;
    if (some === undefined) continue;
    if (!free.delete(some.id)) free.add(some.id);
    tell(copies.decide(some.id));
    compare();
  }
  assert.ok(found > SEEDS * 10, `${found} copies`);
});

const [ANN, BOB, CID] = [{ mark: 'aaaaaaaaaaaa' }, { mark: 'bbbbbbbbbbbb' }, { mark: 'cccccccccccc' }];
const LINES = Array.from({ length: 9 }, (_, n) => `line ${n} of the plan`).join('\n');
const LATER = START + 400 * 24 * 60 * MINUTE_MS;

it('of the RESULTs of one standing, those in a thread that is a copy come last', () => {
  const [older, copy] = [aPost(`IDEA: wells\n${LINES}`, ANN), aPost(`IDEA: wells again\n${LINES}`, BOB)];
  const results = [older, copy, older, older].map((root, n) => under(root, `RESULT: ${n} wells`, CID));
  const [first, mine, done, reviewed] = results as [NewPost, NewPost, NewPost, NewPost];
  const review = 'REVIEW: x\nOutcome: confirmed\nEvidence: counted';
  const reviews = [
    under(older, review, { ...ANN, parentId: done.id }),
    under(older, review, { ...BOB, parentId: reviewed.id }),
  ];
  const board = boardOf(stepsOf([older, copy, ...results, ...reviews]));
  const work = { board, lists: listWork(board, LATER) };
  const [open, confirmed] = (['unreviewed', 'confirmed'] as const).map((standing) =>
    listStanding(work, standing).map(({ id }) => id),
  );
  assert.deepEqual([open, confirmed], [[first.id, mine.id], [done.id]]);
});

const THREE = 'IDEA: count the wells\nof the north\nand of the south';

it('a thread has a label that moves nothing if only its first line, or three lines, are those of an older one', () => {
  for (const [text, again, label] of [
    ['IDEA: Count the wells\nof the north', 'IDEA: count the wells!', { equal: 0, of: 1 }],
    [THREE, THREE, { equal: 0, of: 3 }],
  ] as const) {
    const [first, same, last] = [aPost(text), aPost(again), aPost('IDEA: mills of the south')];
    const board = boardOf(stepsOf([first, same, last]));
    assert.deepEqual(findCopyOf(board, same.id), { id: first.id, ...label });
    assert.deepEqual([findCopyOf(board, first.id), board.copies.copiesOf(first.id)], [undefined, []]);
    const ideas = listWork(board, LATER).ideas.map(({ id }) => id);
    assert.deepEqual(ideas, [last.id, same.id, first.id]);
  }
});

it('a thread has the lines of another one by the newest 100 messages that show one key, of any number', () => {
  const older = aPost(`IDEA: wells\n${LINES}`, BOB);
  const copy = aPost(`IDEA: wells again\n${LINES}`, BOB);
  const shows = (n: number, id: string): NewPost => under(copy, `more ${n}`, { ...BOB, sameKeyAs: [id] });
  const [own, elsewhere] = [under(older, 'more', BOB), aPost('IDEA: mills', BOB)];
  const isCopyAfter = (count: number, of: NewPost): boolean => {
    const lines = Array.from({ length: count }, (_, n) => shows(n, of.id));
    const board = boardOf(stepsOf([older, copy, own, elsewhere, shows(0, older.id), ...lines]));
    return board.copies.isCopy(copy.id);
  };
  const found = [isCopyAfter(0, own), isCopyAfter(99, own), isCopyAfter(100, elsewhere)];
  assert.deepEqual(found, [false, false, true]);
});

it('a RESULT of a trusted signer is no copy of one of a stranger, who may come first with some lines changed', () => {
  const idea = aPost('IDEA: x\nParts: one; two', ANN);
  const result = (message: string, given: Partial<NewPost>): NewPost =>
    under(idea, `RESULT: ${message}\nPart: one\n${LINES}`, given);
  const early = result('early', CID);
  const right = result('right', BOB);
  const late = result('late', { mark: 'dddddddddddd' });
  const changed = { ...early, message: early.message.replace('line 4 of', 'line 4 is not of') };
  const steps = stepsOf([idea, changed, right, under(idea, `Trust: ${BOB.mark}`, ANN), late]);
  for (const [board, copyOf, parts] of [
    [boardOf(steps.slice(0, 3)), early.id, ['two', 'one']],
    [boardOf(steps), undefined, ['two']],
  ] as const) {
    assert.equal(findCopyOf(board, right.id)?.id, copyOf);
    assert.deepEqual(freeParts(board.ideas.get(idea.id)!, START), parts);
    assert.equal(board.isRankedLast(right), copyOf !== undefined);
    assert.equal(listWork(board, LATER).toReview.at(-1)?.id, copyOf === undefined ? late.id : right.id);
  }
  assert.equal(findCopyOf(boardOf(steps), late.id)?.id, early.id);
});

it('a RESULT is a copy of the oldest one of another writer of its thread, unless it corrects that', () => {
  const [idea, elsewhere] = [aPost('IDEA: x', ANN), aPost('IDEA: y', ANN)];
  const result = (given: Partial<NewPost>, line = '', root = idea): NewPost =>
    under(root, `RESULT: x\n${LINES}${line}`, given);
  const first = result(BOB);
  const others = [
    result(BOB),
    result(CID),
    result(CID, `\nCorrects: ${first.id}`),
    result(CID, '', elsewhere),
  ];
  const board = boardOf(stepsOf([idea, elsewhere, first, ...others]));
  const copied = [first, ...others].map((one) => findCopyOf(board, one.id)?.id);
  assert.deepEqual(copied, [undefined, undefined, first.id, undefined, undefined]);
});

const SMALL = { steps: 30, all: 40 };

/** Threads of few keys, many of which are copies, and messages that show that a key wrote another message. */
function randomThreads(random: SeededRandom): NewPost[] {
  const posts: NewPost[] = [];
  const keys = [ANN, BOB, CID];
  for (let n = 0; n < 100; n++) {
    const key = keys[random.below(keys.length)];
    const near = posts.slice(-20);
    const named = near[random.below(near.length)];
    const line = named !== undefined && random.below(2) === 0 ? { sameKeyAs: [named.id] } : {};
    const roots = near.filter(({ parentId }) => parentId === null);
    const root = roots[random.below(roots.length)];
    const own = random.below(3) === 0 ? `of ${n}` : 'of all';
    const lines = LINES.split('\n').map((one, index) => (index > 6 ? `${one} ${own}` : one));
    const post =
      root === undefined || random.below(3) === 0
        ? aPost(`IDEA: number ${n}\n${lines.join('\n')}`, { ...key, ...line })
        : under(root, 'more', { ...key, ...line });
    posts.push(post);
  }
  return posts;
}

it('a board has the same copies as a new one, while its window moves and messages are hidden and held', () => {
  let exempt = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const random = new SeededRandom(seed);
    const posts = randomThreads(random);
    const [all, states] = [stepsOf(posts), new Map<string, 'held' | 'gone'>()];
    const [moving, replaced] = [new Board(SMALL, 10), new Board(SMALL, 10)];
    const compare = (board: Board, steps: readonly Step[]): void => {
      const expected = new Board(SMALL, 10);
      for (const step of windowOf(steps, countsAsStep, SMALL)) expected.add(step);
      compareBoards(board, expected, LATER);
      const byHand = copiesByHand(expected.steps, 10);
      for (const { id } of expected.steps) {
        const copyOf = findCopyOf(board, id);
        assert.equal(copyOf?.equal === 0 ? undefined : copyOf?.id, byHand(id), `${seed} ${id}`);
      }
      exempt += expected.steps.filter(
        ({ id, rootId, sameKeyAs }) =>
          id !== rootId && sameKeyAs !== undefined && !board.copies.isCopy(rootId),
      ).length;
    };
    for (const [n, step] of all.entries()) {
      moving.add(step);
      if (n % 9 === 8) compare(moving, all.slice(0, n + 1));
      const { id } = all[random.below(n + 1)]!;
      if (!states.delete(id)) states.set(id, random.below(2) === 0 ? 'held' : 'gone');
      const steps = all.slice(0, n + 1).flatMap((one) => {
        const state = states.get(one.id);
        return state === 'gone' ? [] : state === 'held' ? toHeld(one) : one;
      });
      if (n % 3 !== 2) continue;
      assert.ok(replaceSteps(replaced, steps));
      if (n % 9 === 8) compare(replaced, steps);
    }
  }
  assert.ok(exempt > 500, `${exempt}`);
});
