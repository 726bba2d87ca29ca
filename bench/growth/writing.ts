import type { BenchContext } from '../bench-context.ts';
import type { Settings } from '../row.ts';
import { fiftyWriters, oneWriter, storeWriter } from '../writers.ts';
import type { Curve } from './curve.ts';

/** Measures durable posts into a store of each size, each in a separate process. */
export async function measureWrites(context: BenchContext, { sizes, rounds }: Settings): Promise<Curve[]> {
  const stores = Object.fromEntries(sizes.map((size) => [String(size), storeWriter(context, size)]));
  const curve = (name: string, milliseconds: Record<string, number>): Curve => ({
    name,
    points: sizes.map((size) => ({ size, microseconds: milliseconds[size]! * 1000 })),
  });
  const curves = [
    curve('POST into the store, 1 writer', await oneWriter(rounds, stores)),
    curve('POST into the store, 50 writers', await fiftyWriters(rounds, stores)),
  ];
  await context.stopAll();
  return curves;
}
