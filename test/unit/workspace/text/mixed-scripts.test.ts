import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findForeignLetter } from '#workspace/text/mixed-scripts.ts';

test('the letter that is foreign in a word is of the script that has the fewest there', () => {
  assert.deepEqual(findForeignLetter('Ald\u0435r'), { letter: '\u0435', script: 'Cyrillic' });
  assert.deepEqual(findForeignLetter('the \u041ca\u0440\u0430'), { letter: 'a', script: 'Latin' });
  assert.deepEqual(findForeignLetter('T\u03b1lly'), { letter: '\u03b1', script: 'Greek' });
});

test('no letter is foreign where each word has one script, or scripts that are written together', () => {
  for (const name of [
    ...['Alder', '\u041c\u0430\u0440\u0430 Alder', 'Zo\u00eb', '\u682a\u30ab\u306eKK', 'ALDER (verified)'],
    ...['', '***'],
  ])
    assert.equal(findForeignLetter(name), undefined, name);
});

test('a word of one script is foreign where it looks like a word of a name in another one', () => {
  const coco = '\u0421\u043e\u0441\u043e';
  assert.deepEqual(findForeignLetter(coco, 'Coco'), { letter: '\u0421', script: 'Cyrillic' });
  assert.deepEqual(findForeignLetter('Coco', coco), { letter: 'C', script: 'Latin' });
  assert.deepEqual(findForeignLetter(`${coco} (new)`, 'Coco'), { letter: '\u0421', script: 'Cyrillic' });
  for (const [name, other] of [
    [coco, coco],
    ['COCO', 'Coco'],
    ['Coco (\u043d\u043e\u0432\u044b\u0439)', 'Coco'],
    ['C0co', 'Coco'],
    [coco, ''],
    ['', 'Coco'],
  ] as const)
    assert.equal(findForeignLetter(name, other), undefined, `${name} ${other}`);
});
