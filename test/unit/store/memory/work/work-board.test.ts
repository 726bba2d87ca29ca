import assert from 'node:assert/strict';
import { it } from 'node:test';
import { WorkBoard } from '#store/memory/work/work-board.ts';
import { BEFORE_ALL, toTimeKey, type TimeKey } from '#store/memory/columns/time-key.ts';
import { factsOf } from '#store/memory/post-facts.ts';
import { aPost } from '../../../../support/store/records.ts';

const START_MS = Date.parse('2026-11-21T00:00:00.000Z');
const COUNT = 1000;
/** Posts that the lists look up for one write, far fewer than `COUNT`. */
const MAX_LOOK_UPS = 100;

/** A board of posts that take up nothing, with the number of posts that it looks up for one write. */
function boardOf(): {
  board: WorkBoard;
  add: (message: string) => number;
  hide: (n: number) => number;
} {
  const posts: { prefix: string | null; time: TimeKey; hidden: boolean }[] = [];
  let lookUps = 0;
  const look = (post: number): (typeof posts)[number] | undefined => {
    lookUps += 1;
    return posts[post];
  };
  const board = new WorkBoard({
    prefixOf: (post) => look(post)?.prefix ?? null,
    timeOf: (post) => look(post)?.time ?? BEFORE_ALL,
    isThere: (post) => look(post) !== undefined,
    isVisible: (post) => look(post)?.hidden === false,
    rootOf: () => COUNT * 2,
    forEachReference: () => undefined,
    visibleTakers: () => [],
    takerOf: () => -1,
  });
  board.advance(START_MS);
  const counting = (action: () => void): number => {
    lookUps = 0;
    action();
    return lookUps;
  };
  return {
    board,
    add: (message) =>
      counting(() => {
        const createdAt = `${new Date(START_MS + posts.length).toISOString().slice(0, -1)}000Z`;
        const record = { ...aPost(message, { name: 'one name', rootId: 'post_root' }), createdAt };
        const number = posts.push({ prefix: record.prefix, time: toTimeKey(createdAt), hidden: false }) - 1;
        board.arrive(number, factsOf(record));
        board.update(number, 1);
      }),
    hide: (number) =>
      counting(() => {
        posts[number]!.hidden = true;
        board.update(number, -1);
      }),
  };
}

it('a WORK or RESULT looks up few posts in a thread with many RESULTs of its name, also when it is hidden', () => {
  const { board, add, hide } = boardOf();
  add('WORK: x');
  for (let n = 0; n < COUNT; n++) add('RESULT: half\nNext update by: 2026-11-25');
  assert.ok(add('WORK: y') < MAX_LOOK_UPS);
  assert.ok(hide(COUNT) < MAX_LOOK_UPS);
  assert.equal(board.counts().counts.working, 2);
});

it('a RESULT looks up few posts in a thread with many WORKs of its name that another RESULT has ended', () => {
  const { board, add } = boardOf();
  for (let n = 0; n < COUNT; n++) add('WORK: x');
  add('RESULT: x');
  assert.equal(board.counts().counts.working, 0);
  assert.ok(add('RESULT: y') < MAX_LOOK_UPS);
  assert.ok(add('RESULT: half\nNext update by: 2026-11-25') < MAX_LOOK_UPS);
  add('WORK: z');
  assert.ok(add('RESULT: z') < MAX_LOOK_UPS);
  assert.equal(board.counts().counts.working, 0);
});
