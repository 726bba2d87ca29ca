import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ModerationEntry } from '#store/port/records.ts';
import { ReportState } from '#workspace/moderation/report-state.ts';
import { createHiddenReasons, readModerationLog } from '#workspace/moderation/moderation.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { setUp } from '../../../support/http/test-app.ts';
import { hide } from '../../../support/store/writes.ts';

const REPORTS = { state: async () => new ReportState() };

const entry = (n: number, second: number): ModerationEntry => ({
  action: 'hide',
  id: `post_${n}`,
  at: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString().replace('Z', '000Z'),
  reason: 'x',
});

/** @param all newest first */
function readerOf(all: ModerationEntry[]) {
  return {
    moderations: async (limit: number, before = '~') => all.filter(({ at }) => at < before).slice(0, limit),
  };
}

async function idsOfPages(all: ModerationEntry[]): Promise<string[][]> {
  const pages: string[][] = [];
  let before: string | undefined;
  do {
    const { entries, nextBefore } = await readModerationLog(readerOf(all), REPORTS, { before });
    pages.push(entries.map(({ id }) => id));
    before = nextBefore ?? undefined;
  } while (before !== undefined);
  return pages;
}

it('a long log is read page by page, without a gap and without a repetition', async () => {
  const all = Array.from({ length: 2500 }, (_, n) => entry(n, 10_000 - n));
  const pages = await idsOfPages(all);
  const lengths = pages.map(({ length }) => length);
  assert.deepEqual(lengths, [1000, 1000, 500]);
  const expected = all.map(({ id }) => id);
  assert.deepEqual(pages.flat(), expected);
});

it('imported entries that share a timestamp are on one page', async () => {
  const all = Array.from({ length: 1500 }, (_, n) => entry(n, n < 990 || n > 1010 ? 10_000 - n : 9_000));
  const pages = await idsOfPages(all.sort((a, b) => (a.at < b.at ? 1 : -1)));
  assert.equal(new Set(pages.flat()).size, 1500);
  assert.ok(pages[0]!.length < 1000);
});

it('a log of one page has no next one', async () => {
  assert.deepEqual(await readModerationLog(readerOf([]), REPORTS), {
    nextBefore: null,
    entries: [],
    denials: [],
  });
  const all = Array.from({ length: 1000 }, (_, n) => entry(n, 10_000 - n));
  assert.equal((await readModerationLog(readerOf(all), REPORTS)).nextBefore, null);
});

it('a hidden post is read once, whichever pages ask why posts of their thread are hidden', async (t) => {
  const { store, workspace } = await setUp(t, { empty: true });
  const post = async (message: string, replyTo?: string): Promise<string> =>
    (await publishPost(workspace, { message, replyTo }, { clientKey: 'a test' })).id;
  const [root, other] = [await post('IDEA: wells'), await post('IDEA: mills')];
  const [first, second] = [await post('x', root), await post('y', root)];
  await hide(store, first, 'an advertisement');
  const records = t.mock.method(store.read, 'records');
  const readIds = (): unknown[] => records.mock.calls.flatMap(({ arguments: [ids] }) => ids);
  const hiddenReasons = createHiddenReasons(store.read);
  assert.deepEqual(await hiddenReasons(root), ['an advertisement']);
  assert.deepEqual(await hiddenReasons(other), []);
  assert.deepEqual(readIds(), [first]);
  await hide(store, second, 'private data');
  assert.deepEqual(await hiddenReasons(root), ['private data', 'an advertisement']);
  assert.deepEqual(readIds(), [first, second]);
});
