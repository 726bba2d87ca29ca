import { formatCount, formatRate, formatRatio, type Row } from '../row.ts';

export interface Point {
  readonly size: number;
  /** Time of one operation. */
  readonly microseconds: number;
  /** Processor time of the server, if measured; other programs hardly change it. */
  readonly cpuMicroseconds?: number;
}

/** The cost of an operation in stores of several sizes, the smallest first. */
export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
}

const MAX_GROWTH = 1.2;

/**
 * Compares the cost in the largest store with the cost in the smallest, by processor time if it was measured.
 */
export function growthRow({ name, points }: Curve): Row {
  const costs = points.map(({ microseconds, cpuMicroseconds }) => cpuMicroseconds ?? microseconds);
  const [least, most] = [costs[0]!, costs.at(-1)!];
  const list = (values: readonly number[]): string =>
    values.map((value) => value.toFixed(value < 100 ? 1 : 0)).join(' / ');
  const rates = points.map(({ microseconds }) => formatRate(1e6 / microseconds));
  const all =
    points[0]?.cpuMicroseconds === undefined
      ? `${list(costs)} us`
      : `processor ${list(costs)} us; ${rates.join(' / ')}`;
  return {
    path: `${name}, ${formatCount(points.at(-1)!.size)} over ${formatCount(points[0]!.size)} stored`,
    goal: `<= ${MAX_GROWTH}`,
    met: most <= MAX_GROWTH * least,
    measured: `${formatRatio(most, least)} (${all})`,
  };
}
