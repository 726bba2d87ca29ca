import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsAsStep, parseStepFacts, toHeld, windowOf, type Step } from '#message/step.ts';
import type { Item } from '#store/folder/item.ts';
import { StepList } from '#store/folder/step-list.ts';
import type { Post } from '#store/port/records.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

const COUNT = 250;

const PREFIXES = ['IDEA', 'WORK', 'RESULT', null];

const idOf = (n: number): string => `post_${String(n).padStart(6, '0')}`;

/** Posts of one list, by the number that their ids and times begin with. */
class Posts {
  readonly list: StepList;
  /** Oldest first. */
  readonly all: { readonly post: Post; readonly item: Item; status: 'shown' | 'held' | 'hidden' }[] = [];
  /** How many texts each call has read. */
  readonly reads: number[] = [];

  constructor(list: StepList) {
    this.list = list;
  }

  add(n: number, prefix: string | null): void {
    const id = idOf(n);
    const signed = prefix === null && { mark: '0123456789ab' };
    const text = { id, message: `${prefix}: ${n}`, prefix, parentId: null, createdAt: id, rootId: id };
    const post: Post = { ...text, ...signed };
    const item = { ...post, mark: null, isHidden: false, root: null } as unknown as Item;
    this.all.push({ post, item, status: 'shown' });
    this.all.sort((a, b) => (a.post.id < b.post.id ? -1 : 1));
    this.list.add(item, post);
    this.list.place(item, post);
  }

  /** @returns the same posts in a list that gets them as at the start of a process */
  inNewList(list: StepList): Posts {
    const posts = new Posts(list);
    for (const one of this.all) {
      posts.all.push(one);
      list.add(one.item, one.post);
      list.update(one.item, one.status === 'held', false);
      list.place(one.item);
    }
    return posts;
  }

  has(n: number): boolean {
    return this.all.some(({ post }) => post.id === idOf(n));
  }

  moderate(index: number, status: 'shown' | 'held' | 'hidden'): void {
    const one = this.all[index]!;
    one.status = status;
    one.item.isHidden = status !== 'shown';
    this.list.update(one.item, status === 'held', true);
  }

  read(): Promise<readonly Step[]> {
    return this.list.read((wanted) => {
      this.reads.push(wanted.length);
      return wanted.map(({ id }) => this.all.find(({ post }) => post.id === id)!.post);
    });
  }

  byHand(): Step[] {
    const listed = this.all.filter(({ status }) => status !== 'hidden');
    return listed.map(({ post, status }) => {
      const { id, prefix, parentId, rootId, createdAt } = post;
      const step = { id, prefix, parentId, rootId, createdAt, ...parseStepFacts(post)! };
      return status === 'held' ? toHeld(step) : step;
    });
  }
}

test('the texts of the steps are read ten at once, each once, the newest first', async () => {
  const list = new StepList();
  const posts = new Posts(list);
  for (let n = 0; n < COUNT; n++) posts.add(n, 'IDEA');
  assert.equal(list.knownSteps, undefined);
  assert.deepEqual(await posts.read(), posts.byHand());
  const read = posts.reads.filter((count) => count > 0);
  assert.deepEqual(read, new Array<number>(COUNT / 10).fill(10));
});

test('a step that is hidden costs no read but that of the step in its place, one that is shown its own', async () => {
  const window = { steps: 120, all: 240 };
  const list = new StepList(window);
  const posts = new Posts(list);
  for (let n = 0; n < COUNT; n++) posts.add(n, 'IDEA');
  await posts.read();
  posts.reads.length = 0;
  for (const status of ['held', 'hidden', 'shown'] as const) {
    posts.moderate(COUNT - 9, status);
    assert.equal((await posts.read()).length >= window.steps, true);
  }
  assert.deepEqual(posts.reads, [10, 1]);
});

test('a list that forgets its oldest steps while it reads others has no gap', async () => {
  const list = new StepList({ steps: 2, all: 4 });
  const posts = new Posts(list);
  for (let n = 0; n < 6; n++) posts.add(n, 'IDEA');
  await posts.read();
  for (const index of [0, 1]) posts.moderate(index, 'hidden');
  for (const n of [6, 7]) posts.add(n, 'IDEA');
  for (const index of [0, 1]) posts.moderate(index, 'shown');
  assert.deepEqual(await posts.read(), posts.byHand().slice(-2));
  posts.moderate(7, 'hidden');
  assert.deepEqual(await posts.read(), posts.byHand());
});

for (const seed of [1, 2, 3]) {
  test(`a list of which random steps come and go has those of a window, seed ${seed}`, async () => {
    const random = new SeededRandom(seed);
    const window = { steps: 20, all: 40 };
    const list = new StepList(window);
    const posts = new Posts(list);
    const numbers = Array.from({ length: 2000 }, (_, n) => n);
    for (const n of numbers.splice(0, 100)) posts.add(2 * n, PREFIXES[random.below(4)]!);
    let before: { readonly steps: readonly Step[]; readonly copy: readonly Step[] } | undefined;
    for (let round = 0; round < 300; round++) {
      let isGrowing = true;
      // Now and then many, so that the list forgets its oldest while some are not read.
      for (let n = random.below(random.below(4) === 0 ? 30 : 3); n >= 0; n--) {
        const what = random.below(8);
        if (what < 4) {
          posts.add(2 * numbers.shift()!, PREFIXES[what]!);
          continue;
        }
        isGrowing = false;
        const index = Math.max(0, posts.all.length - 1 - random.below(60));
        const between = Number(posts.all[index]!.post.id.slice('post_'.length)) + 1;
        if (what > 4) posts.moderate(index, (['shown', 'held', 'hidden'] as const)[random.below(3)]!);
        else if (between % 2 === 1 && !posts.has(between)) posts.add(between, 'WORK');
      }
      if (random.below(3) === 0) {
        before = undefined;
        continue;
      }
      const steps = await posts.read();
      assert.equal(list.knownSteps, steps);
      const all = posts.byHand();
      assert.deepEqual(steps, all.slice(all.length - steps.length), `after round ${round}`);
      const inWindow = windowOf(all, countsAsStep, window);
      assert.ok(steps.length >= inWindow.length && steps.length <= window.all + window.steps);
      if (round % 8 === 0) {
        const fresh = await posts.inNewList(new StepList(window)).read();
        assert.deepEqual(windowOf(fresh, countsAsStep, window), inWindow, `after round ${round}`);
      }
      if (before !== undefined) {
        assert.deepEqual(before.steps.slice(0, before.copy.length), before.copy);
        const isFull = before.steps.length > window.all + window.steps;
        if (isGrowing) assert.ok(steps === before.steps || isFull);
      }
      before = { steps, copy: [...steps] };
    }
  });
}
