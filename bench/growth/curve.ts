import { count, perSecond, ratio, type Row } from '../row.ts';

export interface Point {
  readonly size: number;
  /** Of one operation after another. */
  readonly microseconds: number;
  /** Microseconds of the server's processor, where they were measured: what others do on the machine hardly moves them. */
  readonly processor?: number;
}

/** What an operation costs in stores of several sizes, the smallest first. */
export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
}

const MOST = 1.2;

/** @returns whether the cost in the largest store is that in the smallest: of the processor, where that is known */
export function growthRow({ name, points }: Curve): Row {
  const costs = points.map(({ microseconds, processor }) => processor ?? microseconds);
  const [least, most] = [costs[0]!, costs.at(-1)!];
  const list = (values: readonly number[]): string =>
    values.map((value) => value.toFixed(value < 100 ? 1 : 0)).join(' / ');
  const all =
    points[0]?.processor === undefined
      ? `${list(costs)} us`
      : `processor ${list(costs)} us; ${points.map(({ microseconds }) => perSecond(1e6 / microseconds)).join(' / ')}`;
  return {
    path: `${name}, ${count(points.at(-1)!.size)} over ${count(points[0]!.size)} stored`,
    goal: `<= ${MOST}`,
    met: most <= MOST * least,
    measured: `${ratio(most, least)} (${all})`,
  };
}
