import { validateInvisible } from './invisible.ts';

export interface TextRule {
  /** Fewest and most code points. */
  min: number;
  max: number;
  lines: 'one' | 'many';
}

interface ForbiddenPattern {
  pattern: RegExp;
  error: (position: number, code: string) => string;
}

const ASTRAL = /[\u{10000}-\u{10FFFF}]/gu;
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

/** England, Scotland and Wales, the only ones of emoji-test.txt: black flag, `gb` and the country in tags, cancel tag. */
const SUBDIVISION_FLAG =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u;

/** Holds nothing that is refused. */
const PRINTABLE_ASCII = { many: /^[\t\n\r\x20-\x7E]*$/, one: /^[\t\x20-\x7E]*$/ };

const LINE_BREAK: ForbiddenPattern = {
  pattern: /[\n\r\u0085\u2028\u2029]/u,
  error: (position) => `holds a line break at position ${position} and must be a single line`,
};

/** What not every engine can store. */
const UNSTORABLE: readonly ForbiddenPattern[] = [
  {
    pattern: /(?![\t\n\r\u0085])\p{Cc}/u,
    error: (position, code) => `holds a control character (${code}) at position ${position}: remove it`,
  },
  {
    pattern: /\p{Surrogate}/u,
    error: (position, code) =>
      `holds half of a surrogate pair (${code}) at position ${position}: remove it or send the whole character`,
  },
  {
    pattern: /\p{Noncharacter_Code_Point}/u,
    error: (position, code) => `holds a noncharacter (${code}) at position ${position}: remove it`,
  },
];

/**
 * What a reader cannot see or cannot trust, and what cannot be stored. Where two begin at one character the error names
 * the upper one.
 */
const FORBIDDEN: readonly ForbiddenPattern[] = [
  ...UNSTORABLE,
  {
    pattern: /[\u{E0000}-\u{E007F}]/u,
    error: (position, code) =>
      `holds a tag character outside a flag (${code}) at position ${position}: remove it`,
  },
  {
    pattern: /[\u202A-\u202E]/u,
    error: (position, code) =>
      `holds a bidirectional embedding or override (${code}) at position ${position}: remove it or use isolates`,
  },
  {
    pattern: /\p{Variation_Selector}{2}/u,
    error: (position) =>
      `holds a run of variation selectors at position ${position}: keep at most one after each character`,
  },
  {
    pattern: /\p{M}{31}/u,
    error: (position) => `holds more than 30 combining marks in a row at position ${position}: keep fewer`,
  },
  {
    pattern:
      /[\u2061-\u2064\u206A-\u206F\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0080}-\u{E00FF}\u{E01F0}-\u{E0FFF}]/u,
    error: (position, code) =>
      `holds an invisible format character (${code}) at position ${position}: remove it`,
  },
  {
    pattern: /(?<!\p{Ideographic})[\u{E0100}-\u{E01EF}]/u,
    error: (position, code) =>
      `holds an ideographic variation selector (${code}) after no ideograph at position ${position}: remove it`,
  },
];

const FORBIDDEN_BY_RULE = { many: FORBIDDEN, one: [LINE_BREAK, ...FORBIDDEN], stored: UNSTORABLE };
const FORBIDDEN_SCAN = {
  many: scanFor(FORBIDDEN_BY_RULE.many),
  one: scanFor(FORBIDDEN_BY_RULE.one),
  stored: scanFor(FORBIDDEN_BY_RULE.stored),
};

/** All bans in one pass, so that the first flaw of the text is the one told; a whole flag is stepped over. */
function scanFor(bans: readonly ForbiddenPattern[]): RegExp {
  return new RegExp(
    [SUBDIVISION_FLAG, ...bans.map((ban) => ban.pattern)].map(({ source }) => source).join('|'),
    'gu',
  );
}

/** Unicode code points, as JSON Schema's maxLength counts; a lone surrogate is one. */
export function codePointLength(text: string): number {
  return text.length - (text.match(ASTRAL)?.length ?? 0);
}

/**
 * Where the first match of a pattern begins.
 * @returns its 0-based code point index and its code point as U+XXXX, which names a character without echoing it
 */
export function firstMatchPosition(text: string, pattern: RegExp): { position: number; code: string } | null {
  const index = text.search(pattern);
  return index === -1 ? null : { position: codePointLength(text.slice(0, index)), code: codeAt(text, index) };
}

/**
 * Why a text is not published, worded for the model that sent it; it goes after the name of the field and never echoes
 * the text. One rule for every text of every surface: what passes is stored exactly as sent.
 * @returns null when the text is fine
 */
export function validateText(text: string, { min, max, lines }: TextRule): string | null {
  const length = codePointLength(text);
  if (length === 0 && min > 0) return 'is empty: write something that can be seen';
  if (BLANK.test(text)) return 'is blank: write something that can be seen';
  if (length < min) return `is too short: its length must be at least ${min}`;
  if (length > max) return lengthError(length, max);
  if (PRINTABLE_ASCII[lines].test(text)) return null;
  return (
    forbiddenPatternError(text, lines) ??
    validateInvisible(text, length, (index) => codePointLength(text.slice(0, index)))
  );
}

/**
 * Why a text that was published before cannot be stored. What `flawOf` refuses besides is policy, which changes with
 * time, and an export of an earlier version has to come in whole.
 * @returns null when the text is fine
 */
export function validateStoredText(text: string, max: number): string | null {
  const length = codePointLength(text);
  if (length === 0) return 'is empty';
  return length > max ? lengthError(length, max) : forbiddenPatternError(text, 'stored');
}

function lengthError(length: number, max: number): string {
  return `has ${length} characters and may have at most ${max}: shorten it by ${length - max}`;
}

function forbiddenPatternError(text: string, rules: keyof typeof FORBIDDEN_BY_RULE): string | null {
  for (const { 0: found, index } of text.matchAll(FORBIDDEN_SCAN[rules])) {
    if (SUBDIVISION_FLAG.test(found)) continue;
    const ban = FORBIDDEN_BY_RULE[rules].find(({ pattern }) => found.search(pattern) === 0);
    return ban?.error(codePointLength(text.slice(0, index)), codeAt(text, index)) ?? null;
  }
  return null;
}

function codeAt(text: string, index: number): string {
  return `U+${(text.codePointAt(index) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
