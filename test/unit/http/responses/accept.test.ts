import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acceptsGzip, createTypeCheck, createTypeChoice, namesEventStream } from '#http/responses/accept.ts';

/** What the library that reads Accept does not say by itself. */
function testReader<Value>(
  read: (header: string | undefined) => Value,
  cases: [string | undefined, Value][],
) {
  for (const [accept, expected] of cases)
    test(`${accept?.slice(0, 80) ?? 'no header'}: ${expected}`, () => {
      assert.equal(read(accept), expected);
      assert.equal(read(accept), expected, 'remembered');
    });
}

describe('the type of the greatest weight is chosen, on a tie the first (RFC 9110 section 12.5.1)', () => {
  testReader(createTypeChoice(['text/html', 'text/markdown', 'application/json']), [
    [undefined, 'text/html'],
    ['', 'text/html'],
    ['*/*', 'text/html'],
    ['image/png', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['text/markdown, text/html, */*', 'text/markdown'],
    ['text/html, text/markdown', 'text/html'],
    ['text/*, text/html;q=0.1', 'text/markdown'],
    ['application/json, text/html;q=0', 'application/json'],
    ['application/json;q=0', 'text/html'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/json; profile="a,b;q=0"; q=0.9, text/html;q=0.8', 'application/json'],
    ['TEXT/MARKDOWN;Q=1.000 , TEXT/HTML ; q=0.999', 'text/markdown'],
    [`application/json${',a/b'.repeat(200)}`, 'application/json'],
    [`application/json${',a/b'.repeat(2000)}`, 'text/html'],
  ]);
});

describe('a type is accepted if its most specific range has a weight above 0', () => {
  testReader(createTypeCheck('application/json'), [
    [undefined, true],
    [' ', true],
    ['application/json, text/event-stream', true],
    ['application/json;q=0, */*', false],
    ['text/html', false],
  ]);
});

describe('only a range that names event streams asks for one', () => {
  testReader(namesEventStream, [
    [undefined, false],
    ['*/*', false],
    ['text/*', false],
    ['application/json, Text/Event-Stream;q=0.1', true],
    ['application/json, text/event-stream;q=0', false],
  ]);
});

describe('gzip is accepted if its weight is no lower than that of the plain form', () => {
  testReader(acceptsGzip, [
    [undefined, false],
    ['br', false],
    ['gzip, deflate, br, zstd', true],
    ['GZIP', true],
    ['*', true],
    ['x-gzip', true],
    ['x-gzip;q=0', false],
    ['br;q=1.0, gzip ; q=0.8, *;q=0.1', true],
    ['gzip;q=0.5, identity', false],
    ['gzip;q=0.5, identity;q=0.5', true],
    ['identity;q=0', false],
    // Other forms than those of the specification.
    ['gzip;level=1', true],
    ['gzipped', false],
    [`${'br,'.repeat(332)}gzip`, true],
    [`${'br,'.repeat(333)}gzip`, false],
    [`gzip;q=${' '.repeat(16_000)}`, false],
  ]);
});
