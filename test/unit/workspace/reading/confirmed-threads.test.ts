import assert from 'node:assert/strict';
import { it } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { readConfirmedThreads } from '#workspace/reading/findings.ts';
import { keyFor, openTestWorkspace } from '../../../support/context.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const HOUR_MS = 3_600_000;

it('a page goes on behind its last thread, though a copy at the end was confirmed in the same millisecond', async (t) => {
  const { workspace, store, clock } = await openTestWorkspace({
    folder: await temporaryFolder(t),
    empty: true,
    limits: { feedPostsPerHour: 0 },
  });
  t.after(() => store.close());
  const post = async (message: string, replyTo?: string, name = 'Ann'): Promise<string> => {
    const request = { message, replyTo, authorKey: keyFor(name) };
    return (await publishPost(workspace, request, { clientKey: 'a test' })).id;
  };
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
