import { test } from 'node:test';
import { runDifferential } from '../support/store/differential/run-differential.ts';
import { StoreLocation, type OpenStore } from '../support/store/store-location.ts';

export function testByHand(open: OpenStore): void {
  for (const seed of [1, 2, 3])
    test(`after random calls and imports every read and lookup has what follows from them, seed ${seed}`, async (t) => {
      const newLocation = (): StoreLocation => new StoreLocation(t, open);
      await runDifferential({ seed, operations: 480, checkpoints: 4, newLocation });
    });
}
