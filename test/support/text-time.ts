import fc from 'fast-check';
import { foldMarkup } from '#http/html/fold-markup.ts';
import { linkRecords } from '#http/html/record-labels.ts';
import { renderMessage } from '#http/html/render-message.ts';
import { toFence } from '#http/html/stranger-text.ts';
import { cutExcerpt, markHits, toPlainRest, toPlainText } from '#http/pages/parts/excerpt.ts';
import { parseLines } from '#message/blocks.ts';
import { parseCheckLines } from '#message/check-lines.ts';
import { parseLabels } from '#message/labels.ts';
import { countTargets, hasEndsLine, parseStepFacts } from '#message/step.ts';
import { compareWords, queryWordsOf, wordsOf } from '#message/words.ts';
import { printable } from '#tool/unknown-arguments.ts';
import { refuseServiceName } from '#workspace/publishing/record-checks.ts';
import { authorKeyField, nameField } from '#workspace/schemas/fields.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import { countLinks, validateWebAddress } from '#workspace/text/links.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { guessPrefix } from '#workspace/text/prefix.ts';
import { findSecret } from '#workspace/text/secrets.ts';
import { validateText } from '#workspace/text/text-rules.ts';
import { toTitle } from '#workspace/text/title.ts';

/** The longest time of a reader of a text, in milliseconds, on a machine like that of `REFERENCE_MS`. */
const MAX_MS = 10;
/** The time of `reference` on the machine on which `MAX_MS` was set, in milliseconds. */
const REFERENCE_MS = 1.2;
/** The ratio is 4 if the time grows with the length, and 16 if it grows with its square. */
const LENGTHS = [4_000, 16_000] as const;
const MAX_GROWTH = 9;

const MAX_TRIES = 9;

const SEARCH = 'zz 漢字';

const toPost = (prefix: string | null, message: string) => ({
  id: 'post_1',
  prefix,
  parentId: null,
  rootId: 'post_1',
  message,
  createdAt: '2026-03-02T00:00:00.000000Z',
});

function checkName(name: string): string | null {
  try {
    refuseServiceName('post', { name }, { name: 'Porchlight' });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

type Readers = Readonly<Record<string, (text: string) => unknown>>;

/** The functions that read texts of strangers, by their results. @returns a value that the caller drops */
const READERS: Readers = {
  'a rendering with its fold and links': (text) => {
    const markup = renderMessage(text);
    const { shown = markup, rest = '' } = foldMarkup(markup) ?? {};
    return [shown, rest].map((part) => linkRecords(part, (_, id) => ({ href: `#${id}` })).text);
  },
  'the rules of texts': (text) => validateText(text, { max: MAX_LENGTHS.message, lines: 'many' }),
  'the guard of secrets': findSecret,
  'a count of links': countLinks,
  'the blocks of a text': (text) => parseLines(text, null),
  'the labels in blocks': (text) => parseLabels(text, 'REVIEW'),
  'the lines of a check': (text) => parseCheckLines(text, 'REVIEW', 160),
  'the facts of a step': (text) =>
    ['IDEA', 'WORK', 'RESULT', 'REVIEW', null].map((prefix) => parseStepFacts(toPost(prefix, text))),
  'what a review judges': (text) => [countTargets(toPost('REVIEW', text)), hasEndsLine(text, null)],
  'a title': (text) => [toTitle(text), toTitle(`IDEA:${text}`), guessPrefix(text)],
  'an excerpt': (text) => [toPlainText(text), toPlainRest(toTitle(text), text)],
  'an excerpt of a search': (text) => cutExcerpt(toPlainText(text, SEARCH), SEARCH),
  'the hits of an excerpt': (text) => markHits(text.slice(0, 400), SEARCH),
  'the words of the index': (text) => wordsOf(toPost(null, text)),
  'a search': (text) => compareWords(toPost(null, text), ['zzz', 'yyy']),
  'a query': (text) => queryWordsOf(text.slice(0, MAX_LENGTHS.query)),
  'a fence': toFence,
  'a name': (text) => checkName(text.slice(0, MAX_LENGTHS.name)),
  'a web address': (text) => validateWebAddress(`http://${text}`.slice(0, MAX_LENGTHS.webAddress)),
};

/** The longest time of a reader below, in milliseconds, for a text that fills the body of a request. */
const MAX_BODY_MS = 50;
const BODY_UNITS = 250_000;

/** What runs on a text before, or while, its length is checked. */
const BODY_READERS: Readers = {
  'the search for author keys': holdsAuthorKey,
  'the rules of a long text': READERS['the rules of texts']!,
  'an author key': (text) => authorKeyField('').safeParse(text),
  'a name that is too long': (text) => nameField.safeParse(text),
  'the name of an argument': printable,
};

/** Marks of Markdown, of layouts, of links, of credentials and of scripts, and the texts between them. */
const MARKS = [
  ...['*', '**', '_', '~~', '`', '``', '> ', '>', '- ', '1. ', '# ', '|', '[', '](', '![', ')', '<', '<a>'],
  ...['&', '&amp;', '\\', ' ', '\t', '    ', '\u00A0', '\u3000', '\n', '\n\n', '\r\n', '\u2028', '\u0085'],
  ...['a', 'a ', '*a ', ' *a', '_a_ ', '**a*', '- a\n', '1) a\n', '> a\n', '|a|b|\n', '|-', '-|', '```\n'],
  ...['~~~\n'],
  ...['---\n', 'http://', '//a.', 'www.', 'a.', ':', '://a:b', '@', '-', '=', '%41', '\\n', '"', 'd: "'],
  ...['kty'],
  ...['d:"SK0123456789abcdefG-_"', 'sk-', 'eyJ', 'SK0123456789abcdef0123456789abcdef '],
  ...['authorization: bearer '],
  ...['mailgun', '-----BEGIN PRIVATE KEY-----', 'Private-Lines: 1\n', 'Aa-b: x\n'],
  ...['hooks.slack.com/services/'],
  ...['Ends: ', 'ends', 'ends/', 'Ends (', 'Outcome', 'Outcome: ', 'Outcome (', 'Checked: '],
  ...['Next update by: ', '12:00 '],
  ...['Remaining uncertainty: ', 'Findings / corrections: ', 'none ', 'none for '],
  ...['Evidence:', 'Evidence (', 'Useful outcome: ', 'post_019c9a31-6400-7000-8000-000000000001 ', 'post_0'],
  ...['a\u0301', '\u0327\u0301', '\u200D', '\uFE0F', '\u{1F468}\u200D', '漢', 'か', '한', '\u1161', 'ا'],
  ...['क\u094D'],
  ...['\u0301', '\u0E31', '\u20DD', '\u{E0061}', '\u{1D165}', 'plk', 'plk ', 'plk-', 'plk a\u0301', 'ｐlk'],
  ...['_', '%20'],
  ...['\uFDFA', '0', '12. ', '.,', ';', '…', '? ', '。', '\u2800', '\u200B'],
] as const;

const HEADS = [
  ...['', '- > ', '1. - ', 'Ends', 'Ends (', 'ends/', 'ends / a', 'Outcome', 'Outcome ('],
  ...['REVIEW:\nChecked', 'Evidence (', 'x', '- ', '> '],
];
const MORE_HEADS = ['|a|b|\n|-|-|\n', '```', '`', '*', '[', '://', '-----BEGIN PRIVATE KEY-----', '    '];
const BETWEEN = ['', 'a', 'a ', ' a', '\n'];

/** A text of repeated or nested marks, at any length. */
export interface LongText {
  readonly head: string;
  readonly opening: string;
  readonly closing: string;
  readonly shape: 'alternate' | 'follow' | 'nest';
}

const mark = fc.constantFrom(...MARKS);
const marks = fc
  .tuple(mark, fc.constantFrom('', ...MARKS), fc.constantFrom(...BETWEEN))
  .map((parts) => parts.join(''));

export const longText: fc.Arbitrary<LongText> = fc.record({
  head: fc.constantFrom(...HEADS, ...MORE_HEADS),
  opening: fc.oneof(mark, marks),
  closing: fc.oneof(fc.constant(''), mark, marks),
  shape: fc.constantFrom('alternate', 'follow', 'nest'),
});

/** @returns at most so many UTF-16 units */
function ofLength({ head, opening, closing, shape }: LongText, length: number): string {
  const space = length - head.length;
  const mirrored = closing === '' ? Array.from(opening).toReversed().join('') : closing;
  if (shape === 'alternate')
    return head + (opening + closing).repeat(Math.floor(space / (opening + closing).length));
  const pairs = Math.floor(space / (opening.length + mirrored.length));
  if (shape === 'nest') return head + opening.repeat(pairs) + mirrored.repeat(pairs);
  return (
    head +
    opening.repeat(Math.floor(space / 2 / opening.length)) +
    closing.repeat(closing === '' ? 0 : Math.floor(space / 2 / closing.length))
  );
}

/** Repeats until a run takes less than `enough`. @returns the least time of a run, in milliseconds */
function leastTime(run: () => unknown, enough = 0): number {
  let least = Infinity;
  for (let tries = 0; tries < MAX_TRIES && least >= enough; tries++) {
    // The processor time excludes the load of other processes.
    const [started, before] = [performance.now(), process.cpuUsage()];
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, performance.now() - started, (user + system) / 1000);
  }
  return least;
}

const ORDINARY = 'A *sentence* of words with `code`, and **nothing** that nests.\n\n- One item\n'.repeat(100);

/** How many times as slow as the machine of `REFERENCE_MS` this one is at the moment; at least 1. */
export const slowness = (): number => Math.max(1, leastTime(() => renderMessage(ORDINARY)) / REFERENCE_MS);

/**
 * @throws Error if a reader takes too long for the text, or much more than its length for a longer one. Both
 *   are measured again until they pass, and the time is that of this machine at this moment.
 */
export function assertReadSoon(text: LongText): void {
  const body = ofLength(text, BODY_UNITS);
  for (const [reader, read] of Object.entries(BODY_READERS)) {
    const time = leastTime(() => read(body), MAX_BODY_MS);
    if (time > MAX_BODY_MS * slowness())
      throw new Error(`${reader} takes ${time.toFixed(1)} ms for a whole body`);
  }
  const whole = ofLength(text, MAX_LENGTHS.message);
  const isValid = validateText(whole, { max: MAX_LENGTHS.message, lines: 'many' }) === null;
  for (const [reader, read] of Object.entries(READERS))
    if (isValid || reader === 'the rules of texts')
      assertSoon(reader, (length) => ofLength(text, length), read);
}

/**
 * As `assertReadSoon`, for one reader. What fails on a machine that is slow for a moment is measured again.
 * @param toInput what it reads, of about so many characters
 */
export function assertSoon(
  reader: string,
  toInput: (length: number) => string,
  read: (input: string) => unknown,
): void {
  let slow: string | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    slow = whatIsSlow(toInput, read);
    if (slow === null) return;
  }
  throw new Error(`${reader} takes ${slow}`);
}

/** @returns the time that is too long, or null */
function whatIsSlow(toInput: (length: number) => string, read: (input: string) => unknown): string | null {
  const input = toInput(MAX_LENGTHS.message);
  const time = leastTime(() => read(input), MAX_MS / 2);
  if (time < MAX_MS / 2) return null;
  if (time > MAX_MS * slowness()) return `${time.toFixed(1)} ms`;
  const [short, long] = LENGTHS.map((length) => {
    const one = toInput(length);
    return leastTime(() => read(one));
  }) as [number, number];
  if (long <= MAX_GROWTH * short) return null;
  return `${short.toFixed(1)} ms, and for four times the text ${long.toFixed(1)} ms`;
}
