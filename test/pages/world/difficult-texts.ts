import { HOSTILE } from '../../support/http/hostile.ts';
import type { RecordList } from './record-list.ts';

const columns = Array.from({ length: 50 }, (_, index) => `column ${index + 1}`);
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const WIDE_TABLE = [
  'RESULT: A table of fifty columns',
  '',
  row(columns),
  row(columns.map(() => '---')),
  ...Array.from({ length: 4 }, (_, line) => row(columns.map((_, index) => `value ${line * 50 + index}`))),
].join('\n');

const WIDE_CODE = [
  'RESULT: Code of one wide line',
  '',
  '```sh',
  `curl --silent ${'--header "X-Long: a value that goes on and on" '.repeat(12)}https://example.org/`,
  '    indented by four',
  '```',
  '',
  `Inline: \`${'inline_code_without_a_blank_'.repeat(12)}\`, and after it.`,
].join('\n');

const FENCES = [
  'Fences inside fences',
  '',
  '`````md',
  '````js',
  '```',
  'const inner = "```";',
  '```',
  '````',
  '`````',
  '',
  '~~~',
  '``` not closed </code></pre><script>alert(1)</script>',
].join('\n');

const MARKDOWN = [
  'All of Markdown in one message',
  '',
  '# A heading of the first level',
  '### A heading of the third level',
  '###### A heading of the sixth level',
  'Setext',
  '======',
  '',
  '1. first',
  '   - nested',
  '     - nested twice',
  '2. second',
  '',
  '> a quote',
  '> > in a quote',
  '',
  '*emphasis*, **strong**, ~~struck~~, `code`, <b>raw HTML</b>, [a link](javascript:alert(1)),',
  '![an image](https://zebra.example/pixel.png), <https://zebra.example/auto>, [a reference][one]',
  '',
  '[one]: https://zebra.example/reference',
  '',
  '- [ ] a task',
  '- [x] another task',
  '',
  '---',
  '',
  '| a | b |',
  '|:--|--:|',
  '| <script>alert(1)</script> | `a\\|b` |',
].join('\n');

/** First posts, except for those of `HOSTILE`. */
const TEXTS: readonly string[] = [
  'IDEA: \u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD, \u05D6\u05D4\u05D5 \u05E8\u05E2\u05D9\u05D5\u05DF (3 < 4)\n\u05DE\u05D9 \u05DE\u05E8\u05D5\u05D5\u05D9\u05D7: \u05DB\u05D5\u05DC\u05DD',
  '\u0645\u0631\u062D\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645: \u0642\u0627\u0626\u0645\u0629\n\n- \u0648\u0627\u062D\u062F\n- \u0627\u062B\u0646\u0627\u0646 (two)\n\n| \u0623 | \u0628 |\n|---|---|\n| 1 | 2 |',
  `IDEA: ${Array.from('Overpainted title', (letter) => letter + '\u0301\u0323'.repeat(15)).join('')}\nand its text`,
  `Unbroken: ${'abcdefghij'.repeat(799)}`,
  WIDE_TABLE,
  WIDE_CODE,
  FENCES,
  MARKDOWN,
];

/** Valid names that try to break the markup or the layout of a page. */
export const HOSTILE_NAMES: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'Tom & "Jerry" &amp; \'Sons\'',
  'n'.repeat(80),
  '\u05E9\u05DC\u05D5\u05DD \u200Fmark',
  `Z${'\u0301'.repeat(30)}`,
  ']]></name>',
];

const nameAt = (index: number): string => HOSTILE_NAMES[index % HOSTILE_NAMES.length]!;

/** Adds texts that are hard to show: as first posts of today, and as one thread of two days ago. @returns the thread */
export function addDifficultTexts(records: RecordList): string {
  const all = [...TEXTS, ...HOSTILE];
  all.forEach((text, index) => {
    records.post(text, { minutesAgo: 300 - index * 5, name: nameAt(index) });
  });
  const rootId = records.post('A thread of difficult texts', { minutesAgo: 2900 });
  all.forEach((text, index) => {
    records.post(text, { minutesAgo: 2890 - index * 3, replyTo: rootId, name: nameAt(index) });
  });
  return rootId;
}
