import { codePointLength } from '#message/code-points.ts';
import { validateInvisible } from './invisible.ts';
import { lengthError, MAX_MARKS } from './lengths.ts';

export interface TextRule {
  /** In code points. */
  max: number;
  /** `one` refuses line breaks. */
  lines: 'one' | 'many';
}

/** The position and the code of a character, so that an error need not repeat it. */
interface Place {
  /** 0-based, in code points. */
  readonly position: number;
  /** Such as `U+200B`. */
  readonly code: string;
}

export interface ForbiddenPattern {
  /** With the flag `u`. */
  pattern: RegExp;
  error: (place: Place) => string;
}

/** @returns a function that returns the error for a character */
export const refuse =
  (found: string, remedy = 'remove it'): ForbiddenPattern['error'] =>
  ({ position, code }) =>
    `contains ${found} (${code}) at position ${position}: ${remedy}`;

/** Only white space, default-ignorable characters and the blank Braille pattern. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

/**
 * The flags of England, Scotland and Wales, the only tag sequences of emoji-test.txt (Unicode Technical
 * Standard #51): a black flag, `gb` and the country in tag characters, a cancel tag.
 */
const SUBDIVISION_FLAG = new RegExp(
  [
    String.raw`\u{1F3F4}\u{E0067}\u{E0062}`,
    String.raw`(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})`,
    String.raw`\u{E007F}`,
  ].join(''),
  'u',
);

/** A text that matches this, as most do, cannot match any forbidden pattern. */
const PRINTABLE_ASCII = { many: /^[\t\n\r\x20-\x7E]*$/, one: /^[\t\x20-\x7E]*$/ };

const LINE_BREAK: ForbiddenPattern = {
  pattern: /[\n\r\u0085\u2028\u2029]/u,
  error: ({ position }) => `contains a line break at position ${position} and must be a single line`,
};

/**
 * Characters that are refused in every text, also in an export: PostgreSQL cannot store U+0000, UTF-8 cannot
 * encode a lone surrogate, and the others have no meaning in text.
 */
const UNSTORABLE_PATTERNS: readonly ForbiddenPattern[] = [
  { pattern: /(?![\t\n\r\u0085])\p{Cc}/u, error: refuse('a control character') },
  {
    pattern: /\p{Surrogate}/u,
    error: refuse('half of a surrogate pair', 'remove it or send the whole character'),
  },
  { pattern: /\p{Noncharacter_Code_Point}/u, error: refuse('a noncharacter') },
];

/**
 * Characters that cannot be stored, that are invisible, or that reorder the text around them (Unicode
 * Technical Standard #39 and Standard Annex #9). If two patterns match at one character, the first one in the
 * list decides the error.
 */
const FORBIDDEN: readonly ForbiddenPattern[] = [
  ...UNSTORABLE_PATTERNS,
  {
    pattern: /[\u202A-\u202E]/u,
    error: refuse('a bidirectional embedding or override', 'remove it or use isolates'),
  },
  {
    pattern: /\p{Variation_Selector}{2}/u,
    error: ({ position }) =>
      `contains a run of variation selectors at position ${position}: keep at most one after each character`,
  },
  {
    pattern: new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u'),
    error: ({ position }) =>
      `contains more than ${MAX_MARKS} combining marks in a row at position ${position}: keep fewer`,
  },
  {
    // Tag characters outside of flags, ideographic variation selectors without an ideograph, format characters.
    pattern: new RegExp(
      String.raw`[\u2061-\u2064\u206A-\u206F\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E00FF}\u{E01F0}-\u{E0FFF}]|` +
        String.raw`(?<!\p{Ideographic})[\u{E0100}-\u{E01EF}]`,
      'u',
    ),
    error: refuse('an invisible format character'),
  },
];

const RULES = {
  many: withScan(FORBIDDEN),
  one: withScan([LINE_BREAK, ...FORBIDDEN]),
  stored: withScan(UNSTORABLE_PATTERNS),
};

/**
 * @returns the patterns, and `scan`, which combines them to find the first forbidden character of a text. It
 *   also matches whole subdivision flags, which the caller skips
 */
function withScan(patterns: readonly ForbiddenPattern[]) {
  const all = [SUBDIVISION_FLAG, ...patterns.map(({ pattern }) => pattern)];
  return { patterns, scan: new RegExp(all.map(({ source }) => source).join('|'), 'gu') };
}

/** @returns the place of the first character that a pattern matches; null if it matches none */
export function firstMatchPosition(text: string, pattern: RegExp): Place | null {
  const index = text.search(pattern);
  return index === -1 ? null : placeOf(text, index);
}

/**
 * Validates a text to be published, in any field and on any transport. A valid text is stored exactly as
 * sent.
 * @returns the error for the model that sent the text, which follows the name of the field and never repeats
 *   the text; null if the text is valid
 */
export function validateText(text: string, { max, lines }: TextRule): string | null {
  const length = codePointLength(text);
  if (length === 0) return 'is empty: write something that can be seen';
  if (length > max) return lengthError(length, max);
  if (BLANK.test(text)) return 'is blank: write something that can be seen';
  if (PRINTABLE_ASCII[lines].test(text)) return null;
  return forbiddenPatternError(text, lines) ?? validateInvisible(text, length);
}

/**
 * Validates that a text of an export can be stored. The other rules of `validateText` are policy, which
 * changes between versions, and an export of an earlier version must import completely.
 * @param max in code points
 * @returns the error; null if the text is valid
 */
export function validateStoredText(text: string, max: number): string | null {
  const length = codePointLength(text);
  if (length === 0) return 'is empty';
  return length > max ? lengthError(length, max) : forbiddenPatternError(text, 'stored');
}

function forbiddenPatternError(text: string, rules: keyof typeof RULES): string | null {
  const { patterns, scan } = RULES[rules];
  for (const { 0: found, index } of text.matchAll(scan)) {
    if (SUBDIVISION_FLAG.test(found)) continue;
    const forbidden = patterns.find(({ pattern }) => found.search(pattern) === 0);
    return forbidden?.error(placeOf(text, index)) ?? null;
  }
  return null;
}

function placeOf(text: string, index: number): Place {
  const code = (text.codePointAt(index) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return { position: codePointLength(text.slice(0, index)), code: `U+${code}` };
}
