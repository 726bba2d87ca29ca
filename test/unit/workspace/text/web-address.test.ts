import assert from 'node:assert/strict';
import test from 'node:test';
import { validateWebAddress } from '#workspace/text/links.ts';

const ACCEPTED: Record<string, string> = {
  http: 'http://example.org',
  'https with path, query and fragment': 'https://example.org:8443/a/b.c?d=e&f=https://x.org#g',
  'a scheme in capitals': 'HTTPS://EXAMPLE.ORG/',
  'a host in another script': 'https://b\u00FCcher.example/\u672C',
  'an IP address': 'http://[2001:db8::1]/',
  'a host without a dot': 'http://localhost:3000',
  'an @ after the host': 'https://example.org/@someone?to=a@b.example#@c',
  'percent-encoded characters': 'https://example.org/a%20b%E2%80%8C',
  'a visible emoji': 'https://example.org/\u{1F600}',
  '2,000 characters': `https://x.org/${'a'.repeat(1986)}`,
  '2,000 characters, emoji among them': `https://x.org/${'\u{1F600}'.repeat(1986)}`,
};

for (const [name, text] of Object.entries(ACCEPTED)) {
  test(`accepted: ${name}`, () => {
    assert.equal(validateWebAddress(text), null);
  });
}

const BEGIN = /^is not a web address: begin it with http:\/\/ or https:\/\/$/;
const HOST = /^has no host: /;
const CREDENTIALS = /^contains a user name or password /;
const INVALID = /^is not a valid web address: /;

const REFUSED: Record<string, [text: string, error: RegExp]> = {
  'an empty address': ['', /^is empty: /],
  'a blank address': [' ', /^is blank: /],
  '2,001 characters': [`https://x.org/${'a'.repeat(1987)}`, /^has 2001 characters .*: shorten it by 1$/],
  'javascript:': ['javascript:alert(1)', BEGIN],
  'data:': ['data:text/html,x', BEGIN],
  'ftp:': ['ftp://example.org', BEGIN],
  'a protocol-relative address': ['//x.org', BEGIN],
  'a bare host name': ['example.org', BEGIN],
  'no slash': ['https:x.org', BEGIN],
  'no host': ['http://', HOST],
  'a query where the host belongs': ['https://?x.org', HOST],
  'backslashes for slashes': ['https:\\\\x.org', /^contains a backslash \(U\+005C\) at position 6: /],
  'a backslash in the path': ['https://x.org/a\\b', /^contains a backslash .* at position 15: /],
  'a space within': ['https://x.org/a b', /^contains white space \(U\+0020\) at position 15: /],
  'a space before': [' https://x.org', /^contains white space .* at position 0: /],
  'a line break': ['https://x.org\n', /^contains a line break at position 13 /],
  'a control': ['https://x.org/\u0000', /^contains a control character \(U\+0000\) at position 14: /],
  'a zero width space': [
    'https://x\u200B.org',
    /^contains an invisible character \(U\+200B\) at position 9: /,
  ],
  'a user and password': ['https://me:secret@x.org', CREDENTIALS],
  'a host name as the user name': ['https://good.example@evil.example', CREDENTIALS],
  'a port out of range': ['https://x.org:65536', INVALID],
  'a broken IP address': ['http://[::1', INVALID],
};

for (const [name, [text, error]] of Object.entries(REFUSED)) {
  test(`refused: ${name}`, () => {
    assert.match(String(validateWebAddress(text)), error);
  });
}

test('an error never repeats the address', () => {
  for (const [text] of Object.values(REFUSED)) {
    assert.match(String(validateWebAddress(text)), /^[\x20-\x7E]{10,150}$/);
    assert.doesNotMatch(String(validateWebAddress(text)), /x\.org|example|secret|alert/);
  }
});
