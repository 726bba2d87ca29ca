import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { loadTools } from '../../tools/load.ts';
import { VARIABLES } from '../../src/config.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

it('the README lists every tool as it is defined', async () => {
  const rows = (await loadTools()).map(({ name, http, title }) => `| \`${name}\` | \`${http}\` | ${title} |`);
  assert.ok(readme.includes(rows.join('\n')), `the table should read:\n${rows.join('\n')}`);
});

it('the README names every setting', () => {
  assert.deepEqual(
    VARIABLES.filter((name) => !readme.includes(`\`${name}\``)),
    [],
  );
});
