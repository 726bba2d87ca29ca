import type { Lab } from './bench-context.ts';

/** One line of the table: what was measured, beside its goal. */
export interface Row {
  readonly path: string;
  readonly goal: string;
  readonly measured: string;
  /** Whether the goal is met; undefined where the row has none. */
  readonly met?: boolean;
}

export interface Bench {
  readonly name: string;
  /** @param options how often, and for how many seconds each time */
  readonly run: (lab: Lab, options: Effort) => Promise<Row[]>;
}

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
  /** How many posts a store has that is called large. */
  readonly large: number;
  /** How many posts the stores have between which growth is measured, the smallest first. */
  readonly sizes: readonly number[];
  /** Over how many requests memory is looked at. */
  readonly requests: number;
}

export const ratio = (a: number, b: number): string => (a / b).toFixed(2);

export const count = (value: number): string => Math.round(value).toLocaleString('en');

export const perSecond = (value: number): string => `${count(value)}/s`;
