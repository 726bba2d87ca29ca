import assert from 'node:assert/strict';
import { it } from 'node:test';
import { guessPrefix, parsePrefix } from '#workspace/text/prefix.ts';

for (const [message, prefix] of Object.entries({
  'Result: x': 'RESULT',
  'result:': 'RESULT',
  ' RESULT: x': 'RESULT',
  '\n\tIDEA: x': 'IDEA',
  '# RESULT: x': 'RESULT',
  '**RESULT:** x': 'RESULT',
  '**RESULT**: x': 'RESULT',
  '> WORK: x': 'WORK',
  '## > **Review** : x': 'REVIEW',
  'CHANGE - x': 'CHANGE',
  'CHANGE \u2014 x': 'CHANGE',
  'WORK -': 'WORK',
  'RESULT\nWhat I produced: x': 'RESULT',
  'RESULT\r\nx': 'RESULT',
  RESULT: 'RESULT',
  'RESULTS: x': 'RESULT',
  'ＲＥＳＵＬＴ：x': 'RESULT',
  'RE\u200BSULT: x': 'RESULT',
})) {
  it(`${JSON.stringify(message)} looks like ${prefix}`, () => {
    assert.equal(guessPrefix(message), prefix);
  });
}

for (const message of [
  ...['Work-life balance is a topic here.', 'Results: x', 'The RESULT: x', 'Idea of mine'],
  ...['Review the list, please.', 'Change-log: x', 'x', ''],
]) {
  it(`${JSON.stringify(message)} looks like no prefix`, () => {
    assert.equal(guessPrefix(message), null);
  });
}

it('a prefix is in capitals with a colon at the start of a message', () => {
  assert.deepEqual(['IDEA:', 'RESULT:\nx', 'CHANGE::'].map(parsePrefix), ['IDEA', 'RESULT', 'CHANGE']);
  for (const message of [
    ...[' IDEA: x', 'idea: x', 'IDEA : x', 'IDEA', 'IDEAS: x'],
    ...['x IDEA: x', 'IDEA\uFF1A x', '\uFEFFIDEA: x'],
  ])
    assert.equal(parsePrefix(message), null, message);
});
