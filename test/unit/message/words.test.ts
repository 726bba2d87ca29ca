import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  compareWords,
  entriesOf,
  entryOf,
  matchesWord,
  queryAlternatives,
  queryWordsOf,
  TextBudget,
  wordsOf,
} from '#message/words.ts';

const holdsWords = (...asked: Parameters<typeof compareWords>): boolean => compareWords(...asked).holdsAll;

const ROOT = 'post_019c9a31-6400-7000-8000-000000000001';
const PARENT = 'post_019c9a31-6400-7000-8000-00000000000A';

/** The words of a text, each of them in brackets. */
const words = (message: string): string =>
  [...wordsOf({ message, parentId: null, rootId: 'root' })].filter((word) => word !== 'root').join(' ');

const TABLE: [rule: string, text: string, words: string][] = [
  [
    'punctuation and blanks separate words',
    'One, two;three\n(four)_five-six!',
    'one two three four five six',
  ],
  ['an apostrophe is punctuation', "don't", 'don t'],
  ['a word counts once', 'a A á a', 'a'],
  ['digits are part of a word', 'v2 x² 10.5 ½', 'v2 x2 10 5 1 2'],
  ['case does not count', 'ÀÉÎ ΟΔΟΣ οδος Straße İ', 'aei οδοσ strasse i'],
  ['width does not count', 'ＡＢＣ ｶﾞ ﬁn', 'abc ガ fin'],
  ['accents do not count, composed or not', 'café cafe\u0301 Ångström й', 'cafe angstrom и'],
  ['marks of other blocks are part of a word', 'नमस्ते שָׁלוֹם', 'नमस्ते שָׁלוֹם'.normalize('NFC')],
  ['Han gives characters and pairs', '東京都', '東 京 東京 都 京都'],
  ['one character of Han has no pair', '水', '水'],
  ['kana with its marks is one character', 'がギー々', 'が ギ がギ ー ギー 々 ー々'],
  ['Hangul syllables stay whole', '한국 어', '한 국 한국 어'],
  ['Thai', 'ไทย', 'ไ ท ไท ย ทย'],
  ['Lao, Khmer and Myanmar', 'ລາວ ខ្ញ မြ', 'ລ າ ລາ ວ າວ ខ ្ ខ្ ញ ្ញ မ ြ မြ'],
  ['a run ends at a letter of another script', 'AI時代v2', 'ai 時 代 時代 v2'],
  ['characters beyond the first plane', '\u{20000}\u{20001}', '\u{20000} \u{20001} \u{20000}\u{20001}'],
  [
    'a variation selector is nothing',
    '東\u{FE00}京 語\u{E0101} a\u{FE0F}b \u{1820}\u{180B}',
    '東 京 東京 語 ab \u{1820}',
  ],
  ['the frame of a keycap is nothing', '1\u{FE0F}\u{20E3} 2\u{20E3} か\u{FE00}\u{3099}', '1 2 が'],
  ['a mark alone is no word, nor is a lone surrogate', 'a\u{D800}b \u{DC00}水 \u{20}\u{93F}', 'a b 水'],
  ['symbols alone are no words', '❤️ → … © 😀', ''],
  ['an id is one word', `see ${PARENT}.`, `see ${PARENT.toLowerCase()}`],
  ['an id without blanks around it', `東${ROOT}を`, `東 ${ROOT} を`],
  [
    'an id in other marks',
    `_${ROOT}_ project_abc- note_x--y guest_1`,
    `${ROOT} project_abc note_x--y guest_1`,
  ],
  [
    'what only looks like an id is several words',
    'compost_bin read_feed post_ postx',
    'compost bin read feed post postx',
  ],
  ['a word is cut at 64 characters', 'x'.repeat(70), 'x'.repeat(64)],
  ['a cut counts characters, not units', '\u{1D7CE}é'.repeat(40), '0e'.repeat(32)],
];

for (const [rule, text, expected] of TABLE) {
  it(rule, () => {
    assert.equal(words(text), expected);
  });
}

it('the name, the parentId and the rootId of a post are words of it', () => {
  const post = { message: 'a', name: 'Ada Q', parentId: PARENT, rootId: ROOT };
  assert.deepEqual([...wordsOf(post)], ['a', 'ada', 'q', PARENT.toLowerCase(), ROOT]);
  assert.deepEqual([...wordsOf({ ...post, name: null, parentId: null })], ['a', ROOT]);
});

it('a text in ASCII has the same words beside a text that is not', () => {
  for (const [, text] of TABLE.filter(([, ascii]) => /^\p{ASCII}*$/u.test(ascii)))
    assert.equal(words(`${text}\n→`), words(text));
});

it('a query counts words as a person does, and asks for the pairs of a run', () => {
  assert.deepEqual(queryWordsOf(`Two words, 東京都! ${PARENT}`), {
    words: ['two', 'words', '東京', '京都', PARENT.toLowerCase()],
    count: 4,
  });
  assert.deepEqual(queryWordsOf('水 a a'), { words: ['水', 'a'], count: 3 });
  assert.deepEqual(queryWordsOf(' .,!? ❤️ \n'), { words: [], count: 0 });
});

it('a post matches a query if it has all of its words', () => {
  const post = { message: 'The capital is 東京都.', parentId: null, rootId: ROOT };
  const isFound = (query: string): boolean => holdsWords(post, queryWordsOf(query).words);
  for (const query of ['CAPITAL the', 'capi', '京都', '東京都 capita', '京', ROOT])
    assert.ok(isFound(query), query);
  for (const query of ['capitals', 'apital', 'post', 'cap', '東都', 'capital city', PARENT])
    assert.ok(!isFound(query), query);
});

const ENTRIES: [word: string, entries: string, matches: string, others: string][] = [
  ['libraries', 'libr librar librarie', 'libr libra librar librarie libraries', 'lib library librariess'],
  ['café', 'cafe', 'CAFE café', 'caf cafes'],
  ['boil', 'boil', 'boil', 'boi boile'],
  ['oak', 'oak', 'oak', 'oa o oaks'],
  ['covid19', 'covi', 'covi covid covid1 covid19', 'covid2 cov covid190'],
  ['x2fourth', 'x2fourth', 'x2fourth', 'x2four x2fourths'],
  ['2026', '2026', '2026', '202 20261'],
  ['привет', 'прив привет', 'прив приве привет', 'при привета'],
  ['नमस्ते', 'नमस् नमस्ते', 'नमस् नमस्त नमस्ते', 'नमस नम'],
  [PARENT.toLowerCase(), PARENT.toLowerCase(), PARENT.toLowerCase(), 'post post_ post_0190'],
];

for (const [word, entries, matches, others] of ENTRIES) {
  it(`an index has ${entries} of ${word}, and finds it by ${matches}`, () => {
    const post = { message: word, parentId: null, rootId: 'root' };
    const found = [...entriesOf(post)].filter((entry) => entry !== 'root').join(' ');
    assert.equal(found, entries.normalize('NFC'));
    const held = [...wordsOf(post)][0]!;
    for (const query of matches.split(' ')) {
      const [wanted] = queryWordsOf(query).words as [string];
      assert.ok(matchesWord(held, wanted) && holdsWords(post, [wanted]), query);
      assert.ok(entriesOf(post).has(entryOf(wanted)), `${query} is looked up by what the index has`);
    }
    for (const query of others.split(' ')) {
      const { words } = queryWordsOf(query);
      assert.ok(!holdsWords({ ...post, rootId: '' }, words) || words.length === 0, query);
    }
  });
}

it('a page of a search compares 500 texts', () => {
  const texts = new TextBudget(500);
  const post = { message: 'constant', parentId: null, rootId: 'root' };
  let compared = 0;
  for (; !texts.isSpent; compared++) texts.holdsWords(post, ['consider']);
  assert.equal(compared, 500);
});

it('a post matches by the words of its fields together, or by their beginnings', () => {
  const vocabulary = 'oak pine oaks 東京 東 京都 café ab pinecone'.split(' ');
  const post = { message: 'oaks 東京都 cafés abc', name: 'Pinecones ab', parentId: PARENT, rootId: ROOT };
  for (let choice = 1; choice < 2 ** vocabulary.length; choice++) {
    const words = vocabulary
      .filter((_, index) => (choice & (1 << index)) !== 0)
      .flatMap((word) => queryWordsOf(word).words);
    const held = [...wordsOf(post)];
    assert.equal(
      holdsWords(post, words),
      words.every((wanted) => held.some((word) => matchesWord(word, wanted))),
      words.join(' '),
    );
  }
  const many = Array.from({ length: 20 }, (_, n) => `w${n}`);
  const half = { message: many.slice(0, 12).join(' '), name: many.slice(12).join(' ') };
  assert.ok(holdsWords({ ...post, ...half }, many));
  assert.ok(!holdsWords({ ...post, ...half, name: 'w12' }, many));
});

it('a post has one of the alternatives of a query if it has one word of it as a person counts them', () => {
  const post = { message: 'The capital is 東京都.', name: 'Ada', parentId: null, rootId: ROOT };
  const isFound = (query: string, words: string[] = []): boolean =>
    holdsWords(post, words, queryAlternatives(query));
  for (const query of ['CAPITAL city', 'city ada', '東京都 village', '大阪 京', ROOT])
    assert.ok(isFound(query), query);
  for (const query of ['city village', 'cap', '東都 大阪', '京東']) assert.ok(!isFound(query), query);
  assert.ok(isFound('city ada', ['capital', 'is']));
  assert.ok(!isFound('city ada', ['capital', 'was']));
  assert.ok(!isFound('city village', ['capital']));
  assert.ok(isFound(''), 'no alternatives');
});

it('a comparison costs the normalized characters that it reads', () => {
  const post = { message: '\u{FDFA}'.repeat(10), name: 'Ada', parentId: PARENT, rootId: ROOT };
  const cost = (word: string): number => compareWords(post, [word]).characters;
  assert.equal(cost(ROOT), ROOT.length);
  assert.equal(cost('ada'), ROOT.length + PARENT.length + 3);
  assert.equal(cost('nowhere'), ROOT.length + PARENT.length + 3 + 180);
});
