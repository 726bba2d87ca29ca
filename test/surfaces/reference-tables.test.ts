import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { loadTools } from '../../tools/load.ts';
import { assertGeneratedTable } from '../support/golden.ts';
import { SETTING_NAMES } from '../../src/config.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

it('the README lists every tool as it is defined', async () => {
  const rows = (await loadTools()).map(({ name, http, title }) => `| \`${name}\` | \`${http}\` | ${title} |`);
  assertGeneratedTable('README.md', '<!-- tools:', ['| tool | REST | |', '|---|---|---|', ...rows]);
});

it('the README names every setting', () => {
  assert.deepEqual(
    SETTING_NAMES.filter((name) => !readme.includes(`\`${name}\``)),
    [],
  );
});
