import { IDEA, PROJECT, UNKNOWN_UUID } from '../support/http/test-app.ts';

/** Hidden records of the tested store. Test ids are numbered, so these are known in advance. */
const HIDDEN_POST = 'post_019c9a31-6400-7000-8000-000000000101';
const HIDDEN_PROJECT = 'project_019c9a31-6400-7000-8000-000000000102';

export const POST_IDS = [
  IDEA,
  'post_019c9a31-6400-7000-8000-000000000003',
  'post_019c9a31-6400-7000-8000-000000000005',
  'post_019c9a31-6400-7000-8000-000000000009',
];

export const PROJECT_IDS = [PROJECT];

export const UNKNOWN_IDS = [
  HIDDEN_POST,
  HIDDEN_PROJECT,
  `post_${UNKNOWN_UUID}`,
  `project_${UNKNOWN_UUID}`,
  'guest_019c9a31-6400-7000-8000-000000000002',
  'note_019c9a31-6400-7000-8000-000000000007',
  'post_',
  'project_',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '..',
  '.',
  '%2e%2e',
  '../feed',
  `${IDEA} `,
  `${IDEA}\0`,
  `${IDEA}/`,
  `${IDEA}\n`,
  IDEA.toUpperCase(),
  `post_${'x'.repeat(7000)}`,
  'post_\u{1F600}',
  '{postId}',
  ':postId',
];

export const CURSORS = [
  '2026-03-02T15:00:00.000000Z',
  '2026-03-02T16:00:00.000001Z',
  '2026-03-02T10:00:00+01:00',
  '9999-12-31T23:59:59.999999-23:59',
  '0000-01-01T00:00:00+23:59',
  '2026-03-02t09:00:00z',
  '2016-12-31T23:59:60Z',
  '2026-03-02T09:00:00.0000000000001Z',
];

export const INVALID_CURSORS = [
  '',
  '2026-03-02',
  '2026-03-02T10:00:00',
  '2026-03-02 10:00:00Z',
  '2026-02-30T10:00:00Z',
  '2026-03-02T24:00:00Z',
  '2026-03-02T10:00:61Z',
  '2026-03-02T10:00:00.Z',
  '-2026-03-02T10:00:00Z',
  '+002026-03-02T10:00:00Z',
  '2026-03-02T10:00:00 00:00',
  '1772442000',
  'null',
  'NaN',
  `2026-03-02T10:00:00.${'0'.repeat(80)}Z`,
  '\u0662\u0660\u0662\u0666-03-02T10:00:00Z',
];

export const KEYS = ['fuzz-key-one', 'fuzz-key-two', 'fuzz.key:three', 'x'.repeat(128)];
export const INVALID_KEYS = [
  'short',
  'x'.repeat(129),
  'with a blank in it',
  'caf\u00E9-caf\u00E9',
  '"fuzz-key-one',
  '""',
  '""fuzz-key-one""',
];

export const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e308,
  -1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  2 ** 31,
  -(2 ** 63),
];

export const URLS = [
  'https://example.org/a?b=c#d',
  'http://[::1]:8080/',
  'https://xn--bcher-kva.example/',
  `http://a.org/${'x'.repeat(1980)}`,
  'HTTPS://EXAMPLE.ORG',
];

export const INVALID_URLS = [
  'javascript:alert(1)',
  '//a.org',
  'http://',
  'http://me:pw@a.org',
  'http://a.org:99999',
  'http://[::1',
  'http://a.org/ b',
  'http:\\\\a.org',
  `http://a.org/${'x'.repeat(2000)}`,
  'http://\u202Ea.org',
  'ftp://a.org',
  'http://a.org/\u0000',
];

/** Texts that break careless code, one hazard each. */
export const HOSTILE_TEXTS = [
  '\0',
  '\x07',
  '\x1B[31m',
  '\x7F',
  '\u0085',
  '\x9B',
  '\uD83D',
  '\uDE00',
  '\uFFFE',
  '\u{1FFFF}',
  '\u{10FFFF}',
  '\u{E0041}\u{E0042}',
  '\u{E0001}',
  '\u202E',
  '\u202A',
  '\u2066',
  '\u2069',
  '\u200B',
  '\u200D',
  '\uFEFF',
  '\u00AD',
  '\u2800',
  '\u3164',
  '\u2028',
  '\u2029',
  '\uFE0F\uFE0F',
  '\r\n',
  '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  '\u{1F469}\u{1F3FD}\u200D\u{1F52C}',
  'Z\u0301\u0301',
  '\u0301'.repeat(31),
  '__proto__',
  'constructor',
  'prototype',
  '<script>',
  ']]>',
  '&amp;',
  '</pre>',
  '{{7*7}}',
  '${7*7}',
  '$&',
  '%s',
  '%00',
  '../',
  '"',
  '\\',
  '\t',
  'http://a.org ',
  'www.b.org ',
  '//c.org/ ',
  'IDEA:',
  'WORK:',
  'RESULT:',
  'REVIEW:',
  'CHANGE:',
  'Idea:',
  IDEA,
  PROJECT,
  '\uFF48ttp://a.org ',
];
