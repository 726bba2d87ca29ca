import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Post } from '#store/port/records.ts';
import { createFinder } from '#work/findings.ts';
import { boardOf, listWork, toSteps, type State } from '../../support/derived-work.ts';
import { aPost, aReply } from '../../support/store/records.ts';
import { signerOf } from '../../support/strangers.ts';

type NewPost = Omit<Post, 'createdAt'>;

/** Message `n` of these is of minute `n`. */
const at = (minute: number): string => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000000Z`;

const idea = aPost('IDEA: x', { mark: signerOf(1) });
const by = (writer: number, message: string): NewPost =>
  aReply(idea.id, message, { rootId: idea.id, mark: signerOf(writer) });
const confirm = (writer: number, { id }: NewPost): NewPost =>
  by(writer, `REVIEW: x\nResult being checked: ${id}\nEvidence: ran it\nOutcome: confirmed`);

function foundIn(
  posts: readonly NewPost[],
  { signers, before }: { readonly signers: number; readonly before: number },
  states?: ReadonlyMap<string, State>,
): string[][] {
  const dated = posts.map((post, index) => ({ ...post, createdAt: at(index) }));
  const board = boardOf(toSteps(dated, states));
  const find = createFinder(board, { signers, before: at(before) });
  const found = listWork(board, Date.parse(at(59))).confirmed.flatMap((step) => find(step) ?? []);
  return found.map(({ result, check }) => [result.id, check.id]);
}

const [first, second] = [by(2, 'RESULT: one'), by(3, 'RESULT: two')];
const checks = [confirm(1, first), confirm(1, second)];
// Trusted: the opener, and two whom it confirms.
const thread = [idea, first, second, ...checks];

test('a finding is what was confirmed at a time, where so many are trusted', () => {
  const both = [
    [second.id, checks[1]?.id],
    [first.id, checks[0]?.id],
  ];
  assert.deepEqual(foundIn(thread, { signers: 3, before: 5 }), both);
  assert.deepEqual(foundIn(thread, { signers: 3, before: 4 }), [], 'two were trusted');
  assert.deepEqual(foundIn(thread, { signers: 2, before: 4 }), [[first.id, checks[0]?.id]]);
  assert.deepEqual(foundIn(thread, { signers: 4, before: 5 }), []);
});

test('nothing is found that trusted writers no longer confirm, or whose check is held', () => {
  const not = by(3, `REVIEW: x\nResult being checked: ${first.id}\nEvidence: a row\nOutcome: not confirmed`);
  const rest = [[second.id, checks[1]?.id]];
  assert.deepEqual(foundIn([...thread, not], { signers: 3, before: 5 }), rest);
  const held = new Map<string, State>([[checks[0]?.id ?? '', 'held']]);
  assert.deepEqual(foundIn(thread, { signers: 3, before: 5 }, held), rest);
  const other = confirm(3, first);
  assert.deepEqual(foundIn([...thread, other], { signers: 3, before: 6 }, held), [
    ...rest,
    [first.id, other.id],
  ]);
});

test('nothing is found by a mark that the opener has put out since', () => {
  const out = by(1, `Distrust: ${signerOf(3)}`);
  assert.deepEqual(foundIn([...thread, out], { signers: 3, before: 5 }), []);
});
