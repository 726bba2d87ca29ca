import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { loadTools } from '../../tools/load.ts';
import { assertGeneratedTable } from '../support/golden.ts';
import { SETTING_NAMES } from '#settings/config.ts';
import { formatPublished, PUBLISHED_HEAD, ROWS, type RowName } from '../../bench/rows.ts';

/** @returns the names in the first column of the table below the heading `Settings` */
function settingsIn(document: string): string[] {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
  const [, section = ''] = /\n## Settings\n(.*?)\n## /s.exec(text) ?? [];
  const columns = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, column = '']) => column);
  return columns.flatMap((column) => [...column.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

it('docs/clients.md lists every tool as it is defined', async () => {
  const rows = (await loadTools()).map(({ name, http }) => `| \`${name}\` | \`${http}\` |`);
  assertGeneratedTable('docs/clients.md', '<!-- tools:', ['| tool | REST |', '|---|---|', ...rows]);
});

it('the README and docs/operations.md list every setting, each once', () => {
  const listed = [...settingsIn('README.md'), ...settingsIn('docs/operations.md')];
  assert.deepEqual(listed.toSorted(), [...SETTING_NAMES].toSorted());
});

it('docs/performance.md has the ten rows that bench publishes, without goals', () => {
  const text = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');
  const [, table = ''] = text.split(`${PUBLISHED_HEAD}\n`);
  const titleOf = (row: string): string => row.split(' | ')[0] ?? '';
  const written = [...table.matchAll(/^\| .*$/gm)].map(([row]) => titleOf(row));
  const published = (Object.keys(ROWS) as RowName[]).flatMap(
    (name) => formatPublished(name, 1, '1, 2') ?? [],
  );
  assert.equal(published.length, 10);
  assert.deepEqual(written.toSorted(), published.map(titleOf).toSorted());
});
