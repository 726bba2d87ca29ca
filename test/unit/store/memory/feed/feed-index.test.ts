import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { TextBudget } from '#store/engine/text-budget.ts';
import { hashWord } from '#store/engine/word-hash.ts';
import { FeedIndex, type FeedSlice } from '#store/memory/feed/feed-index.ts';
import { FeedSearch } from '#store/memory/feed/feed-search.ts';
import { toTimeKey } from '#store/memory/columns/time-key.ts';
import type { FeedFilter, FeedRange, Post } from '#store/store.ts';
import { holdsWords } from '#store/words.ts';
import { aPost } from '../../../../support/store/records.ts';

const SEGMENT_SIZE = 32;
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

  constructor({ segmentSize = SEGMENT_SIZE, seed }: { segmentSize?: number; seed?: number } = {}) {
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
        textsOf: (post) => (erased.has(postAt(post)) ? undefined : postAt(post).record),
      },
      seed === undefined ? { segmentSize } : { segmentSize, seed },
    );
    this.#posts = posts;
    this.#erased = erased;
  }

  addPost(post: IndexedPost): void {
    this.add(this.#posts.push(post) - 1);
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

/** One slice of a search that builds nothing by itself. */
const searchSlice = (index: PostIndex, filter: FeedFilter, range: FeedRange): FeedSlice =>
  index.search(filter, range, new TextBudget(), () => true);

const build = (index: PostIndex): void => {
  for (let segment = index.unfinished(); segment !== undefined; segment = index.unfinished())
    segment.buildAndFreeze(() => false);
};

/** @returns the timestamps of all pages, each segment that is missing built by the way */
function searchAll(index: PostIndex, filter: FeedFilter, limit: number, maxCandidates = 20_000): string[] {
  const found: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = searchSlice(index, filter, { before, limit, maxCandidates });
    found.push(...index.stampsOf(page.posts));
    page.unbuilt?.build(() => false);
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

it('a search goes through full, growing and unbuilt segments', () => {
  for (const count of [0, 1, SEGMENT_SIZE, SEGMENT_SIZE + 1, 150]) {
    const index = createIndex();
    const entries = Array.from({ length: count }, (_, minute) => entry(minute, minute % 11 === 0));
    for (const one of entries) index.addPost(one);
    assertFindsAll(index, entries);
    build(index);
    assertFindsAll(index, entries);
  }
});

it('posts that arrive in any order are found in the order of time, across segments too', () => {
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

it('the words of an erased post leave the table of its segment in the background', () => {
  for (const [count, isFrozen] of [
    [SEGMENT_SIZE, true],
    [SEGMENT_SIZE, false],
    [SEGMENT_SIZE - 3, false],
  ] as const) {
    const index = createIndex();
    const secret = { record: { ...aPost('a zebrafish, an oak'), createdAt: stamp(9) }, hidden: false };
    for (let minute = 10; minute < 9 + count; minute++) index.addPost(entry(minute));
    index.addPost(secret);
    const segment = index.unfinished()!;
    if (isFrozen) build(index);
    else segment.build(() => false);
    const holds = (word: string): boolean => segment.intersection([hash(word)], undefined) !== undefined;
    assert.deepEqual(searchAll(index, { words: ['zebrafish'] }, 9), [stamp(9)]);
    assert.ok(holds('zebrafish'));
    index.erasePost(secret);
    assert.deepEqual(searchAll(index, { words: ['zebrafish'] }, 9), []);
    assert.notEqual(index.unfinished(), undefined);
    build(index);
    assert.ok(!holds('zebrafish') && holds('oak'));
  }
});

it('a search that meets an unbuilt segment builds that one, and goes on in the next call', async () => {
  const index = createIndex();
  const entries = Array.from({ length: 3 * SEGMENT_SIZE }, (_, minute) => entry(minute));
  for (const one of entries) index.addPost(one);
  const search = new FeedSearch(() => index);
  const fresh = async (): Promise<PostIndex> => index;
  const filter = { words: ['nowhere'] };
  let { examinedTo } = await search.search(filter, { limit: 9, maxCandidates: 99 }, fresh);
  for (let call = 1; examinedTo !== null; call++) {
    ({ examinedTo } = await search.search(
      filter,
      { before: examinedTo, limit: 9, maxCandidates: 99 },
      fresh,
    ));
    assert.ok(call < 5);
  }
  search.stop();
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
  index.search({ words }, { limit: 9, maxCandidates: 1000 }, texts, () => true);
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
  assert.equal(candidatesIn(createIndex(0)), 30);
  assert.equal(candidatesIn(createIndex(SEED)), 1);
  assert.equal(candidatesIn(new PostIndex()), 1);
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

it('putting the posts of a word in the order of time counts as candidates, in every search', () => {
  const index = new PostIndex({ segmentSize: 1024, seed: SEED });
  for (let minute = 0; minute < 1000; minute++)
    index.addPost({ record: { ...aPost('oak'), createdAt: stamp((minute * 7) % 1000) }, hidden: false });
  build(index);
  for (let search = 0; search < 2; search++) {
    const slice = searchSlice(index, { words: ['oak'] }, { limit: 1, maxCandidates: 100 });
    assert.deepEqual([slice.posts.length, slice.examinedTo], [1, stamp(999)]);
    assert.ok(slice.candidates < 100 - 1000 / 16);
  }
});

/** Slices of building end after one post. */
function slowDown(t: TestContext): void {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 1000));
}

it('searches that meet several unbuilt segments at once get one built each', async (t) => {
  slowDown(t);
  const index = createIndex();
  for (let minute = 0; minute < 3 * SEGMENT_SIZE; minute++) index.addPost(entry(minute));
  const search = new FeedSearch(() => index);
  const filter = { words: ['nowhere'] };
  const pages = await Promise.all(
    [3, 2, 1].map((segments) =>
      search.search(
        filter,
        { before: stamp(segments * SEGMENT_SIZE), limit: 9, maxCandidates: 99 },
        async () => index,
      ),
    ),
  );
  search.stop();
  // The second and the third one find the segments before built by the first.
  for (const { examinedTo } of pages) assert.ok(examinedTo === null || examinedTo < stamp(2 * SEGMENT_SIZE));
  assert.equal(pages[2]?.examinedTo, null);
});

it('a search whose index is replaced stops building it, and searches the new one', async (t) => {
  slowDown(t);
  const [old, replacing] = [createIndex(), createIndex()];
  let current = old;
  for (let minute = 0; minute < SEGMENT_SIZE; minute++)
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
  assert.equal(old.unfinished()?.isBuilt, false);
});

it('a search builds words, and leaves freezing to the background', () => {
  const index = createIndex();
  for (let minute = 0; minute < SEGMENT_SIZE; minute++) index.addPost(entry(minute));
  const range = { limit: 9, maxCandidates: 99 };
  index.search({ words: ['oak'] }, range, new TextBudget(), () => false);
  const segment = index.unfinished();
  assert.ok(segment?.isBuilt);
  build(index);
  assert.ok(segment.isFinished);
});

/** Lets ten seconds pass. */
function pass(t: TestContext): void {
  for (let second = 0; second < 10; second++) t.mock.timers.tick(1000);
}

it('the background builds all words, and those of later posts', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const index = createIndex();
  for (let minute = 0; minute < 100; minute++) index.addPost(entry(minute));
  const search = new FeedSearch(() => index);
  pass(t);
  assert.notEqual(index.unfinished(), undefined);
  search.start();
  pass(t);
  assert.equal(index.unfinished(), undefined);
  index.addPost(entry(100));
  pass(t);
  assert.equal(index.unfinished(), undefined);
  search.stop();
  index.addPost(entry(101));
  pass(t);
  assert.notEqual(index.unfinished(), undefined);
});
