import type { Lab } from './bench-context.ts';
import { median, rotated } from './rounds.ts';

export const TEXT = 'RESULT: a list of the opening hours of the town libraries, with sources. '.repeat(6);

/** As long as the store's line of such a post. */
export const LINE = Buffer.from(`${'x'.repeat(900)}\n`);

/** What a process that writes is asked for: so many writers at once, each of whom writes so often. */
export interface Ask {
  readonly writers: number;
  readonly each: number;
}

/** @returns milliseconds: of each write of a single writer, or of all writes together where there are more */
export type Write = (ask: Ask) => Promise<number[]>;

/** A store in a process of its own, so that what one holds in memory is not charged to another. */
export function storeOf(lab: Lab, size: number): Write {
  return lab.child('children/storing.ts', lab.filled(size), lab.path('store'), String(size));
}

/** The least that a durable write costs. */
export function appender(lab: Lab): Write {
  return lab.child('children/appending.ts', lab.path('raw'));
}

/** Posts into SQLite with synchronous=FULL, each a transaction of its own. */
export function sqliteOf(lab: Lab): Write {
  return lab.child('peers/servers/sqlite.mjs', lab.path('sqlite'), TEXT);
}

/** Short turns: what the disk does meanwhile hits all alike, and no store grows far beyond its size. */
const ONE = { turns: 100, ask: { writers: 1, each: 10 } };
const FIFTY = { turns: 20, ask: { writers: 50, each: 20 } };

type Named<Name extends string, Value> = Record<Name, Value>;

/** So many turns of each, in every one of which it is asked for the same. */
export interface Turns<Wanted> {
  readonly turns: number;
  readonly ask: Wanted;
}

/** @returns the median milliseconds of a single write of each */
export async function oneWriter<Name extends string>(
  rounds: number,
  all: Readonly<Named<Name, Write>>,
): Promise<Named<Name, number>> {
  return inShortTurns(rounds, ONE, all, median);
}

/** @returns the milliseconds that each post took of each store, with fifty writers at once */
export async function fiftyWriters<Name extends string>(
  rounds: number,
  all: Readonly<Named<Name, Write>>,
): Promise<Named<Name, number>> {
  const posts = FIFTY.turns * FIFTY.ask.writers * FIFTY.ask.each;
  return inShortTurns(rounds, FIFTY, all, (times) => times.reduce((sum, time) => sum + time, 0) / posts);
}

/** @returns the median of what the times of a round come to, for each */
export async function inShortTurns<Name extends string, Wanted>(
  rounds: number,
  { turns, ask }: Turns<Wanted>,
  all: Readonly<Named<Name, (ask: Wanted) => Promise<number[]>>>,
  sum: (times: readonly number[]) => number,
): Promise<Named<Name, number>> {
  const names = Object.keys(all) as Name[];
  const lists = (): Named<Name, number[]> =>
    Object.fromEntries(names.map((name) => [name, [] as number[]])) as Named<Name, number[]>;
  const found = lists();
  for (let round = -1; round < rounds; round++) {
    const times = lists();
    for (let turn = 0; turn < turns; turn++) {
      for (const name of rotated(names, turn)) times[name].push(...(await all[name](ask)));
    }
    // The first round warms up.
    if (round >= 0) for (const name of names) found[name].push(sum(times[name]));
  }
  return Object.fromEntries(names.map((name) => [name, median(found[name])])) as Named<Name, number>;
}
