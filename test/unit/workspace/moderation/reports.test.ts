import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Entry, PrivateStore, ReportReason } from '#private/private-store.ts';
import { MAX_REPORTS_A_DAY } from '#workspace/moderation/report-state.ts';
import { Reports } from '#workspace/moderation/reports.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

const DAY = '2026-11-21';
const ID = 'post_a';

/** A journal with these entries, in which each report has a tag of its own. */
function journalOf(entries: Entry[]): PrivateStore {
  return {
    append: async (entry: Entry) => {
      entries.push(entry);
    },
    async *read({ n = 0 } = {}) {
      yield { entries: entries.slice(n), position: { n: entries.length } };
    },
    reportTag: async () => `tag ${entries.length}`,
  } as Partial<PrivateStore> as PrivateStore;
}

it('after 10,000 reports for one reason on a day the next is 429, and one for another reason is stored', async () => {
  const report = (tag: number): Entry => ({
    type: 'report',
    day: DAY,
    id: ID,
    reason: 'spam',
    tag: String(tag),
  });
  const entries = Array.from({ length: MAX_REPORTS_A_DAY }, (_, n) => report(n));
  const reports = new Reports({
    privateStore: journalOf(entries),
    read: { find: async () => ({ record: { id: ID, rootId: ID }, children: 0 }) as never },
    now: () => Date.parse(`${DAY}T18:00:00Z`),
  });
  const send = (reason: ReportReason) => reports.report({ id: ID, reason }, { clientKey: '203.0.113.7/32' });
  await assert.rejects(send('spam'), (error) => {
    assert.ok(error instanceof WorkspaceError);
    const { code, limit, retryAfterSeconds } = error.failure;
    assert.deepEqual([code, limit, retryAfterSeconds], ['rate_limited', 'reportsPerDay', 6 * 60 * 60]);
    return true;
  });
  assert.equal(entries.length, MAX_REPORTS_A_DAY);
  await send('illegal');
  assert.equal(entries.length, MAX_REPORTS_A_DAY + 1);
});
