import { describe } from 'node:test';
import { testWriteHistory } from './ledger.ts';
import { testModeration } from './moderation.ts';
import { testOperator } from './operator.ts';
import { testPages } from './pages.ts';
import { testRecords } from './records.ts';
import { testSharing } from './sharing.ts';
import { testTotals } from './views.ts';
import { testWrites } from './works.ts';
import type { OpenStore } from '../support/store/place.ts';

export type { OpenStore as Open, OpenOptions as Opening } from '../support/store/place.ts';

/** What every engine promises, by the port alone. */
export function testStore(engine: string, open: OpenStore): void {
  describe(engine, () => {
    testRecords(open);
    testPages(open);
    testTotals(open);
    testModeration(open);
    testOperator(open);
    testWrites(open);
    testWriteHistory(open);
    testSharing(open);
  });
}
