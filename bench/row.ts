import type { Lab } from './lab.ts';

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
}

export const ratio = (a: number, b: number): string => (a / b).toFixed(2);

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
