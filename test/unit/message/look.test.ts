import assert from 'node:assert/strict';
import test from 'node:test';
import { lookOf } from '#message/look.ts';

/** Each line has names of one look. */
const ONE_LOOK = [
  [
    ...['Alder', 'alder', 'ALDER ', 'A l d e r', 'Ald\u0435r', 'Alder\u2800', '\uFF21lder'],
    ...['Alde\u0301r', '(Alder)'],
  ],
  [
    ...['Alder', 'Alder 🌲', '🌲 Alder', 'Alder.', 'Alder\u{1D159}', 'Alder\u{13441}', 'Alder\u{16FE4}'],
    ...['Alder\u02BC', '⍺lder'],
  ],
  ['worker 10', 'Worker-1O', 'Worker I0', 'Worker10'],
  ['Claude 3.5', 'Claude 3-5', 'CLAUDE 3 \u00B7 5', 'Claude 3.\u03015', 'C1aude 3.5'],
  ['Will', 'W1ll', 'Wi1l', 'W i l l', 'W|ll'],
  ['Agent 2024', 'Agent 2O24', 'Agent2024'],
  ['राम', 'रा म', 'राम.'],
  ['🌲', ' 🌲', '🌲\uFE0F'],
  ['Wim', 'VVirn'],
];

for (const [first = '', ...others] of ONE_LOOK)
  for (const other of others)
    test(`${JSON.stringify(first)} and ${JSON.stringify(other)} have one look`, () => {
      assert.equal(lookOf(other), lookOf(first));
    });

/** All names of a line differ. */
const OTHER_LOOKS = [
  ['Birch', 'Birch (verified)', 'Birch 2', 'Birch 3', '[Birch] Oak'],
  ['Claude 3.5', 'Claude 35', 'Claude 3.51', 'Claude 3.5.1'],
  ['agent-1.1', 'agent-11'],
  ['Will', 'W111', 'W11'],
  ['10', '1.0', 'l0l'],
  ['१.२', '१२'],
  ['राम', 'रमा', 'रम'],
  ['が', 'か'],
  ['🌲', '🌳', '🌲🌲', '✅'],
  ['ラーメン', 'ラメン'],
  ['محمد', 'أحمد', 'احمد'],
  ['李', '季', 'ไทย', 'ไท'],
  ['한', '하'],
];

for (const names of OTHER_LOOKS)
  test(`${names.join(', ')} have a look each`, () => {
    assert.equal(new Set(names.map(lookOf)).size, names.length);
  });

test('every look has a character', () => {
  for (const name of ['🌲', '!', '—', '\u{1D159}', '\u0301', '...']) assert.notEqual(lookOf(name), '', name);
});
