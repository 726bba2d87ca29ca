import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key of a receipt. No file has one with right check digits, since models copy what they read. */
const KEY = /plk(?:-[0-9A-Z]{5}){3}/g;
const ANY_KEY = 'plk-XXXXX-XXXXX-XXXXX';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Compares a text with its committed file. With UPDATE_GENERATED=1, which `npm run gen` sets, it writes the
 * file first.
 * @param path from the top level of the project
 * @param given with author keys, which the file has not
 */
export function assertGenerated(path: string, given: string): void {
  const text = given.replaceAll(KEY, ANY_KEY);
  const file = join(ROOT, path);
  if (process.env['UPDATE_GENERATED'] === '1') writeFileSync(file, text);
  assert.ok(existsSync(file), `${path} is missing; npm run gen writes it`);
  assert.equal(text, readFileSync(file, 'utf8'), `${path} differs; if that is meant, run npm run gen`);
}

/** The same for a part of a file: the paragraph after the one that holds `marker`. */
export function assertGeneratedTable(path: string, marker: string, rows: readonly string[]): void {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const begin = text.indexOf('\n\n', text.indexOf(marker)) + 2;
  const end = text.indexOf('\n\n', begin);
  assertGenerated(path, `${text.slice(0, begin)}${rows.join('\n')}${text.slice(end)}`);
}

export function assertGolden(name: string, text: string): void {
  assertGenerated(`test/golden/${name}`, text);
}

export function assertGoldenJson(name: string, value: unknown): void {
  assertGolden(name, `${JSON.stringify(value, null, 2)}\n`);
}
