import assert from 'node:assert/strict';
import test from 'node:test';
import { acceptsGzip } from '#http/responses/accept.ts';

const CASES: [header: string | undefined, accepts: boolean][] = [
  [undefined, false],
  ['', false],
  ['identity', false],
  ['br', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['*', true],
  ['gzip, deflate, br, zstd', true],
  ['deflate,gzip', true],
  ['br;q=1.0, gzip ; q=0.8, *;q=0.1', true],
  ['gzip;Q=0.001', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000, br', false],
  ['x-gzip;q=0', false],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['gzip, *;q=0', true],
  ['br, *;q=0.5', true],
  ['identity;q=0', false],
  ['identity;q=0, *', true],
  ['gzip;q=0.5, identity', false],
  ['gzip;q=0.5, identity;q=0.5', true],
  ['gzip;q=0.5, *', false],
  // Other forms than those of the specification.
  ['gzip;q=2', true],
  ['gzip;q=0.5555', true],
  ['gzip;level=1', true],
  ['gzip deflate', false],
  ['gzipped', false],
  [';q=1', false],
  ['gzip;q=0, *, x-gzip;q=0', false],
  [`${'br,'.repeat(332)}gzip`, true],
  [`${'br,'.repeat(333)}gzip`, false],
  [`gzip;q=${' '.repeat(16_000)}`, false],
];

for (const [header, accepts] of CASES) {
  test(`Accept-Encoding: ${header?.slice(0, 40) ?? 'none'} ${accepts ? 'accepts' : 'does not accept'} gzip`, () => {
    assert.equal(acceptsGzip(header), accepts);
  });
}
