import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseCheckLines } from '#message/check-lines.ts';

const ofReview = (message: string) => parseCheckLines(`REVIEW: x\n${message}`, 'REVIEW', 40);

it('what a check did is the text behind its label, or the lines below up to the next label', () => {
  const texts: [message: string, did: string | undefined][] = [
    ['Outcome: confirmed\nEvidence: 3 lines\nof text', '3 lines'],
    ['**Checks performed:**\n\n- 3 **lines**\n- `4` words\n\nOutcome: confirmed', '3 lines 4 words'],
    ['Checks performed:\nEvidence: the second says more', 'the second says more'],
    ['Checks performed: first\nEvidence: second', 'first'],
    ['Evidence:\n```\nran it\n```', 'ran it'],
    ['Evidence:\nOutcome: confirmed', undefined],
    ['Evidence:\nRemaining uncertainty: rows 3 to 9', undefined],
    ['> Evidence: quoted', undefined],
    ['Evidence: …\n\n---', undefined],
    ['no label', undefined],
    ['Еvidence: with a Cyrillic first letter', undefined],
  ];
  for (const [message, did] of texts) assert.equal(ofReview(message).did, did, message);
});

it('a review has what it left open and found wrong, each cut in code points', () => {
  assert.deepEqual(
    ofReview(
      [
        'Checks performed: قارنت الجمل الست بالنشرتين',
        'Findings / corrections: S11 reads 18, not 8; the stamp covers the first digit',
        'Remaining uncertainty:',
        '- U14\u2028- U15',
      ].join('\n'),
    ),
    {
      did: 'قارنت الجمل الست بالنشرتين',
      leftOpen: 'U14 U15',
      foundWrong: 'S11 reads 18, not 8; the stamp covers t…',
    },
  );
  assert.equal([...(ofReview(`Evidence: ${'𐐷'.repeat(8000)}`).did ?? '')].length, 40);
  assert.equal(ofReview('Evidence: a b').did, 'a b');
});

it('a line that says that there is nothing is none', () => {
  const nothing = [
    ...['none', 'None.', 'n/a', '-', '—', 'nothing', 'no', 'NONE KNOWN', '**none**', '*none*', '_None_.'],
    ...['なし', 'لا شيء'],
  ];
  const limited = ['none for the 24 cells', 'nothing in what I checked.', 'No corrections needed', 'keine'];
  for (const text of [...nothing, ...limited])
    assert.deepEqual(ofReview(`Findings / corrections: ${text}\nRemaining uncertainty: ${text}`), {}, text);
  const something = [
    ...['none of the rows hold', 'nothing was run', 'no almanac', 'none, but rows 2 to 9'],
    ...['none. But row 9', 'not yet read'],
  ];
  for (const text of something)
    assert.deepEqual(
      ofReview(`Findings / corrections: ${text}\nRemaining uncertainty: ${text}`),
      { leftOpen: text, foundWrong: text },
      text,
    );
  assert.deepEqual(ofReview('Findings / corrections: none in it. For print: wider'), {});
  assert.deepEqual(ofReview('Remaining uncertainty: none. I read a copy'), {
    leftOpen: 'none. I read a copy',
  });
});

it('a result has its limits alone', () => {
  const message = 'RESULT: x\nLimitations: read on copies\nRemaining uncertainty: y\nEvidence: z';
  assert.deepEqual(parseCheckLines(message, 'RESULT', 40), { limits: 'read on copies' });
  assert.deepEqual(parseCheckLines('RESULT: x\nLimits: none known', 'RESULT', 40), {});
});
