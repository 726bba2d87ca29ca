import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Remarks, viewOf } from '#work/message-view.ts';
import { withUniqueNames } from '#workspace/reading/message.ts';
import { boardOf, toSteps } from '../../support/derived-work.ts';
import { aPost, aReply } from '../../support/store/records.ts';
import { signerOf } from '../../support/strangers.ts';
import { type NewPost, datePosts } from '../../support/threads.ts';

/** What the heads of a thread say. */
function allRemarksOf(posts: readonly NewPost[]): Remarks[] {
  const dated = datePosts(posts);
  const board = boardOf(toSteps(dated));
  const heads = new Map(dated.map((post) => [post.id, post]));
  return dated.map((post) => viewOf(board, post, { known: new Set(heads.keys()), heads }).remarks);
}

const idea = aPost('IDEA: x', { name: 'Ann', mark: signerOf(1) });
const under = (message: string, name: string, mark?: string): NewPost =>
  aReply(idea.id, message, { rootId: idea.id, name, ...(mark !== undefined && { mark }) });

test('a message with the key of an earlier one names the first of its writer', () => {
  const posts = [
    idea,
    under('WORK: x', 'Bob', signerOf(2)),
    under('well', 'Ann', signerOf(1)),
    under('hm', 'Cid'),
  ];
  const writers = allRemarksOf(posts).map(({ writerOf }) => writerOf);
  assert.deepEqual(writers, [undefined, undefined, idea.id, undefined]);
});

test('what a message ends without being able to change it is named, what it may end is not', () => {
  const work = under('WORK: x', 'Bob', signerOf(2));
  const stranger = under(`well\nEnds: ${work.id} ${idea.id}`, 'Cid');
  const own = under(`well\nEnds: ${work.id}`, 'Bob', signerOf(2));
  const [, , byStranger, byOwner] = allRemarksOf([idea, work, stranger, own]);
  assert.deepEqual(byStranger?.notEnded, [work.id, idea.id]);
  assert.equal(byOwner?.notEnded, undefined);
});

test('a REVIEW says what it says of which RESULT, and whether that counts', () => {
  const result = under('RESULT: y', 'Bob', signerOf(2));
  const review = (outcome: string, name: string, mark?: string): NewPost =>
    under(`REVIEW: x\nResult being checked: ${result.id}\nOutcome: ${outcome}`, name, mark);
  const says = 'Evidence: ran it\nLimits: none';
  const posts = [
    review(`partly confirmed\n${says}`, 'Ann', signerOf(1)),
    review('confirmed', 'Cid'),
    review(`confirmed\n${says}`, 'Bob', signerOf(2)),
    review('withdrawn', 'Dan'),
    review('withdrawn', 'Ann', signerOf(1)),
    review('withdrawn', 'Bob', signerOf(2)),
    under('REVIEW: of nothing\nOutcome: confirmed', 'Eve'),
  ];
  const [, , partly, silent, own, byStranger, takenBack, byAuthor, ofNothing] = allRemarksOf([
    idea,
    result,
    ...posts,
  ]);
  const verdict = { outcome: 'partly confirmed', on: result.id, counts: null };
  assert.deepEqual(partly?.verdict, verdict, 'taken back');
  assert.equal(partly?.says, 'ran it');
  assert.deepEqual(silent, { verdict: { outcome: 'confirmed', on: result.id, counts: null } });
  assert.equal(own?.verdict?.counts, null);
  assert.deepEqual(byStranger, { notWithdrawn: result.id });
  assert.deepEqual(takenBack, { writerOf: idea.id, takenBack: result.id });
  assert.deepEqual(byAuthor?.verdict, {
    outcome: 'withdrawn',
    on: result.id,
    counts: { for: result.id, as: 'withdrawn', trusted: false },
  });
  assert.deepEqual(ofNothing, {});
  const [, , counted] = allRemarksOf([idea, result, posts[0]!]);
  assert.deepEqual(counted?.verdict?.counts, { for: result.id, as: 'partly confirmed', trusted: true });
});

test('a name is the only one of its look if no other message has one that looks like it', () => {
  const names = ['Ann', 'ann ', 'Bob', null, null, '\u0412ob', 'Cid'];
  const messages = names.map((name, index) => ({ id: String(index), name }));
  assert.deepEqual([...withUniqueNames(messages)], ['6']);
});
