import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '#message/step.ts';
import { delistings, groupByThread, listedAt as timeListed } from '#work/listing-delay.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { judge } from '#work/verdicts.ts';
import { boardOf, listWork } from '../../support/derived-work.ts';
import { aPost } from '../../support/store/records.ts';
import { randomReviews } from '../../support/random-work.ts';
import { signerOf } from '../../support/strangers.ts';
import { firstOf } from '../../support/thorough.ts';
import { type NewPost, MINUTE_MS, START, stepsOf, under } from '../../support/threads.ts';

const idea = aPost('IDEA: x', { mark: signerOf(1) });
const by = (writer: number, message: string, root = idea): NewPost =>
  under(root, message, { mark: signerOf(writer) });
const confirm = (writer: number, { id }: NewPost, root = idea): NewPost =>
  by(writer, `REVIEW: x\nResult being checked: ${id}\nEvidence: ran it\nOutcome: confirmed`, root);

const boardWith = (posts: readonly NewPost[]) => boardOf(stepsOf(posts));

const result = by(2, 'RESULT: one');

test('RESULTs that strangers confirm hide no message that took another one off the lists', () => {
  const refute = by(
    1,
    `REVIEW: x\nResult being checked: ${result.id}\nEvidence: ran it\nOutcome: not confirmed`,
  );
  const wait = Array.from({ length: 70 }, () => by(1, 'hello'));
  const junk = Array.from({ length: 12 }, (_, n) => by(3, `RESULT: junk ${n}`));
  const posts = [
    ...[idea, result, confirm(1, result), by(4, 'RESULT: two'), ...wait, refute],
    ...junk.flatMap((one, n) => [one, confirm(n % 2 === 0 ? 3 : 5, one)]),
    ...[by(1, `Distrust: ${signerOf(5)}`), ...junk.map((one) => confirm(5, one))],
  ];
  const found = [...delistings(boardWith(posts).thread(idea.id)!, '')].flatMap((one) => one ?? []);
  const delisted = found.map((one) => [one.result.step.id, one.by.step.id]);
  assert.deepEqual(delisted, [[result.id, refute.id]]);
});

test('what left the lists is found once until the next step of its thread, for any later time', () => {
  const other = by(4, 'RESULT: two');
  const [refute, refuteOther] = [result, other].map((one) => {
    const review = confirm(1, one);
    return { ...review, message: review.message.replace(/confirmed$/, 'not confirmed') };
  }) as [NewPost, NewPost];
  const wait = Array.from({ length: 70 }, () => by(1, 'hello'));
  const start = [idea, result, other, confirm(1, result), confirm(1, other), ...wait];
  const steps = stepsOf([...start, refute, refuteOther]);
  const [first, last] = steps.slice(-2) as [Step, Step];
  const board = boardOf(steps.slice(0, -1));
  const walk = (since: string) => delistings(board.thread(idea.id)!, since);
  const read = (since: string) => Array.from(walk(since), (one) => one?.by.step.id);
  const found = (since: string) => read(since).filter((id) => id !== undefined);
  assert.ok(read(first.createdAt).includes(undefined), 'looks, and pauses');
  assert.deepEqual([first.createdAt, last.createdAt].map(read), [[refute.id], []]);
  const paused = walk('');
  paused.next();
  board.add(last);
  assert.equal([...paused].length > 1, true);
  assert.deepEqual(found(first.createdAt), [refute.id, refuteOther.id]);
  assert.deepEqual([first.createdAt, last.createdAt].map(read), [
    [refute.id, refuteOther.id],
    [refuteOther.id],
  ]);
  assert.ok(read('').includes(undefined), 'an earlier time');
});

test('a thread is one group of three, and the thread that was listed last comes first', () => {
  const other = aPost('IDEA: y', { mark: signerOf(5) });
  const found = by(6, 'RESULT: of the other', other);
  const results = [1, 2, 3, 4, 5].map((n) => by(2, `RESULT: ${n}`));
  const posts = [
    idea,
    other,
    found,
    ...results,
    ...results.slice(0, 4).map((one) => confirm(1, one)),
    confirm(5, found, other),
    ...results.slice(4).map((one) => confirm(1, one)),
  ];
  const board = boardWith(posts);
  const steps = listWork(board, START + 600 * MINUTE_MS).confirmed;
  const groups = groupByThread(steps, board);
  assert.deepEqual(
    groups.map(({ rootId, shown, more }) => [rootId, shown.map(({ id }) => id), more]),
    [
      [other.id, [found.id], 0],
      [idea.id, [4, 3, 2].map((n) => results[n]!.id), 2],
    ],
  );
});

/** As many as are examined. */
const FEW = 50;
const SEEDS = Array.from({ length: 60 }, (_, n) => n + 1);

test('what takes a RESULT off the lists is the message after which it was first not listed', () => {
  let found = 0;
  for (const seed of firstOf(SEEDS, 20)) {
    const steps = stepsOf(randomReviews(seed).slice(0, FEW), 25 * MINUTE_MS);
    const board = boardOf(steps);
    const before = steps.map((_, n) => boardOf(steps.slice(0, n)));
    const isListed = (one: typeof board, id: string, at: number): boolean => {
      const of = one.results.get(id);
      return of !== undefined && (timeListed(of) ?? Infinity) <= at;
    };
    const thread = board.thread(steps[0]!.rootId)!;
    const { trusted, distrusted } = viewpointOfOpener(thread);
    const delisted = new Map(
      [...delistings(thread, '')].flatMap((one) => (one ? [[one.result, one.by.step.id]] : [])),
    );
    for (const result of thread.results) {
      const by = steps.findLast(({ createdAt, prefix, trust, mark }, n) => {
        const at = Date.parse(createdAt);
        const mayBe = prefix === 'REVIEW' || (trust !== undefined && mark === thread.opener);
        return (
          mayBe &&
          isListed(before[n]!, result.step.id, at) &&
          !isListed(before[n + 1] ?? board, result.step.id, at)
        );
      });
      const writer = thread.writers.withSigner(by?.mark ?? '')!;
      const counts = trusted.has(writer) || distrusted.has(writer) || writer === result.author.writer;
      const after = before[steps.indexOf(by!) + 1] ?? board;
      const isReplaced =
        by !== undefined && judge(after.results.get(result.step.id)!).standing === 'replaced';
      const isOff = !isReplaced && timeListed(result) === undefined && judge(result).standing !== 'replaced';
      assert.equal(delisted.get(result), isOff && counts ? by?.id : undefined, `${seed}: ${result.step.id}`);
      found += Number(delisted.has(result));
    }
  }
  assert.ok(found > 5, String(found));
});
