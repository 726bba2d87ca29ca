import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHttpDate } from '#http/responses/cacheable-response.ts';

const NOW = Date.parse('2026-11-26T00:00:00Z');

const DATES: [text: string, time: string | undefined][] = [
  // The example of RFC 9110 section 5.6.7 in its three forms.
  ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z'],
  ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z'],
  ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z'],
  ['Sun Nov 16 08:49:37 2025', '2025-11-16T08:49:37Z'],
  ['Thursday, 26-Nov-26 00:00:00 GMT', '2026-11-26T00:00:00Z'],
  ['Thursday, 26-Nov-76 00:00:00 GMT', '2076-11-26T00:00:00Z'],
  ['Thursday, 26-Nov-77 00:00:00 GMT', '1977-11-26T00:00:00Z'],
  ['Thu, 29 Feb 2024 23:59:59 GMT', '2024-02-29T23:59:59Z'],
  ['Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00Z'],
  ['Thu, 31 Dec 2099 00:00:00 GMT', '2099-12-31T00:00:00Z'],
  ['', undefined],
  ['2099', undefined],
  ['0', undefined],
  ['1994-11-06T08:49:37Z', undefined],
  ['Sun, 06 Nov 1994 08:49:37', undefined],
  ['Sun, 06 Nov 1994 08:49:37 UTC', undefined],
  ['Sun, 06 Nov 1994 08:49:37 +0100', undefined],
  ['Sun, 6 Nov 1994 08:49:37 GMT', undefined],
  ['06 Nov 1994 08:49:37 GMT', undefined],
  ['sun, 06 nov 1994 08:49:37 gmt', undefined],
  ['Sun Nov 6 08:49:37 1994', undefined],
  ['Sun Nov  6 08:49:37 1994 GMT', undefined],
  ['Sunday, 06-Nov-1994 08:49:37 GMT', undefined],
  ['Sun, 06 Nov 1994 24:00:00 GMT', undefined],
  ['Sun, 06 Nov 1994 08:60:37 GMT', undefined],
  ['Sun, 30 Feb 2024 08:49:37 GMT', undefined],
  ['Sun, 00 Nov 1994 08:49:37 GMT', undefined],
  ['Sun, 06 Nov 1994 08:49:37 GMT; length=5', undefined],
];

describe('a date of a header has one of the three forms of RFC 9110 section 5.6.7, in UTC', () => {
  for (const [text, time] of DATES)
    it(JSON.stringify(text), () => {
      assert.equal(parseHttpDate(text, NOW), time === undefined ? undefined : Date.parse(time));
    });

  it('in any time zone of the machine', (t) => {
    const zone = process.env['TZ'];
    t.after(() => {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    });
    for (const TZ of ['America/Los_Angeles', 'Asia/Tokyo']) {
      process.env['TZ'] = TZ;
      assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994', NOW), Date.parse('1994-11-06T08:49:37Z'), TZ);
    }
  });
});
