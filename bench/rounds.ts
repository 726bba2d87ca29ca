export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

export function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
}

/** Rotates the order, because a measurement disturbs the next one. */
export function rotate<Name>(names: readonly Name[], by: number): Name[] {
  const first = by % names.length;
  return [...names.slice(first), ...names.slice(0, first)];
}

/**
 * Runs the measurements in turn, so that other load of the machine affects all alike. The first round is a
 * warm-up.
 */
export async function measureInTurn<Name extends string, Result>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(measurements) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = -1; round < rounds; round++) {
    for (const name of rotate(names, round + 1)) {
      const result = await measurements[name]();
      if (round >= 0) results[name].push(result);
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
  return Object.fromEntries(
    (Object.keys(results) as Name[]).map((name) => [name, median(results[name])]),
  ) as Record<Name, number>;
}
