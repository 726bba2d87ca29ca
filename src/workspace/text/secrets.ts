import { normalizeForMatching } from './invisible.ts';
import { LABELLED_PATTERNS, type PatternsByKind, TOKEN_PATTERNS } from './secret-patterns.ts';

interface SecretPattern {
  /** With an article, for a sentence. */
  kind: string;
  /** With the flag `g`. */
  pattern: RegExp;
  /** Whether a match is a real credential, not a placeholder. */
  isCredential: (found: RegExpExecArray) => boolean;
}

/** What precedes a word, including string escapes (`\n`) and percent-encoding (`%3D`), which end in letters. */
const WORD_BREAK = /^|[^\w-]|\\[nrt]|%[\dA-Fa-f]{2}/;
const WORD_BREAK_AT_END = new RegExp(`(?:${WORD_BREAK.source})$`);
const MAX_WORD_BREAK_LENGTH = 3;

/**
 * Parts of credentials that give no access. The last four lines have published samples: those of Stripe,
 * Azure's emulator, RFC 7515, 7517, 7617, 8037 and 8410 and NIP-19, and the ends of those in BIP 32.
 */
const PLACEHOLDER = new RegExp(
  [
    /changeme|dummy|example|fake|placeholder|redacted|sample|secret|your|x{4}/,
    /1234567|abcdefg|john.doe|"role": ?"anon"|dXNlcjpwYXNz|dXNlcm5hbWU6cGFzc3/,
    /4eC39HqLyjWDarjtT1zdp7dc|Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1|INTuctv5E1hK1bbY8fdp|vl029mgpspedva04/,
    /jpsQnnGQmL-YBIff|Eq5xpGnNCivDflJs|870MB6gfuTJ4HtUn|X4cTteJY_gn4FYPs|QWxhZGRpbj|nWGxne_9WmC6hEr0/,
    /(?:rMPH[iL]|bhkJ7|xe8fs|X7UiM|in334|BDu76|CzC2U|6pgKt|EPdU9|dw4Ef|VbFWc|r9E7j|mhgC6)$/,
    /(?:ViL4L|hQmRv|kao9G|6XLT1|dwKvH|X92JQ|Qen6J|TUrcv|cqVUN|VvEHx|g1y3G)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/** The name of a variable or a sentence: words without capitals and digits, or several words in capitals. */
const WORDS_OF_ONE_CASE = /^(?:[^A-Z\d]*|[A-Z]+(?:[._-]+[A-Z]+)+)$/;
const MIN_DISTINCT_CHARACTERS = 7;
/** The member d of an RSA key is so long that one in about 2,000 contains `your` or `fake` by chance. */
const LONG_CREDENTIAL = 64;
/** The maximum number of characters between two members of a JSON Web Key. */
const WEB_KEY_CHARACTERS = 4_000;

/** A name (`password`, `api_key`), a variable (`$PASS`, `%PASS%`), or one character repeated. */
const PLACEHOLDER_PASSWORD = /^(?:[a-z_-]*(?:key|pass(?:word|wd)?|pw|pwd|secret|token)|\$.*|%\w+%|(.)\1*)$/i;
/** RFC 3986, section 2.3. */
const ENCODED_UNRESERVED = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi;
/** Host names of RFC 2606 and RFC 6761, and the loopback network 127.0.0.0/8. */
const RESERVED_HOST = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|localhost|test)$|^127\./i;

/**
 * Every pattern below needs one of these, and most texts without links have none. Testing for them first
 * makes the search eight times as fast.
 */
const LONG_WORD_OR_ADDRESS = /(?:^|[^\w+/=.~%-])[\w+/=.~%-]{16}|:\/\//;

const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...toSecretPatterns(TOKEN_PATTERNS, (found) => beginsWord(found) && looksRandom(found)),
  ...toSecretPatterns(LABELLED_PATTERNS, looksRandom),
  {
    // RFC 7519, compact serialization. `e[wy]` is base64url for an opening brace and a quotation mark or
    // white space.
    kind: 'a JSON Web Token',
    pattern: new RegExp(
      `(?<=${WORD_BREAK.source})${/(e[wy][\w-]{15,})\.(e[wy][\w-]{10,})\.[\w-]{20,}/.source}`,
      'g',
    ),
    isCredential: ([, header = '', payload = '']) =>
      isSigned(header) && !PLACEHOLDER.test(Buffer.from(payload, 'base64url').toString()),
  },
  {
    // RFC 7518, sections 6.2.2 and 6.3.2: the member d of a JSON Web Key.
    kind: 'a private key',
    pattern: /\bd["'\\`]{0,4}\s{0,5}:\s{0,5}["'\\`]{1,4}([\w-]{20,})/g,
    isCredential: (found) => looksRandom(found) && isInWebKey(found),
  },
  {
    // RFC 3986, section 3.2.1 (userinfo). Anyone can use the logins of demonstrations.
    kind: 'a URL with a password',
    pattern: new RegExp(
      /:\/\/(?!anonymous:|(demo|guest|test|user):\1\d{0,20}@)([\w.~%!&*+=-]{0,100})/.source +
        /:([\w.~%!$&*+=-]{4,100})@([\w-]+(?:\.[\w-]+)+)/.source,
      'g',
    ),
    isCredential: ([, , user, password = '', host = '']) =>
      password !== user &&
      !PLACEHOLDER_PASSWORD.test(password) &&
      !PLACEHOLDER.test(password) &&
      !RESERVED_HOST.test(host),
  },
];

function toSecretPatterns(
  patterns: PatternsByKind,
  isCredential: SecretPattern['isCredential'],
): SecretPattern[] {
  return Object.entries(patterns).flatMap(([kind, several]) =>
    several.map((pattern) => ({
      kind,
      pattern: new RegExp(pattern, `g${pattern.flags}`),
      isCredential,
    })),
  );
}

function beginsWord({ input, index }: RegExpExecArray): boolean {
  return WORD_BREAK_AT_END.test(input.slice(Math.max(0, index - MAX_WORD_BREAK_LENGTH), index));
}

/** Whether group 1 looks generated, unlike a placeholder in documentation. */
function looksRandom([, secret = '']: RegExpExecArray): boolean {
  if (new Set(secret).size < MIN_DISTINCT_CHARACTERS || WORDS_OF_ONE_CASE.test(secret)) return false;
  const [placeholder] = PLACEHOLDER.exec(secret) ?? [];
  if (placeholder === undefined) return true;
  return placeholder.length === 4 && secret.length > LONG_CREDENTIAL;
}

/** Whether the type of a JSON Web Key is near. A text may have hundreds of members `d`. */
function isInWebKey({ 0: { length }, input, index }: RegExpExecArray): boolean {
  const around = input.slice(Math.max(0, index - WEB_KEY_CHARACTERS), index + length + WEB_KEY_CHARACTERS);
  return around.includes('kty');
}

/** Whether the JOSE header names an algorithm other than `none` (an unsecured JWT, RFC 7519, section 6). */
function isSigned(header: string): boolean {
  try {
    const fields: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    return typeof fields === 'object' && fields !== null && 'alg' in fields && fields.alg !== 'none';
  } catch {
    return false;
  }
}

/**
 * Searches a text for a credential. It prevents accidents; it does not stop a caller that wants to publish
 * one.
 * @returns the kind of the first credential, such as `a GitHub token`, never a part of the text; null without
 *   one
 */
export function findSecret(text: string): string | null {
  const plain = normalizeForMatching(text);
  const decoded = plain.replace(ENCODED_UNRESERVED, decodeURIComponent);
  const normalized = decoded === plain ? plain : `${plain}\n${decoded}`;
  if (!LONG_WORD_OR_ADDRESS.test(normalized)) return null;
  for (const { kind, pattern, isCredential } of SECRET_PATTERNS) {
    for (const found of normalized.matchAll(pattern)) {
      if (isCredential(found)) return kind;
    }
  }
  return null;
}
