import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Names that callers and readers no longer meet. The arguments `mark` have one more round. */
const EARLIER: readonly RegExp[] = [
  /\beyes\b/,
  /(?<!<)\bcircles?\b/i,
  /\bputOut\b|\bput out by\b/i,
  /\bnotConfirmed\b/,
  /\bpartly\b(?! confirmed)/,
  /\bmarks? (?:of a|[0-9a-z]{12}\b)/,
  /"in": ?"(?:circle|others)"/,
];

function assertPresentNames(where: string, text: string): void {
  for (const name of EARLIER) assert.doesNotMatch(text, name, where);
}

/** Files of a folder by their paths. */
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:md|json|txt|html|xml|atom|py|sh|ts)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));

test('no earlier name stands in what golden files, documents and conversations of the demo say', () => {
  const files = ['README.md', 'AGENTS.md'].map((name) => join(ROOT, name));
  for (const path of [...files, ...['test/golden', 'docs', 'data/demo'].flatMap(filesIn)])
    assertPresentNames(path, readFileSync(path, 'utf8'));
});

test('a message has a signer and no mark in each answer to a read', () => {
  const { components } = JSON.parse(readFileSync(join(ROOT, 'test/golden/openapi.json'), 'utf8')) as {
    components: object;
  };
  assert.doesNotMatch(JSON.stringify(components), /"(?:mark|circle|moreInCircle|putOut)"/);
});
