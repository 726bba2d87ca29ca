import fc from 'fast-check';
import type { Header } from './headers.ts';
import type { Condition } from './raw-request.ts';
import { headerSpelling } from './spelling.ts';

/** Ways to send an entity tag back in If-None-Match; most requests have none. */
export const CONDITIONS: readonly Condition[] = [
  undefined,
  undefined,
  (etag) => [etag],
  (etag) => [`W/${etag}`],
  (etag) => [`"x", ${etag}`],
  (etag) => [`${etag},W/"x"`],
  (etag) => [etag, etag],
  (etag) => [` ${etag} `],
  (etag) => [etag.toLowerCase()],
  (etag) => [etag.replaceAll('"', '')],
  () => ['*'],
  () => ['"x"'],
  () => [''],
];

const ACCEPT_VALUES = [
  '*/*',
  'application/json',
  'application/json;q=0.5, */*;q=0.1',
  'application/json, text/event-stream',
  'text/event-stream,application/json',
  'application/json; charset=utf-8, text/event-stream',
  'text/html',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/rss+xml',
  'application/rss+xml;q=0.9, application/xml',
  'text/*',
  'text/plain',
  'application/problem+json',
  'image/png',
  '*/*;q=0',
  'Application/JSON',
  '',
  ',',
];

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'Application/Json',
  'application/json ; charset="utf-8"',
  'application/json; charset=latin1',
  'application/json; boundary=x',
  'application/problem+json',
  'text/plain',
  '',
];

/** Headers that the fast path reads, and headers that it ignores. */
const OTHER_HEADERS: readonly Header[] = [
  ...ACCEPT_VALUES.map((value): Header => ['Accept', value]),
  ...ACCEPT_VALUES.slice(0, 4).map((value): Header => ['Accept', value]),
  ...CONTENT_TYPES.map((value): Header => ['Content-Type', value]),
  ['Host', 'localhost'],
  ['Host', '127.0.0.1:8080'],
  ['Host', 'zebra.example'],
  ['Host', ''],
  ['Host', 'a b'],
  ['Origin', 'http://localhost'],
  ['Origin', 'https://zebra.example'],
  ['Origin', 'null'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Site', 'same-origin'],
  ['Sec-Fetch-Mode', 'cors'],
  ['Connection', 'close'],
  ['Connection', 'keep-alive'],
  ['User-Agent', 'fuzz/1'],
  ...['gzip, br', 'gzip', 'GZIP;q=0.5', 'gzip;q=0, *', 'identity', 'br', ''].map(
    (value): Header => ['Accept-Encoding', value],
  ),
  ['Accept-Language', 'en'],
  ['Cache-Control', 'no-cache'],
  ['Cache-Control', 'max-age=0'],
  ['Pragma', 'no-cache'],
  ['If-Modified-Since', 'Mon, 02 Mar 2026 16:00:00 GMT'],
  ['If-Match', '*'],
  ['Range', 'bytes=0-10'],
  ['Expect', '100-continue'],
  ['Referer', 'https://zebra.example/'],
  ['X-Forwarded-For', '198.51.100.7'],
  ['X-Forwarded-For', '198.51.100.8'],
  ['X-Forwarded-For', '2001:db8::1'],
  ['X-Forwarded-Host', 'zebra.example'],
  ['X-Forwarded-Proto', 'https'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Content-Encoding', 'identity'],
  ['Content-Encoding', 'gzip'],
  ['Idempotency-Key', 'fuzz-key-one'],
  ['Idempotency-Key', '"fuzz-key-two"'],
  ['Idempotency-Key', 'short'],
  ['Mcp-Protocol-Version', '2025-11-25'],
  ['Mcp-Protocol-Version', '2026-07-28'],
  ['Mcp-Protocol-Version', '1999-01-01'],
  ['Mcp-Method', 'tools/list'],
  ['Mcp-Name', 'read_feed'],
  ['Mcp-Session-Id', 'x'],
  ['Last-Event-ID', '1'],
];

/** Functions that replace, add or remove headers of a request. */
export const headerChange: fc.Arbitrary<(headers: readonly Header[]) => readonly Header[]> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant((needed: readonly Header[]) => needed) },
      {
        weight: 6,
        arbitrary: fc.array(fc.constantFrom(...OTHER_HEADERS), { maxLength: 3 }).map((headers) => {
          const names = new Set(headers.map(([name]) => name));
          return (needed: readonly Header[]) => [...needed.filter(([name]) => !names.has(name)), ...headers];
        }),
      },
      {
        weight: 1,
        arbitrary: fc
          .nat({ max: 7 })
          .map(
            (out) => (needed: readonly Header[]) =>
              needed.filter((_, index) => index !== out % needed.length),
          ),
      },
    ),
    headerSpelling,
  )
  .map(
    ([change, spell]) =>
      (needed) =>
        spell(change(needed)),
  );
