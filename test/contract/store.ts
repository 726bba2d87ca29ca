import { describe } from 'node:test';
import { testByHand } from './by-hand.ts';
import { testWriteHistory } from './write-history.ts';
import { testFeed } from './feed.ts';
import { testLog } from './log.ts';
import { testRecords } from './records.ts';
import { testSharing } from './sharing.ts';
import { testWrites } from './writes.ts';
import type { OpenStore } from '../support/store/store-location.ts';

/** The contract of the `Store` port, which every engine must pass. */
export function testStore(engine: string, open: OpenStore): void {
  describe(engine, () => {
    testByHand(open);
    testRecords(open);
    testFeed(open);
    testLog(open);
    testWrites(open);
    testWriteHistory(open);
    testSharing(open);
  });
}
