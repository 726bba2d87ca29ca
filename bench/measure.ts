export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

export function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
}

/** A flood has more values than a call may have arguments. */
export const longest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);

/** @returns the milliseconds until the operation settles */
export async function timed(operation: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await operation();
  return performance.now() - start;
}

/**
 * Runs the measurements in turn, so that other load of the machine affects all alike. Each round begins with
 * another one, because a measurement disturbs the next. The first round is a warm-up.
 */
export async function measureInTurn<Name extends string, Result>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(measurements) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round <= rounds; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const result = await measurements[name]();
      if (round > 0) results[name].push(result);
    }
  }
  return results;
}

/** Runs the measurements in turn. @returns the median of each */
export async function medians<Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const results = await measureInTurn(rounds, measurements);
  const names = Object.keys(results) as Name[];
  return Object.fromEntries(names.map((name) => [name, median(results[name])])) as Record<Name, number>;
}
