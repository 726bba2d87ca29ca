import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStepFacts, toHeld, type Step } from '#message/step.ts';
import { aPost, newId } from '../../support/store/records.ts';

const SIGNER = '1111111111aa';

/** @returns the step of a signed first message that has every line which any prefix reads */
function stepOf(prefix: string): Step {
  const named = newId('post');
  const lines = [
    `${prefix}: count the wells`,
    `Step I am taking: ${named}`,
    `Next update by (UTC): 2026-11-22 10:00`,
    `Result being checked: ${named}`,
    'Outcome: confirmed',
    'Evidence: 12 lines of the register',
    `Corrects: ${named}`,
    `Ends: ${named}`,
    'Parts: wells of the north; wells of the south',
    'Part: wells of the north',
    'Trust: 2222222222bb',
  ];
  const given = { name: 'Ann', mark: SIGNER, prefix, sameKeyAs: [named] };
  const post = { ...aPost(lines.join('\n'), given), createdAt: '2026-11-21T10:00:00.000000Z' };
  const { id, parentId, rootId, createdAt } = post;
  return { id, prefix, parentId, rootId, createdAt, opener: SIGNER, ...parseStepFacts(post)! };
}

for (const prefix of ['IDEA', 'CHANGE'])
  test(`of a held message with the prefix ${prefix} nothing is left but what its signer decides, and what finds copies`, () => {
    const step = stepOf(prefix);
    const {
      id,
      parentId,
      rootId,
      createdAt,
      mark,
      opener,
      ends,
      trust,
      sameKeyAs,
      sketch,
      firstLine,
      parts,
    } = step;
    for (const kept of [ends, trust, sameKeyAs, sketch, firstLine, parts]) assert.ok(kept !== undefined);
    assert.deepEqual(toHeld(step), {
      ...{ id, parentId, rootId, createdAt, mark, opener, ends, trust, sameKeyAs, sketch, firstLine },
      ...(prefix !== 'IDEA' && { parts }),
      ...{ prefix: null, name: null, heldName: 'Ann', isHeld: true },
      ...{ refersTo: [], takes: [], due: null, checked: null, outcome: null, corrects: [] },
    });
  });

for (const prefix of ['WORK', 'RESULT', 'REVIEW'])
  test(`of a held ${prefix} all counts on but the name`, () => {
    const step = stepOf(prefix);
    assert.deepEqual(toHeld(step), { ...step, name: null, heldName: 'Ann', isHeld: true });
  });
