import type { BenchContext } from './bench-context.ts';

/** One row of the table. */
export interface Row {
  readonly path: string;
  readonly goal: string;
  readonly measured: string;
  /** Whether the goal is met; undefined without a goal. */
  readonly met?: boolean;
}

export interface Bench {
  readonly name: string;
  readonly run: (context: BenchContext, settings: Settings) => Promise<Row[]>;
}

export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  /** Posts of a large store. */
  readonly large: number;
  /** Posts of the largest folder. */
  readonly largest: number;
}

export const formatRatio = (a: number, b: number): string => (a / b).toFixed(2);

export const formatCount = (value: number): string => Math.round(value).toLocaleString('en');

export const formatRate = (value: number): string => `${formatCount(value)}/s`;
