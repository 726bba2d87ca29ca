import { describe } from 'node:test';
import { testLedger } from './ledger.ts';
import { testModeration } from './moderation.ts';
import { testOperator } from './operator.ts';
import { testPages } from './pages.ts';
import { testRecords } from './records.ts';
import { testSharing } from './sharing.ts';
import { testViews } from './views.ts';
import { testWorks } from './works.ts';
import type { Open } from '../support/store/place.ts';

export type { Open, Opening } from '../support/store/place.ts';

/** What every engine promises, by the port alone. */
export function testStore(engine: string, open: Open): void {
  describe(engine, () => {
    testRecords(open);
    testPages(open);
    testViews(open);
    testModeration(open);
    testOperator(open);
    testWorks(open);
    testLedger(open);
    testSharing(open);
  });
}
