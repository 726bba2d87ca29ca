import { normalizeForMatching } from './normalize.ts';
import { LABELLED, type Patterns, TOKENS } from './secret-patterns.ts';

interface SecretPattern {
  kind: string;
  pattern: RegExp;
  isCredential: (found: RegExpExecArray) => boolean;
}

/** What a word begins after; escapes of a string (`\n`) and of an address (`%3D`) too, though they end in letters. */
const BREAK = /^|[^\w-]|\\[nrt]|%[\dA-Fa-f]{2}/;
const BREAK_AT_END = new RegExp(`(?:${BREAK.source})$`);
const BREAK_LENGTH = 3;

/** Said of keys that open nothing; the last two are published samples, of Stripe and of Azure's emulator. */
const PLACEHOLDER = new RegExp(
  [
    /changeme|dummy|example|fake|placeholder|redacted|sample|secret|your|x{4}/,
    /1234567|abcdefg|john.doe/,
    /4eC39HqLyjWDarjtT1zdp7dc|Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

const WORDS = /^(?:[^A-Z\d]*|[A-Z]+(?:[._-]+[A-Z]+)+)$/;
const MIN_DISTINCT_CHARACTERS = 7;

const PASSWORD_WORD = /^(?:[a-z_-]*(?:key|pass(?:word|wd)?|pw|pwd|secret|token)|\$.*|%\w+%|(.)\1*)$/i;
const RESERVED_HOST = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|localhost|test)$|^127\./i;

/** Every shape below has one of these in it, and few texts have any: looking for it first takes an eighth of the time. */
const LONG_WORD_OR_ADDRESS = /(?<![\w+/=.~%-])[\w+/=.~%-]{16}|:\/\//;

const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...toSecretPatterns(TOKENS, (found) => beginsWord(found) && looksRandom(found)),
  ...toSecretPatterns(LABELLED, looksRandom),
  {
    kind: 'a JSON Web Token',
    pattern: new RegExp(
      `(?<=${BREAK.source})${/(e[wy][\w-]{15,})\.(e[wy][\w-]{10,})\.[\w-]{20,}/.source}`,
      'g',
    ),
    isCredential: ([, header = '', payload = '']) => isSigned(header) && !PLACEHOLDER.test(decode(payload)),
  },
  {
    kind: 'an address with a password',
    pattern: /:\/\/([\w.~%!&*+=-]{0,100}):([\w.~%!$&*+=-]{4,100})@([\w-]+(?:\.[\w-]+)+)/g,
    isCredential: ([, user, password = '', host = '']) =>
      password !== user &&
      !PASSWORD_WORD.test(password) &&
      !PLACEHOLDER.test(password) &&
      !RESERVED_HOST.test(host),
  },
];

function toSecretPatterns(patterns: Patterns, isCredential: SecretPattern['isCredential']): SecretPattern[] {
  return Object.entries(patterns).flatMap(([kind, several]) =>
    several.map((pattern) => ({
      kind,
      pattern: new RegExp(pattern, `g${pattern.flags}`),
      isCredential,
    })),
  );
}

function beginsWord({ input, index }: RegExpExecArray): boolean {
  return BREAK_AT_END.test(input.slice(Math.max(0, index - BREAK_LENGTH), index));
}

/** Whether chance made it, and not somebody who shows how such a thing looks. */
function looksRandom([, secret = '']: RegExpExecArray): boolean {
  return new Set(secret).size >= MIN_DISTINCT_CHARACTERS && !WORDS.test(secret) && !PLACEHOLDER.test(secret);
}

function decode(part: string): string {
  return Buffer.from(part, 'base64url').toString();
}

function isSigned(header: string): boolean {
  try {
    const fields: unknown = JSON.parse(decode(header));
    return typeof fields === 'object' && fields !== null && 'alg' in fields && fields.alg !== 'none';
  } catch {
    return false;
  }
}

/**
 * The kind of a credential that a text seems to hold, in words that go into a sentence and never in the text's own.
 * It saves an agent from a slip, and does not stop one who means to publish a secret.
 * @returns null where it isCredential none
 */
export function secretIn(text: string): string | null {
  const seen = normalizeForMatching(text);
  if (!LONG_WORD_OR_ADDRESS.test(seen)) return null;
  for (const { kind, pattern, isCredential } of SECRET_PATTERNS) {
    for (const found of seen.matchAll(pattern)) {
      if (isCredential(found)) return kind;
    }
  }
  return null;
}
