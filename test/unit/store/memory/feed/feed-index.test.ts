import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { TextBudget } from '#message/text-budget.ts';
import { hashWord } from '#store/engine/word-hash.ts';
import { FeedIndex, type FeedSlice } from '#store/memory/feed/feed-index.ts';
import { FeedSearch } from '#store/memory/feed-search.ts';
import { toTimeKey } from '#store/memory/columns/time-key.ts';
import type { FeedFilter, FeedRange, Post } from '#store/port/store.ts';
import { holdsWords } from '#message/words.ts';
import { aPost } from '../../../../support/store/records.ts';

const BLOCK_SIZE = 32;
const VOCABULARY = 'alder birch cedar elm fir hazel larch maple oak pine'.split(' ');

const stamp = (minute: number): string =>
  `2026-11-21T${new Date(minute * 60_000).toISOString().slice(11, 19)}.000000Z`;

/** A post of two words that its number determines. */
function entry(minute: number, hidden = false): IndexedPost {
  const message = `${VOCABULARY[minute % 10]!} ${VOCABULARY[(minute * 7) % 10]!} ${minute % 3 === 0 ? 'third' : ''}`;
  return {
    record: { ...aPost(message), prefix: minute % 5 === 0 ? 'IDEA' : null, createdAt: stamp(minute) },
    hidden,
  };
}

const SEED = 7;

/** A post as a test sees it. */
interface IndexedPost {
  readonly record: Post;
  readonly hidden: boolean;
}

/** An index of posts that the test gives it. */
class PostIndex extends FeedIndex {
  readonly #posts: IndexedPost[];
  readonly #erased: Set<IndexedPost>;

  constructor(options: ConstructorParameters<typeof FeedIndex>[1] = {}) {
    const posts: IndexedPost[] = [];
    const erased = new Set<IndexedPost>();
    const postAt = (number: number): IndexedPost => posts[number]!;
    super(
      {
        idOf: (post) => postAt(post).record.id,
        timeOf: (post) => toTimeKey(postAt(post).record.createdAt),
        isVisible: (post) => !postAt(post).hidden && !erased.has(postAt(post)),
        prefixOf: (post) => postAt(post).record.prefix,
        isFirst: (post) => postAt(post).record.parentId === null,
        textsOf: (post) => {
          this.reads += 1;
          return erased.has(postAt(post)) ? undefined : postAt(post).record;
        },
      },
      { maxPosts: BLOCK_SIZE, ...options },
    );
    this.#posts = posts;
    this.#erased = erased;
  }

  /** How many texts were read. */
  reads = 0;

  addPost(post: IndexedPost, texts?: Post): void {
    this.add(this.#posts.push(post) - 1, texts);
  }

  erasePost(post: IndexedPost): void {
    this.remove(this.#posts.indexOf(post));
    this.#erased.add(post);
  }

  /** @returns the timestamps of posts that a search found */
  stampsOf(ids: readonly string[]): string[] {
    return ids.map((id) => this.#posts.find(({ record }) => record.id === id)!.record.createdAt);
  }
}

const createIndex = (seed = SEED): PostIndex => new PostIndex({ seed });

const hash = (word: string): number => hashWord(word, SEED) >>> 0;

/** One slice of a search. */
const searchSlice = (index: PostIndex, filter: FeedFilter, range: FeedRange): FeedSlice =>
  index.search(filter, range, new TextBudget());

const build = (index: PostIndex): void => {
  while (index.advance(() => false));
};

/** @returns the timestamps of all pages, each block that needs words built by the way */
function searchAll(index: PostIndex, filter: FeedFilter, limit: number, maxCandidates = 20_000): string[] {
  const found: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = searchSlice(index, filter, { before, limit, maxCandidates });
    found.push(...index.stampsOf(page.posts));
    if (page.unbuilt !== undefined) index.build(page.unbuilt, () => false);
    if (page.examinedTo === null) return found;
    before = page.examinedTo;
  }
}

const expected = (entries: readonly IndexedPost[], { words = [], prefix }: FeedFilter): string[] =>
  entries
    .filter(
      ({ record, hidden }) =>
        !hidden && holdsWords(record, words) && (prefix === undefined || record.prefix === prefix),
    )
    .map(({ record }) => record.createdAt)
    .sort()
    .reverse();

const FILTERS: FeedFilter[] = [
  { words: ['oak'] },
  { words: ['oak', 'third'] },
  { words: ['third'], prefix: 'IDEA' },
  { prefix: 'IDEA' },
  { words: ['nowhere'] },
  {},
];

function assertFindsAll(index: PostIndex, entries: readonly IndexedPost[]): void {
  for (const filter of FILTERS)
    for (const [limit, maxCandidates] of [
      [1, 20_000],
      [7, 20_000],
      [100, 20_000],
      [5, 1],
      [5, 9],
    ] as const)
      assert.deepEqual(
        searchAll(index, filter, limit, maxCandidates),
        expected(entries, filter),
        JSON.stringify(filter),
      );
}

it('a search goes through full, growing and unbuilt blocks', () => {
  for (const count of [0, 1, BLOCK_SIZE, BLOCK_SIZE + 1, 150]) {
    const index = createIndex();
    const entries = Array.from({ length: count }, (_, minute) => entry(minute, minute % 11 === 0));
    for (const one of entries) index.addPost(one);
    assertFindsAll(index, entries);
    build(index);
    assertFindsAll(index, entries);
  }
});

it('posts that arrive in any order are found in the order of time, in blocks of any age', () => {
  const index = createIndex();
  const entries: IndexedPost[] = [];
  for (let number = 0; number < 150; number++) {
    // The first 40 in order, then a stretch of old ones, then all mixed.
    const minute = number < 40 ? 500 + number : number < 80 ? number : ((number * 37) % 400) + 80;
    const one = entry(minute);
    entries.push(one);
    index.addPost(one);
    if (number % 29 === 0) assertFindsAll(index, entries);
  }
  build(index);
  assertFindsAll(index, entries);
});

it('an erased post is found no more, whatever order the posts arrived in', () => {
  for (const isBuilt of [true, false]) {
    for (const step of [1, 37]) {
      const index = createIndex();
      const entries = Array.from({ length: 80 }, (_, number) => entry((number * step) % 80));
      for (const one of entries) index.addPost(one);
      if (isBuilt) build(index);
      const left = entries.filter((one, number) => {
        if (number % 4 === 0) index.erasePost(one);
        return number % 4 !== 0;
      });
      assertFindsAll(index, left);
      build(index);
      assertFindsAll(index, left);
      const again = entry(90);
      index.addPost(again);
      assertFindsAll(index, [...left, again]);
    }
  }
});

it('the words of an erased post leave its block in the background', () => {
  for (const [count, isPacked] of [
    [BLOCK_SIZE + 1, true],
    [BLOCK_SIZE + 1, false],
    [BLOCK_SIZE, false],
    [3, false],
  ] as const) {
    const index = createIndex();
    const secret = { record: { ...aPost('a zebrafish, an oak'), createdAt: stamp(9) }, hidden: false };
    index.addPost(secret);
    for (let minute = 10; minute < 9 + count; minute++) index.addPost(entry(minute));
    const range = { before: stamp(10), limit: 9, maxCandidates: 99 };
    const block = searchSlice(index, { words: ['oak'] }, range).unbuilt!;
    if (isPacked) build(index);
    else index.build(block, () => false);
    const holds = (word: string): boolean =>
      block.lists([hash(word)], {}).every((list) => list.floor(BLOCK_SIZE) >= 0);
    assert.deepEqual([holds('zebrafish'), holds('pilchard')], [true, false]);
    index.erasePost(secret);
    assert.deepEqual(searchAll(index, { words: ['zebrafish'] }, 9), []);
    build(index);
    assert.deepEqual([holds('zebrafish'), holds('birch')], [false, true]);
  }
});

/** A post of 30 words, the first of which no other post has. */
const longEntry = (minute: number): IndexedPost => {
  const words = Array.from({ length: 28 }, (_, n) => `w${(minute * 7 + n * 3) % 90}`);
  return { record: { ...aPost(`own${minute} ${words.join(' ')}`), createdAt: stamp(minute) }, hidden: false };
};

it('a block ends at a number of words, whether they are added with the posts or later', () => {
  for (const isInHand of [true, false]) {
    const index = new PostIndex({ maxWords: 90, seed: SEED });
    const entries = Array.from({ length: 20 }, (_, minute) => longEntry(minute));
    for (const one of entries) {
      index.addPost(one, isInHand ? one.record : undefined);
      if (isInHand) build(index);
    }
    const sizes: number[] = [];
    // Each step adds the words of one block at most.
    for (let reads = 0; index.advance(() => false); reads = index.reads)
      if (index.reads > reads) sizes.push(index.reads - reads);
    if (!isInHand) assert.deepEqual(sizes, [3, 3, 3, 3, 3, 3, 2]);
    // A word that occurs nowhere costs five candidates for each block.
    const { candidates } = searchSlice(index, { words: ['nowhere'] }, { limit: 9, maxCandidates: 99 });
    assert.equal(99 - candidates, 5 * 7);
    for (let minute = 0; minute < 20; minute++)
      assert.deepEqual(searchAll(index, { words: [`own${minute}`] }, 9), [stamp(minute)]);
    assert.deepEqual(
      searchAll(index, { words: ['w3'] }, 4),
      entries
        .filter(({ record }) => holdsWords(record, ['w3']))
        .map(({ record }) => record.createdAt)
        .toReversed(),
    );
  }
});

it('the words of a post are added with it, without a read, once those before it are there', () => {
  const index = createIndex();
  const add = (minute: number): void => {
    const one = entry(minute);
    index.addPost(one, one.record);
  };
  add(0);
  add(1);
  assert.equal(index.reads, 0);
  assert.notEqual(searchSlice(index, { words: ['oak'] }, { limit: 9, maxCandidates: 99 }).unbuilt, undefined);
  build(index);
  assert.equal(index.reads, 2);
  for (let minute = 2; minute < 3 * BLOCK_SIZE; minute++) add(minute);
  assert.equal(searchSlice(index, { words: ['nowhere'] }, { limit: 9, maxCandidates: 99 }).examinedTo, null);
  assert.equal(index.reads, 2);
  index.addPost(entry(3 * BLOCK_SIZE));
  add(3 * BLOCK_SIZE + 1);
  build(index);
  assert.equal(index.reads, 4);
});

it('every word of a query narrows the candidates, however many there are', () => {
  const index = createIndex();
  const words = Array.from({ length: 12 }, (_, n) => `word${n}`);
  for (let minute = 0; minute < 30; minute++) {
    const message = words.filter((_, n) => minute === 0 || n !== minute % 12).join(' ');
    index.addPost({ record: { ...aPost(message), createdAt: stamp(minute) }, hidden: false });
  }
  build(index);
  const { posts, examinedTo } = searchSlice(index, { words }, { limit: 1, maxCandidates: 100 });
  assert.deepEqual([posts.length, examinedTo], [1, stamp(0)]);
  const texts = new TextBudget();
  let compared = 0;
  texts.holdsWords = () => ++compared > 0;
  index.search({ words }, { limit: 9, maxCandidates: 1000 }, texts);
  assert.equal(compared, 1);
});

it('words that share a hash do so in one index only', () => {
  const [stored, wanted] = ['w4v9', 'w1h0b'];
  assert.equal(hashWord(stored) >>> 0, hashWord(wanted) >>> 0);
  const candidatesIn = (index: PostIndex): number => {
    for (let minute = 0; minute < 30; minute++)
      index.addPost({ record: { ...aPost(stored), createdAt: stamp(minute) }, hidden: false });
    build(index);
    const { posts, candidates } = searchSlice(index, { words: [wanted] }, { limit: 9, maxCandidates: 100 });
    assert.deepEqual(posts, []);
    return 100 - candidates;
  };
  assert.ok(candidatesIn(createIndex(0)) >= 30);
  assert.ok(candidatesIn(createIndex(SEED)) < 9);
  assert.ok(candidatesIn(new PostIndex()) < 9);
});

/** Posts with as much text as the service takes. */
function addLongPosts(index: PostIndex, count: number): void {
  for (let minute = 0; minute < count; minute++)
    index.addPost({
      record: { ...aPost(`${'x '.repeat(3990)}oak`), createdAt: stamp(minute) },
      hidden: false,
    });
  build(index);
}

it('a search of long texts ends its page early, and the pages hold all that matches', async () => {
  const index = createIndex();
  addLongPosts(index, 140);
  const search = new FeedSearch(() => index);
  const found: string[] = [];
  let pages = 0;
  for (let before: string | undefined; ; pages++) {
    const range = { before, limit: 1000, maxCandidates: 20_000 };
    const { posts, examinedTo } = await search.search({ words: ['oak'] }, range, async () => index);
    found.push(...index.stampsOf(posts));
    if (examinedTo === null) break;
    before = examinedTo;
  }
  search.stop();
  assert.equal(pages, 1);
  assert.deepEqual(
    found,
    Array.from({ length: 140 }, (_, minute) => stamp(139 - minute)),
  );
});

it('the event loop turns after each slice of a search, whoever else searches', async () => {
  const index = createIndex();
  addLongPosts(index, 40);
  const search = new FeedSearch(() => index);
  let turn = 0;
  const turns: number[] = [];
  const count = (): void => {
    turn += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const searchOnce = (): Promise<unknown> =>
    search.search({ words: ['oak'] }, { limit: 99, maxCandidates: 20_000 }, async () => {
      turns.push(turn);
      return index;
    });
  await Promise.all([searchOnce(), searchOnce(), searchOnce()]);
  clearImmediate(counting);
  search.stop();
  // Each of the three has read five texts in its first slice.
  assert.deepEqual(turns.slice(0, 3), [0, 0, 0]);
  assert.equal(new Set(turns.slice(2)).size, turns.length - 2);
  assert.equal(turns.length, 3 * 8);
});

it('looking for words in a block and reading their lists count as candidates', () => {
  const index = new PostIndex({ maxPosts: 1024, seed: SEED });
  for (let minute = 0; minute < 1025; minute++)
    index.addPost({ record: { ...aPost('oak'), createdAt: stamp(minute) }, hidden: false });
  build(index);
  const used = (filter: FeedFilter): number => {
    const range = { before: stamp(1024), limit: 1, maxCandidates: 100 };
    return 100 - searchSlice(index, filter, range).candidates;
  };
  assert.ok(used({ words: ['oak'] }) >= 1024 / 64);
  assert.ok(used({ words: ['oak'], threads: true }) >= (2 * 1024) / 64);
  assert.ok(used({ prefix: 'IDEA' }) >= 1024 / 64);
  assert.ok(used({ words: ['nowhere'] }) < 9);
});

/** Slices of building end after one post. */
function slowDown(t: TestContext): void {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 1000));
}

it('a search adds words for some slices, then ends its page; later calls go on', async (t) => {
  slowDown(t);
  const index = createIndex();
  for (let minute = 0; minute < 3 * BLOCK_SIZE; minute++) index.addPost(entry(minute));
  const search = new FeedSearch(() => index);
  const filter = { words: ['nowhere'] };
  const range = { limit: 9, maxCandidates: 999 };
  const [first, second] = [
    await search.search(filter, range, async () => index),
    await search.search(filter, range, async () => index),
  ];
  search.stop();
  // The two newest blocks.
  assert.equal(first.examinedTo, stamp(BLOCK_SIZE - 1).replace('.000000', '.000001'));
  assert.equal(index.reads, 3 * BLOCK_SIZE);
  assert.equal(second.examinedTo, null);
});

it('searches that wait for words share the slices, and the event loop turns after each', async (t) => {
  slowDown(t);
  const index = createIndex();
  for (let minute = 0; minute < 3 * BLOCK_SIZE; minute++) index.addPost(entry(minute));
  const search = new FeedSearch(() => index);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const pages = await Promise.all(
    [3, 2, 1].map((blocks) => {
      const range = { before: stamp(blocks * BLOCK_SIZE), limit: 9, maxCandidates: 999 };
      return search.search({ words: ['nowhere'] }, range, async () => index);
    }),
  );
  clearImmediate(counting);
  search.stop();
  assert.deepEqual(
    pages.map(({ examinedTo }) => examinedTo),
    [null, null, null],
  );
  assert.equal(index.reads, 3 * BLOCK_SIZE);
  assert.ok(turns >= index.reads - 3, `${turns}`);
});

it('a search whose index is replaced goes on in the new one', async (t) => {
  slowDown(t);
  const [old, replacing] = [createIndex(), createIndex()];
  let current = old;
  for (let minute = 0; minute < BLOCK_SIZE; minute++)
    for (const index of [old, replacing]) index.addPost(entry(minute));
  const search = new FeedSearch(() => current);
  setImmediate(() => (current = replacing));
  const { posts, examinedTo } = await search.search(
    { words: ['oak'] },
    { limit: 99, maxCandidates: 999 },
    async () => current,
  );
  search.stop();
  assert.ok(posts.length > 0 && examinedTo === null);
  assert.ok(old.reads < BLOCK_SIZE);
});

it('a search adds words, and leaves packing to the background', () => {
  const index = createIndex();
  for (let minute = 0; minute < 2 * BLOCK_SIZE; minute++) index.addPost(entry(minute));
  searchAll(index, { words: ['nowhere'] }, 9);
  const before = index.bytes;
  // Two steps of sorting, and the table.
  for (let step = 0; step < 3; step++) {
    assertFindsAll(
      index,
      Array.from({ length: 2 * BLOCK_SIZE }, (_, minute) => entry(minute)),
    );
    assert.ok(index.advance(() => false));
  }
  assert.ok(!index.advance(() => false));
  assert.ok(index.bytes < before);
});

/** Lets ten seconds pass. */
function pass(t: TestContext): void {
  for (let second = 0; second < 10; second++) t.mock.timers.tick(1000);
}

it('the background adds the words of all posts, and those of later posts', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // No slice ends before its block has all words.
  t.mock.method(performance, 'now', () => 0);
  const index = createIndex();
  for (let minute = 0; minute < 100; minute++) index.addPost(entry(minute));
  const search = new FeedSearch(() => index);
  pass(t);
  assert.equal(index.reads, 0);
  search.start();
  pass(t);
  assert.equal(index.reads, 100);
  index.addPost(entry(100));
  pass(t);
  assert.equal(index.reads, 101);
  search.stop();
  index.addPost(entry(101));
  pass(t);
  assert.equal(index.reads, 101);
});
