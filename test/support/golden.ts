import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/** Holds a text against its committed file; `npm run golden` writes the file anew, and the diff is for a reviewer. */
export function assertGolden(name: string, text: string): void {
  const file = new URL(`../golden/${name}`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  assert.equal(
    text,
    readFileSync(file, 'utf8'),
    `test/golden/${name} differs; if that is meant, run npm run golden`,
  );
}

export function assertGoldenJson(name: string, value: unknown): void {
  assertGolden(name, `${JSON.stringify(value, null, 2)}\n`);
}
