import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endListsAtLabels } from '#http/html/render-message.ts';
import { parseLines } from '#message/blocks.ts';
import { parseDueTime, parseField, parseLabels } from '#message/labels.ts';
import { parseStepFacts } from '#message/step.ts';
import MarkdownIt, { type Token } from 'markdown-it';
import { firstOf } from '../../support/thorough.ts';
import { SeededRandom } from '../../torture/support/random.ts';

const ID = 'post_01a214ad-06aa-73b3-b136-91544051f4cd';

const labelsOf = (message: string): string[] => parseLabels(message, null).map(({ label }) => label);

/** Lists, quotations and code are compared with the library below. */
describe('a label', () => {
  const read: readonly string[] = [
    `Ends: ${ID}`,
    `**Ends:** ${ID}`,
    `- Ends: ${ID}`,
    `## Ends: ${ID} ##`,
    `a \`code\` and \`\nEnds: ${ID}`,
    `| a | b |\n|---|---|\n| 1 | 2 |\nEnds: ${ID}`,
    `Ends (WORK)：${ID}`,
    `a\u2028Ends: ${ID}`,
    `Ends${' '.repeat(60)}: ${ID}`,
    `Ends / the work${' '.repeat(60)}(mine)${' '.repeat(60)}: ${ID}`,
    `Ends /${' '.repeat(60)}: ${ID}`,
  ];
  for (const message of read)
    it(`is read in ${JSON.stringify(message)}`, () => {
      assert.deepEqual(labelsOf(message), ['ends']);
    });

  const unread: readonly string[] = [
    `Ends ${ID}`,
    `It ends: ${ID}`,
    `Ends/: ${ID}`,
    `Ends / ${'a'.repeat(41)}: ${ID}`,
    `> Ends: ${ID}`,
    `\tEnds: ${ID}`,
    `\`\`\`\nEnds: ${ID}\n\`\`\``,
    `a \`code\nEnds: ${ID}\nof lines\``,
    `a | b\n--|--\nEnds: ${ID} | 2`,
    `| Ends: ${ID} |`,
  ];
  for (const message of unread)
    it(`is not read in ${JSON.stringify(message)}`, () => {
      assert.deepEqual(labelsOf(message), []);
    });

  it('may follow a prefix in its line', () => {
    const texts = parseLabels(`WORK: Ends: ${ID}`, 'WORK').map(({ text }) => text);
    assert.deepEqual(texts, [ID]);
  });
});

describe('an outcome', () => {
  const outcomes: [text: string, outcome: string | null][] = [
    ['Outcome: confirmed', 'confirmed'],
    ['**Outcome:** **Confirmed.**', 'confirmed'],
    ['- __Outcome__: *NOT* confirmed', 'not confirmed'],
    ['## Outcome： partly\u00a0 confirmed .', 'partly confirmed'],
    ['outcome: withdrawn', 'withdrawn'],
    ['Outcome: confirmed\n\nOutcome: Confirmed.', 'confirmed'],
    ['> Outcome: confirmed\n\nOutcome: not confirmed', 'not confirmed'],
    ['Outcome: confirmed, but not row 17', null],
    ['Outcome: confirmed (all 288 cells)', null],
    ['Outcome (I confirm every cell): not confirmed', null],
    ['Outcome / result: confirmed', null],
    [`Outcome: confirmed${' '.repeat(1000)}NOT the rest`, null],
    ['Outcome: confirmed\nOutcome: not confirmed', null],
    ['Outcome: confirmed\n\nOutcome: confirmed but', null],
    [`Outcome: confirmed ${ID}`, null],
    ['Outcome: partially confirmed', null],
    ['Outcome: not-confirmed', null],
    ['Outcome: confirmed..', null],
    ['Outcome: c\u043Enfirmed', null],
    ['Outcome:\nconfirmed', null],
    ['Outcome: good', null],
    ['I found it confirmed', null],
  ];
  for (const [text, outcome] of outcomes)
    it(`of ${JSON.stringify(text.slice(0, 60))} is ${outcome}`, () => {
      const post = { id: ID, prefix: 'REVIEW', parentId: null, createdAt: '2026-11-21T10:00:00.000000Z' };
      assert.equal(parseStepFacts({ ...post, message: `REVIEW: x\n\n${text}` })?.outcome, outcome);
    });
});

/** As the page renders, without its limit of nesting. */
const markdown = new MarkdownIt({ breaks: true }).disable([
  'html_block',
  'reference',
  'link',
  'image',
  'autolink',
  'lheading',
  'entity',
]);

endListsAtLabels(markdown);

/** The first word of each line that the library makes of a text, outside of quotations and tables. */
function wordsOfLibrary(source: string): string[] {
  let depth = 0;
  return markdown.parse(source, {}).flatMap(({ type, nesting, children }) => {
    if (/^(?:blockquote|table)_/.test(type)) depth += nesting;
    if (type !== 'inline' || depth > 0) return [];
    return firstWords((children ?? []).map(shownText).join('').split('\n'));
  });
}

const shownText = ({ type, content }: Token): string =>
  type === 'softbreak' || type === 'hardbreak' ? '\n' : type === 'code_inline' ? `\0${content}` : content;

const firstWords = (lines: readonly string[]): string[] =>
  lines.map((line) => /^[\s#*_+-]*([a-zA-Z]*)/.exec(line)?.[1] ?? '').filter((word) => word !== '');

for (const seed of firstOf([1, 2, 3]))
  it(`reads random marks of seed ${seed} as the library of the pages does`, () => {
    const marks = ['> ', '>', '- ', '-', '* ', '1. ', '2) ', '```', '~~~', '    ', ' ', '# ', '---', '\n-\n'];
    const words = ['a', 'bb', 'Outcome: x', '\n', '\n', '\n', '\n\n', '`````', '# a #'];
    const random = new SeededRandom(seed);
    for (let n = 0; n < 10_000; n++) {
      const pieces = Array.from({ length: 1 + random.below(9) }, () => {
        const all = random.below(2) === 0 ? marks : words;
        return all[random.below(all.length)] ?? '';
      });
      const source = pieces.join('').trimStart();
      const lines = parseLines(source, null).flatMap(({ text, isText }) => (isText ? [text] : []));
      assert.deepEqual(firstWords(lines), wordsOfLibrary(source), JSON.stringify(source));
    }
  });

it('a message ends nine WORKs and IDEAs at most', () => {
  const ids = Array.from({ length: 10 }, (_, n) => `${ID.slice(0, -1)}${n}`);
  const post = { id: ID, prefix: null, parentId: null, createdAt: '2026-11-21T10:00:00.000000Z' };
  assert.deepEqual(parseStepFacts({ ...post, message: `Ends: ${ids.join(' ')}` })?.ends, ids.slice(0, 9));
});

describe('a field', () => {
  const fieldOf = (message: string): string | null =>
    parseField(`RESULT: x\n${message}`, 'RESULT', ['what i produced', 'limits']);

  it('is what follows the colon, or the line below it', () => {
    for (const line of [
      'What I produced: a table',
      '- **What I produced (new):** a table',
      'LIMITS： a table',
    ])
      assert.equal(fieldOf(line), 'a table', line);
    assert.equal(fieldOf('What I produced:\n\na table\nof nine rows'), 'a table');
    assert.equal(fieldOf('Sources: x\nWhat I produced: one\nWhat I produced: two'), 'one');
  });

  it('is no other label, table or code', () => {
    const others = ['Sources: y', '| a | b |\n|---|---|\n| 1 | 2 |', '```\ncode\n```'];
    for (const below of others) assert.equal(fieldOf(`What I produced:\n${below}`), null, below);
    assert.equal(fieldOf('> What I produced: quoted'), null);
    assert.equal(fieldOf('that is What I produced: x'), null);
    assert.equal(fieldOf(`What I produced (${'y'.repeat(60)}): x`), null);
  });
});

const CREATED = '2026-03-02T16:00:00.000Z';

const due = (message: string): string | null => {
  const time = parseDueTime(parseLabels(message, null), Date.parse(CREATED));
  return time === null ? null : new Date(time).toISOString();
};

const READABLE: Readonly<Record<string, string>> = {
  'Next update by (UTC): 2026-03-03 18:00': '2026-03-03T18:00:00.000Z',
  'next update by: 2026-03-03T18:00Z': '2026-03-03T18:00:00.000Z',
  'NEXT UPDATE BY (utc) : 2026-03-03, 18:00:30.5 UTC': '2026-03-03T18:00:30.000Z',
  '- **Next update by (UTC):** 2026-03-03 18:00 or earlier': '2026-03-03T18:00:00.000Z',
  '3. Next update by [UTC]: 2026-03-03 18:00+02:00': '2026-03-03T16:00:00.000Z',
  '# Next update by (UTC): 2026-03-03 01:00 -0530': '2026-03-03T06:30:00.000Z',
  '• Next update by (UTC): 2026-03-03 18:00': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 18:00 GMT, I hope': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 18:00 UTC. PS: sooner': '2026-03-03T18:00:00.000Z',
  'Next update by: 2026-03-03 18:00 (UTC), or earlier': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 EOD': '2026-03-04T00:00:00.000Z',
  'Next update by (UTC): 18:00 - 19:00': '2026-03-02T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03': '2026-03-04T00:00:00.000Z',
  'Next update by (UTC): 18:00': '2026-03-02T18:00:00.000Z',
  'Next update by (UTC): 15:59': '2026-03-03T15:59:00.000Z',
  'Next update by (UTC): 01:00+03:00': '2026-03-02T22:00:00.000Z',
  'WORK:\r\nStep: x\r\nNext update by (UTC): 2026-03-03 18:00\r\nLimits: y': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 18:00\nNext update by (UTC): 2026-04-04': '2026-03-03T18:00:00.000Z',
};

for (const [message, time] of Object.entries(READABLE)) {
  it(`the due time of ${JSON.stringify(message)} is ${time}`, () => {
    assert.equal(due(message), time);
  });
}

for (const message of [
  ...['WORK: nothing else', 'Next update by (UTC):', 'Next update by (UTC) 2026-03-03 18:00'],
  ...['> Next update by (UTC): 2026-03-03 18:00', '```\nNext update by (UTC): 2026-03-03 18:00\n``'],
  ...['Next update by (UTC): tomorrow', 'Next update by (UTC): 2026-02-30 18:00'],
  ...['Next update by (UTC): 2026-13-01', 'Next update by (UTC): 2026-03-03 24:00'],
  ...['Next update by (UTC): 2026-03-03 18:60', 'Next update by (UTC): 25:00'],
  'Next update by (UTC): soon\nNext update by (UTC): 2026-03-03',
  'My next update by mail: 2026-03-03',
  `x${' '.repeat(290)}Next update by: 18:00 Next update by: 18:00`,
  ...['Next update bypass: 2026-03-03', 'Next update by: 2026-03-03 18:00 PST'],
  ...['Next update by: 2026-03-03 10:00 CEST.', 'Next update by: 10:00 pm'],
  ...['Next update by: 2026-03-03 10:00PM', 'Next update by: 2026-03-03 18:00 UTC+2'],
  ...['Next update by: 18:00 GMT-5'],
  ...['Next update by: 18:00 (CEST)', 'Next update by: 2026-03-03 18:00 (UTC+2)'],
]) {
  it(`${JSON.stringify(message)} has no due time`, () => {
    assert.equal(due(message), null);
  });
}
