import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTypeCheck, createTypeChoice, namesEventStream } from '#http/responses/accept.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Of HTML, Markdown and JSON. */
const CHOICES: [accept: string | undefined, chosen: 'html' | 'markdown' | 'json'][] = [
  [undefined, 'html'],
  ['', 'html'],
  ['*/*', 'html'],
  ['text/*', 'html'],
  ['application/*', 'json'],
  ['image/png', 'html'],
  [BROWSER, 'html'],
  ['text/markdown', 'markdown'],
  ['text/markdown, text/html, */*', 'markdown'],
  ['text/html, text/markdown', 'html'],
  ['text/markdown, text/html;q=0.9', 'markdown'],
  ['text/html;q=0.9, text/markdown', 'markdown'],
  ['text/markdown;q=0.5, text/html;q=0.9', 'html'],
  ['text/markdown;q=0.5, */*;q=0.1', 'markdown'],
  ['text/*;q=0.3, text/html;q=0.7, */*;q=0.5', 'html'],
  ['*/*, text/html;q=0', 'markdown'],
  ['text/*, text/html;q=0.1', 'markdown'],
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
  ['application/json; profile="a,b;q=0"; q=0.9, text/html;q=0.8', 'json'],
  ['text/plain, application/json;q=0.5', 'json'],
  ['application/json, text/html;q=0.1', 'json'],
  ['application/json, text/html;q=0', 'json'],
  ['application/json, text/plain, */*', 'json'],
  ['application/json;q=0', 'html'],
  ['application/problem+json', 'html'],
  ['TEXT/MARKDOWN;Q=1.000 , TEXT/HTML ; q=0.999', 'markdown'],
  [`application/json${',a/b'.repeat(200)}`, 'json'],
  [`application/json${',a/b'.repeat(2000)}`, 'html'],
];

describe('the type of the greatest weight is chosen, on a tie the first (RFC 9110 section 12.5.1)', () => {
  const choose = createTypeChoice(['text/html', 'text/markdown', 'application/json']);
  for (const [accept, chosen] of CHOICES)
    test(`Accept: ${accept?.slice(0, 80) ?? 'none'}: ${chosen}`, () => {
      assert.equal(choose(accept).split('/')[1], chosen);
      assert.equal(choose(accept).split('/')[1], chosen, 'remembered');
    });
});

const CHECKS: [accept: string | undefined, accepts: boolean][] = [
  [undefined, true],
  [' ', true],
  ['*/*', true],
  ['application/*', true],
  ['application/json, text/event-stream', true],
  ['application/json;q=0', false],
  ['application/json;q=0.000, text/event-stream', false],
  ['application/json;q=0, */*', false],
  ['*/*;q=0', false],
  ['text/html', false],
];

describe('a type is accepted if its most specific range has a weight above 0', () => {
  const accepts = createTypeCheck('application/json');
  for (const [accept, expected] of CHECKS)
    test(`Accept: ${accept ?? 'none'}: ${expected}`, () => {
      assert.equal(accepts(accept), expected);
    });
});

const STREAMS: [accept: string | undefined, names: boolean][] = [
  [undefined, false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['application/json, text/event-stream', true],
  ['application/json, Text/Event-Stream;q=0.1', true],
  ['application/json, text/event-stream;q=0', false],
  ['application/json, text/event-stream-of-another-kind', false],
];

describe('only a range that names event streams asks for one', () => {
  for (const [accept, expected] of STREAMS)
    test(`Accept: ${accept ?? 'none'}: ${expected}`, () => {
      assert.equal(namesEventStream(accept), expected);
    });
});
