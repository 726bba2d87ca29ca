// Run by npm before and after it packs: the packed package.json has no `dependencies`, since dist/ holds them. A
// source checkout needs them.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MANIFEST = join(import.meta.dirname, '..', 'package.json');
/** npm packs no file with this ending. */
const ORIGINAL = `${MANIFEST}.orig`;

if (process.env.npm_lifecycle_event === 'postpack') {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
} else {
  const text = readFileSync(MANIFEST, 'utf8');
  const { dependencies, ...packed } = JSON.parse(text);
  // Without them a run that was killed has left its original.
  if (dependencies !== undefined) {
    writeFileSync(ORIGINAL, text);
    // Others may read it at any time, and never half of it.
    writeFileSync(`${MANIFEST}.new`, `${JSON.stringify(packed, null, 2)}\n`);
    renameSync(`${MANIFEST}.new`, MANIFEST);
  }
}
