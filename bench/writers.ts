import type { BenchContext } from './bench-context.ts';
import { median, rotate } from './rounds.ts';

/** A line as long as the store's line of such a post. */
export const LINE = Buffer.from(`${'x'.repeat(900)}\n`);

/** The number of concurrent writers, and of writes by each. */
export interface WriteBatch {
  readonly writers: number;
  readonly each: number;
}

/** @returns milliseconds: of each write of a single writer, or the elapsed time of several writers */
export type MeasureWrites = (batch: WriteBatch) => Promise<number[]>;

/** The lower limit of a durable write: append and fdatasync. */
export function appendWriter(context: BenchContext): MeasureWrites {
  return context.forkScript('children/appending.ts', context.path('raw'));
}

/** Short repetitions, so that other load of the disk affects all alike, and no store outgrows its size. */
const ONE_WRITER = { repetitions: 100, batch: { writers: 1, each: 10 } };
const FIFTY_WRITERS = { repetitions: 20, batch: { writers: 50, each: 20 } };

/** The number of repetitions of each measurement in a round, and their batch. */
export interface Repetitions<Batch> {
  readonly repetitions: number;
  readonly batch: Batch;
}

/** Measures the median milliseconds of a write with one writer, by name. */
export async function oneWriter<Name extends string>(
  rounds: number,
  all: Readonly<Record<Name, MeasureWrites>>,
): Promise<Record<Name, number>> {
  return measureInShortTurns(rounds, ONE_WRITER, all, median);
}

/** Measures the milliseconds per post with fifty concurrent writers, by name. */
export async function fiftyWriters<Name extends string>(
  rounds: number,
  all: Readonly<Record<Name, MeasureWrites>>,
): Promise<Record<Name, number>> {
  const posts = FIFTY_WRITERS.repetitions * FIFTY_WRITERS.batch.writers * FIFTY_WRITERS.batch.each;
  return measureInShortTurns(
    rounds,
    FIFTY_WRITERS,
    all,
    (times) => times.reduce((sum, time) => sum + time, 0) / posts,
  );
}

/**
 * Runs the measurements in short turns.
 * @param summarize reduces the times of one round
 * @returns the median of the rounds
 */
export async function measureInShortTurns<Name extends string, Batch>(
  rounds: number,
  { repetitions, batch }: Repetitions<Batch>,
  all: Readonly<Record<Name, (batch: Batch) => Promise<number[]>>>,
  summarize: (times: readonly number[]) => number,
): Promise<Record<Name, number>> {
  const names = Object.keys(all) as Name[];
  const lists = (): Record<Name, number[]> =>
    Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  const results = lists();
  for (let round = -1; round < rounds; round++) {
    const times = lists();
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const name of rotate(names, repetition)) times[name].push(...(await all[name](batch)));
    }
    // The first round warms up.
    if (round >= 0) for (const name of names) results[name].push(summarize(times[name]));
  }
  return Object.fromEntries(names.map((name) => [name, median(results[name])])) as Record<Name, number>;
}
