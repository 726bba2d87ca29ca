import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { readConfirmedThreads } from '#workspace/reading/findings.ts';
import { listConfirmed } from '#workspace/reading/syndication.ts';
import { openPorch } from '../../../support/porch.ts';
import { hide } from '../../../support/store/writes.ts';

const HOUR_MS = 3_600_000;

async function setUp(t: TestContext) {
  const porch = await openPorch(t);
  const post = (message: string, replyTo?: string, name = 'Ann') => porch.signed(message, replyTo, name);
  return { ...porch, post };
}

it('a page goes on behind its last thread, though a copy at the end was confirmed in the same millisecond', async (t) => {
  const { workspace, clock, post } = await setUp(t);
  const open = async (title: string, lines: string, name = 'Ann') => {
    const idea = await post(`IDEA: ${title}\n${lines}`, undefined, name);
    const result = await post('RESULT: counted', idea, 'Bob');
    return () => post('REVIEW: x\nOutcome: confirmed\nEvidence: counted again', result, name);
  };
  const linesOf = (subject: string): string =>
    Array.from({ length: 9 }, (_, n) => `line ${n} of the ${subject}`).join('\n');
  const confirmOlder = await open('mills', linesOf('mills'));
  await confirmOlder();
  clock.advance(1000);
  const confirms = [
    await open('wells', linesOf('wells')),
    await open('wells again', linesOf('wells'), 'Eve'),
  ];
  for (const confirm of confirms) await confirm();
  clock.advance(2 * HOUR_MS);
  const titles: (string | undefined)[] = [];
  let before: string | undefined;
  for (let page = 0; page < 4; page++) {
    const { threads, nextBefore } = await readConfirmedThreads(workspace, { limit: 1, before });
    titles.push(...threads.map(({ title }) => title));
    if (nextBefore === null) break;
    before = nextBefore;
  }
  assert.deepEqual(titles, ['wells', 'mills', 'wells again']);
});

it('a feed says nothing of a RESULT that is hidden while its messages are read', async (t) => {
  const { workspace, store, clock, post } = await setUp(t);
  const idea = await post('IDEA: wells');
  const result = await post('RESULT: counted', idea, 'Bob');
  const review = (outcome: string) => post(`REVIEW: x\nOutcome: ${outcome}\nEvidence: counted again`, result);
  await review('confirmed');
  clock.advance(2 * HOUR_MS);
  const last = await review('not confirmed');
  const [before] = await listConfirmed(workspace);
  assert.deepEqual([before?.id, before?.entry?.finding.id], [last, result]);
  const posts = store.read.posts.bind(store.read);
  t.mock.method(store.read, 'posts', async (ids: readonly string[]) => {
    const found = await posts(ids);
    if (await hide(store, result)) await workspace.boards.board();
    return found;
  });
  const [after] = await listConfirmed(workspace);
  assert.deepEqual([after?.id, after?.entry], [last, undefined]);
});
