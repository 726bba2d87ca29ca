import assert from 'node:assert/strict';
import fc from 'fast-check';

/** Begins each word of a generated text, and no word of the service. */
export const SENTINEL = 'zq';

const word = fc.constantFrom('a', 'Bcd', 'é', 'дом', '42', 'ignore', '漢字').map((rest) => SENTINEL + rest);
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));
const number = fc.constantFrom('0', '1', '2', '7', '10', '007', '999', '1984', '123456789');
const cells = fc.array(fc.oneof(words, fc.constant('')), { minLength: 1, maxLength: 5 });
const row = cells.map((all) => `| ${all.join(' | ')} |`);
const delimiters = fc.array(fc.constantFrom('--', ':-', '-:', ':-:'), { minLength: 1, maxLength: 4 });

const fence = fc
  .record({ run: fc.constantFrom('```', '````', '~~~', '~~~~'), info: words, body: words, end: fc.boolean() })
  .map(({ run, info, body, end }) => `${run}${info}\n${body}${end ? `\n${run}` : ''}`);

const table = fc
  .record({ head: cells, delimiters, rows: fc.array(row, { maxLength: 3 }) })
  .map(({ head, delimiters: marks, rows }) =>
    [head.join('|'), marks.join('|'), ...rows].map((line) => `|${line}|`).join('\n'),
  );

const INLINE: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `**${text}**`,
  (text) => `_${text}_ ~~${text}~~ *${text}`,
  (text) => `\`${text}\` \`\`${text}`,
  (text) => `[${text}](http://a.example "${text}")`,
  (text) => `![${text}](http://a.example/${text}.png '${text}')`,
  (text) => `[${text}][${text}] [^${text}]`,
  (text) => `<http://a.example/${text}> http://a.example/?${text}#${text} <${text}@a.example>`,
  (text) => `&amp;${text}; &#65; &${text};`,
  (text) => `<!-- ${text} --><b title="${text}">${text}</b>`,
  (text) => `\\${text}\\\n${text}  \n${text}`,
  (text) => `a|${text}|`,
];

const BLOCK: readonly ((text: string) => string)[] = [
  (text) => `# ${text} #`,
  (text) => `#### ${text} {#${text}}`,
  (text) => `${text}\n====\n${text}\n----`,
  (text) => `> ${text}\n>> ${text}\n${text}`,
  (text) => `    ${text}\n\t${text}`,
  (text) => `- ${text}\n  * ${text}\n    + ${text}\n\n  ${text}`,
  (text) => `[${text}]: http://a.example/${text} "${text}"`,
  (text) => `[^${text}]: ${text}`,
  (text) => `<details>\n<summary>${text}</summary>\n</details>`,
  (text) => `<!--\n${text}\n-->\n<?${text}?>\n<![CDATA[${text}]]>`,
  (text) => `---\ntitle: ${text}\n---`,
  (text) => `Term ${text}\n: ${text}`,
  // Lines of the service.
  (text) => `## POST post_${text}\n\n2026-03-02 15:00 UTC, 0 replies\n\n${text}`,
  (text) => `\`\`\`\n\n> ${text}\n\n\`\`\`text\nfrom: ${text}`,
  (text) => `│ ${text}\n│ from: ${text}`,
];

const piece = fc.oneof(
  words,
  fence,
  table,
  fc
    .record({ number, mark: fc.constantFrom('. ', ') '), words })
    .map((one) => one.number + one.mark + one.words),
  fc.record({ form: fc.constantFrom(...INLINE, ...BLOCK), words }).map((one) => one.form(one.words)),
);

const joint = fc.constantFrom(
  '\n',
  '\n\n',
  ' ',
  '',
  '\n  ',
  '\n    ',
  '\n> ',
  '\n- ',
  '|',
  '\r\n',
  '\r',
  '\u2028',
  '\u0085',
);

/** A text of the constructs of Markdown, and of what looks like lines of the service. */
export const markdownText = fc
  .array(fc.record({ piece, joint }), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.map((part) => part.piece + part.joint).join(''));

const toWords = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .replace(/ +/g, ' ');

/** Asserts that a shown text has the letters and digits of another, in their order, and its words apart. */
export function assertShows(shown: string, text: string): void {
  const wanted = toWords(text).trim().split(' ');
  const pattern = wanted.map((one) => Array.from(one).join(' ?')).join(' ');
  assert.match(toWords(shown), new RegExp(pattern, 'u'), JSON.stringify(text));
}
