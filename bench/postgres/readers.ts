import type { Lab } from '../bench-context.ts';
import { inShortTurns } from '../writers.ts';

/** What a process that reads is asked for: so many readers at once, each of whom reads so often. */
export interface ReadAsk {
  readonly readers: number;
  readonly each: number;
}

/** @returns the milliseconds of a read: the median of a single reader, or the share of each where there are more */
export type Read = (ask: ReadAsk) => Promise<number[]>;

/** What is read: the newest 50, or one by its id. */
export const QUESTIONS = ['page', 'find'] as const;

export type Question = (typeof QUESTIONS)[number];

const ONE = { turns: 20, ask: { readers: 1, each: 50 } };
const EIGHT = { turns: 12, ask: { readers: 8, each: 50 } };

/**
 * The mean of the middle half. Connections are of two kinds, by whether the system put both ends on one processor, and a
 * median would be of the one kind or of the other.
 */
function middle(values: readonly number[]): number {
  const quarter = values.length >> 2;
  const half = values.toSorted((a, b) => a - b).slice(quarter, values.length - quarter);
  return half.reduce((sum, value) => sum + value, 0) / half.length;
}

/** @param who the store, or the driver alone with the same statement */
export function readerOf(
  lab: Lab,
  who: 'store' | 'bare',
  url: string,
  question: Question,
  stored: number,
): Read {
  return lab.child('children/postgres-reading.ts', who, url, question, String(stored));
}

/** @returns the milliseconds of a single read of each */
export async function oneReader<Name extends string>(
  rounds: number,
  all: Readonly<Record<Name, Read>>,
): Promise<Record<Name, number>> {
  return inShortTurns(rounds, ONE, all, middle);
}

/** @returns the milliseconds that each read took of each, with eight readers at once */
export async function eightReaders<Name extends string>(
  rounds: number,
  all: Readonly<Record<Name, Read>>,
): Promise<Record<Name, number>> {
  return inShortTurns(rounds, EIGHT, all, middle);
}
