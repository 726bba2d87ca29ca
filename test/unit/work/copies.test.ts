import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countsAsStep, parseStepFacts, toHeld, windowOf, type Step } from '#message/step.ts';
import { Copies } from '#work/copies.ts';
import { Board, listStanding } from '#work/board.ts';
import { freeParts } from '#work/parts.ts';
import { findCopyOf } from '#work/standing-view.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { copiesByHand, originalsByHand } from '../../support/copies-by-hand.ts';
import { boardOf, compareBoards, listWork, replaceSteps } from '../../support/derived-work.ts';
import { aPost, aReply } from '../../support/store/records.ts';
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

describe('near-copies', () => {
  it(`are what the sentences of the documentation say, in ${SEEDS} random orders of texts`, () => {
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
});

const [ANN, BOB, CID] = [{ mark: 'aaaaaaaaaaaa' }, { mark: 'bbbbbbbbbbbb' }, { mark: 'cccccccccccc' }];
const LINES = Array.from({ length: 9 }, (_, n) => `line ${n} of the plan`).join('\n');
const LATER = START + 400 * 24 * 60 * MINUTE_MS;

const labelOf = (board: Board, { id }: NewPost): string | undefined => {
  const copyOf = findCopyOf(board, id);
  return copyOf && `${copyOf.equal} of ${copyOf.of} in ${copyOf.id}`;
};

const ideasOf = (board: Board): string[] => listWork(board, LATER).ideas.map(({ id }) => id);

describe('a thread', () => {
  const older = aPost(`IDEA: wells\n${LINES}`, ANN);
  const copy = aPost(`IDEA: wells again\n${LINES}`, BOB);

  it('is a copy of an older one that is not its own copy, also once that has ended', () => {
    const posts = [
      older,
      copy,
      under(copy, 'hello', CID),
      under(copy, `Trust: ${CID.mark}`, BOB),
      aPost('IDEA: mills', CID),
      under(older, `Ends: ${older.id}`, ANN),
    ];
    const board = boardOf(stepsOf(posts));
    assert.equal(viewpointOfOpener(board.thread(copy.id)!).trusted.size, 2);
    assert.equal(labelOf(board, copy), `9 of 10 in ${older.id}`);
    assert.deepEqual(ideasOf(board), [posts[4]!.id, copy.id]);
    const ids = board.copies.copiesOf(older.id).map(({ id }) => id);
    assert.deepEqual(ids, [copy.id]);
  });

  it('takes what is in it to the end of each list', () => {
    const [mine, other] = [under(copy, 'RESULT: 7 wells', CID), under(older, 'RESULT: 8 wells', CID)];
    const confirms = ({ id }: NewPost, given: object): NewPost =>
      ({ ...aReply(id, 'REVIEW: x\nOutcome: confirmed\nEvidence: counted'), ...given }) as NewPost;
    const open = [under(older, 'WORK: a', CID), under(copy, 'WORK: b', BOB)];
    const posts = [older, copy, other, mine, ...open];
    const before = boardOf(stepsOf(posts));
    const { toReview, working } = listWork(before, START + 60 * MINUTE_MS);
    const ids = [toReview, working].map((list) => list.map(({ id }) => id));
    assert.deepEqual(ids, [[other.id, mine.id], open.map(({ id }) => id)]);
    const reviews = [
      confirms(other, { rootId: older.id, ...ANN }),
      confirms(mine, { rootId: copy.id, ...BOB }),
    ];
    const board = boardOf(stepsOf([...posts, ...reviews]));
    const lists = listWork(board, LATER);
    for (const list of [lists.confirmed, listStanding({ board, lists }, 'confirmed')])
      assert.deepEqual(
        list.map(({ id }) => id),
        [other.id, mine.id],
      );
    assert.deepEqual(
      listStanding({ board: before, lists: listWork(before, LATER) }, 'unreviewed').map(({ id }) => id),
      [other.id, mine.id],
    );
  });

  it('has one original, of which a thousand are copies and a copy of a copy is one', () => {
    const copies = Array.from({ length: 1000 }, (_, n) => aPost(`IDEA: wells of ${n}\n${LINES}`));
    const posts = [older, ...copies];
    const board = boardOf(stepsOf(posts));
    assert.equal(board.copies.copiesOf(older.id).length, 1000);
    for (const one of copies) assert.equal(board.copies.copyOf(one.id)?.id, older.id);
    // Like the copy, and too little like the original.
    const lines = LINES.split('\n');
    const near = aPost(['IDEA: mills', ...lines.slice(0, 8), 'one more line'].join('\n'));
    const third = aPost(['IDEA: mills', ...lines.slice(2, 8), 'one more line', 'and another'].join('\n'));
    const chain = boardOf(stepsOf([older, near, third]));
    assert.equal(chain.copies.copyOf(near.id)?.id, older.id);
    assert.equal(chain.copies.copyOf(third.id)?.id, undefined);
    assert.equal(boardOf(stepsOf([near, third])).copies.copyOf(third.id)?.id, near.id);
  });

  it('has a label that moves nothing if only its first line is that of an older one', () => {
    const [first, same] = [aPost('IDEA: Count the wells\nof the north'), aPost('IDEA: count the wells!')];
    const board = boardOf(stepsOf([first, same, aPost('IDEA: mills of the south')]));
    assert.equal(labelOf(board, same), `0 of 1 in ${first.id}`);
    assert.deepEqual([labelOf(board, first), board.copies.copiesOf(first.id)], [undefined, []]);
    assert.equal(ideasOf(board)[1], same.id);
  });

  it('of three lines is no copy, though all of them are in an older one', () => {
    const text = 'IDEA: count the wells\nof the north\nand of the south';
    const [first, same] = [aPost(text), aPost(text)];
    const board = boardOf(stepsOf([first, same]));
    assert.equal(labelOf(board, same), `0 of 3 in ${first.id}`);
    assert.deepEqual(ideasOf(board), [same.id, first.id]);
  });

  it('without a prefix is compared if it is signed', () => {
    const bare = (given: Partial<NewPost> = {}): NewPost => aPost(`wells again\n${LINES}`, given);
    const [signed, unsigned, result] = [bare(BOB), bare(), aPost(`RESULT: wells\n${LINES}`)];
    const board = boardOf(stepsOf([older, signed, unsigned, result]));
    const copied = [signed, unsigned, result].map((one) => board.copies.copyOf(one.id)?.id);
    assert.deepEqual(copied, [older.id, undefined, undefined]);
  });

  it('counts while reports hold it or its original, and not once the original is erased', () => {
    const steps = stepsOf([older, copy]);
    for (const held of [older, copy]) {
      const board = boardOf(steps.map((step) => (step.id === held.id ? toHeld(step) : step)));
      assert.equal(labelOf(board, copy), `9 of 10 in ${older.id}`);
    }
    assert.equal(labelOf(boardOf(steps.slice(1)), copy), undefined);
  });

  it('is none of a thread of the same key, if its opener shows that', () => {
    const own = aPost(`IDEA: wells again\n${LINES}`, BOB);
    const shows = (given: object, id = older.id): NewPost => ({
      ...under(own, `Same key as: ${id}`, BOB),
      sameKeyAs: [id],
      ...given,
    });
    const second = under(older, 'a second message', ANN);
    const ofStranger = under(older, 'by a stranger', CID);
    const after = (...posts: NewPost[]): Board =>
      boardOf(stepsOf([older, second, ofStranger, own, ...posts]));
    assert.equal(after().copies.isCopy(own.id), true);
    assert.equal(after(under(own, `Same key as: ${older.id}`, BOB)).copies.isCopy(own.id), true);
    assert.equal(after(shows(CID)).copies.isCopy(own.id), true);
    assert.equal(after(shows({}, ofStranger.id)).copies.isCopy(own.id), true);
    for (const board of [after(shows({})), after(shows({}, second.id))]) {
      assert.equal(labelOf(board, own), undefined);
      assert.deepEqual(ideasOf(board), [own.id, older.id]);
    }
  });

  it('has the lines of another one by the newest 100 messages that show one key, of any number', () => {
    const shows = (n: number, id: string): NewPost => under(copy, `more ${n}`, { ...BOB, sameKeyAs: [id] });
    const own = under(older, 'more', BOB);
    const isFreeAfter = (count: number): boolean => {
      const lines = Array.from({ length: count }, (_, n) => shows(n, own.id));
      const opened = { ...older, mark: BOB.mark };
      return !boardOf(stepsOf([opened, copy, own, shows(0, older.id), ...lines])).copies.isCopy(copy.id);
    };
    assert.deepEqual([0, 99].map(isFreeAfter), [true, true]);
    const elsewhere = aPost('IDEA: mills', BOB);
    const lines = Array.from({ length: 100 }, (_, n) => shows(n, elsewhere.id));
    const board = boardOf(
      stepsOf([{ ...older, mark: BOB.mark }, copy, elsewhere, shows(0, older.id), ...lines]),
    );
    assert.equal(board.copies.isCopy(copy.id), true);
  });
});

describe('a RESULT', () => {
  const idea = aPost('IDEA: x', ANN);
  const result = (message: string, given: Partial<NewPost>): NewPost =>
    under(idea, `RESULT: ${message}\n${LINES}`, given);

  it('of a trusted signer is no copy of one of a stranger, who may come first with some lines changed', () => {
    const few = LINES.split('\n').map((line, n) => (n === 4 ? 'line 4 is false' : line));
    const divided = { ...aPost('IDEA: x\nParts: one; two', ANN), id: idea.id, rootId: idea.id };
    const early = under(idea, `RESULT: early\nPart: one\n${few.join('\n')}`, CID);
    const right = result('right\nPart: one', BOB);
    const trusted = under(idea, `Trust: ${BOB.mark}`, ANN);
    const late = result('late', { mark: 'dddddddddddd' });
    const steps = stepsOf([divided, early, right, trusted, late]);
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

  it('is a copy of the oldest one of another writer of its thread, unless it corrects that', () => {
    const [first, own, other] = [result('one', BOB), result('two', BOB), result('three', CID)];
    const corrects = under(idea, `RESULT: four\n${LINES}\nCorrects: ${first.id}`, CID);
    const elsewhere = { ...result('five', CID), rootId: aPost('IDEA: y').id };
    const board = boardOf(stepsOf([idea, first, own, other, corrects, elsewhere]));
    const copied = [first, own, other, corrects, elsewhere].map((one) => findCopyOf(board, one.id)?.id);
    assert.deepEqual(copied, [undefined, undefined, first.id, undefined, undefined]);
  });
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
