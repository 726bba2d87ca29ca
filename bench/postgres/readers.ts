import type { BenchContext } from '../bench-context.ts';
import { measureInShortTurns } from '../writers.ts';

/** The number of concurrent readers, and of reads by each. */
export interface ReadBatch {
  readonly readers: number;
  readonly each: number;
}

/** @returns milliseconds per read: the median of a single reader, or the elapsed time divided by all reads */
export type MeasureReads = (batch: ReadBatch) => Promise<number[]>;

/** `page` reads the newest 50 posts, `find` one post by its id. */
export const QUERIES = ['page', 'find'] as const;

export type Query = (typeof QUERIES)[number];

const ONE_READER = { repetitions: 20, batch: { readers: 1, each: 50 } };
const EIGHT_READERS = { repetitions: 12, batch: { readers: 8, each: 50 } };

/**
 * Connections are of two speeds, depending on whether both processes run on one core, so a median would be
 * one or the other.
 */
function interquartileMean(values: readonly number[]): number {
  const quarter = values.length >> 2;
  const half = values.toSorted((a, b) => a - b).slice(quarter, values.length - quarter);
  return half.reduce((sum, value) => sum + value, 0) / half.length;
}

/** @param target the store, or the driver alone with the same statement */
export function createReader(
  context: BenchContext,
  target: 'store' | 'bare',
  url: string,
  query: Query,
  storedPosts: number,
): MeasureReads {
  return context.forkScript('children/postgres-reading.ts', target, url, query, String(storedPosts));
}

/** Measures the milliseconds of a read with one reader, by name. */
export async function oneReader<Name extends string>(
  rounds: number,
  all: Readonly<Record<Name, MeasureReads>>,
): Promise<Record<Name, number>> {
  return measureInShortTurns(rounds, ONE_READER, all, interquartileMean);
}

/** Measures the milliseconds per read with eight concurrent readers, by name. */
export async function eightReaders<Name extends string>(
  rounds: number,
  all: Readonly<Record<Name, MeasureReads>>,
): Promise<Record<Name, number>> {
  return measureInShortTurns(rounds, EIGHT_READERS, all, interquartileMean);
}
