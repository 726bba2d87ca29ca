/** @returns the middle one */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** Another one begins each time, since whoever follows a busy one finds the machine busy. */
export function rotated<Name>(names: readonly Name[], turn: number): Name[] {
  const first = turn % names.length;
  return [...names.slice(first), ...names.slice(0, first)];
}

/** Measures each in turn, several times over, so that what the machine does meanwhile hits all alike. The first round warms up. */
export async function inTurn<Name extends string, Found>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<Found>>>,
): Promise<Record<Name, Found[]>> {
  const names = Object.keys(contenders) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as Found[]])) as Record<Name, Found[]>;
  for (let round = -1; round < rounds; round++) {
    for (const name of rotated(names, round + 1)) {
      const one = await contenders[name]();
      if (round >= 0) found[name].push(one);
    }
  }
  return found;
}

/** @returns the median of what each measured */
export async function medians<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const found = await inTurn(rounds, contenders);
  return Object.fromEntries(
    (Object.keys(found) as Name[]).map((name) => [name, median(found[name])]),
  ) as Record<Name, number>;
}
