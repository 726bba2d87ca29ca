import { describe } from 'node:test';
import { testLedger } from './store-contract-ledger.ts';
import { testModeration } from './store-contract-moderation.ts';
import { testOperator } from './store-contract-operator.ts';
import { testPages } from './store-contract-pages.ts';
import { testRecords } from './store-contract-records.ts';
import { testSharing } from './store-contract-sharing.ts';
import { testViews } from './store-contract-views.ts';
import { testWorks } from './store-contract-works.ts';
import type { Open } from './store-place.ts';

export type { Open, Opening } from './store-place.ts';

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
