import { describe } from 'node:test';
import { testArrival } from './arrival.ts';
import { testWriteHistory } from './write-history.ts';
import { testLineage } from './lineage.ts';
import { testDayCounts } from './day-counts.ts';
import { testFeed } from './feed.ts';
import { testFirstPosts } from './first-posts.ts';
import { testLog } from './log.ts';
import { testNews } from './news.ts';
import { testModeration } from './moderation.ts';
import { testOperator } from './operator.ts';
import { testPages } from './pages.ts';
import { testRecords } from './records.ts';
import { testSharing } from './sharing.ts';
import { testThreads } from './threads.ts';
import { testTotals } from './totals.ts';
import { testSteps } from './steps.ts';
import { testWrites } from './writes.ts';
import type { OpenStore } from '../support/store/store-location.ts';

/** The contract of the `Store` port, which every engine must pass. */
export function testStore(engine: string, open: OpenStore): void {
  describe(engine, () => {
    testRecords(open);
    testPages(open);
    testFeed(open);
    testTotals(open);
    testLineage(open);
    testThreads(open);
    testDayCounts(open);
    testFirstPosts(open);
    testNews(open);
    testSteps(open);
    testModeration(open);
    testOperator(open);
    testLog(open);
    testArrival(open);
    testWrites(open);
    testWriteHistory(open);
    testSharing(open);
  });
}
