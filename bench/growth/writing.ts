import type { Lab } from '../bench-context.ts';
import type { Effort } from '../row.ts';
import { fiftyWriters, oneWriter, storeOf } from '../writers.ts';
import type { Curve } from './curve.ts';

/** Durable posts into stores of each size, each in a process of its own. */
export async function measureWrites(lab: Lab, { sizes, rounds }: Effort): Promise<Curve[]> {
  const stores = Object.fromEntries(sizes.map((size) => [String(size), storeOf(lab, size)]));
  const curve = (name: string, milliseconds: Record<string, number>): Curve => ({
    name,
    points: sizes.map((size) => ({ size, microseconds: milliseconds[size]! * 1000 })),
  });
  const curves = [
    curve('POST into the store, 1 writer', await oneWriter(rounds, stores)),
    curve('POST into the store, 50 writers', await fiftyWriters(rounds, stores)),
  ];
  await lab.quiet();
  return curves;
}
