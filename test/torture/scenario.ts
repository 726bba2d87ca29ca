import type { Chance } from './support/random.ts';
import type { Need } from './support/requirements.ts';
import type { Place } from './support/sandbox.ts';

export interface Outcome {
  readonly rounds: number;
  /** Acknowledged writes that are gone, or not what they were. */
  readonly lost: number;
  readonly verdict: 'passed' | 'FAILED' | 'not run';
  readonly remark: string;
}

export interface Options {
  /** How often; promises that are a fixed list of cases go through it once. */
  readonly rounds: number;
  readonly chance: Chance;
  readonly tally: Tally;
  /** What is started and made here is gone afterwards. */
  readonly place: Place;
  /** Tells whoever waits how far it is. */
  readonly tell: (what: string) => void;
}

/** Something the service promises, and how to make it break that promise if it can. */
export interface TorturePromise {
  readonly name: string;
  /** What is done, for the help. */
  readonly does: string;
  /** Where the machine lacks one of these, the promise is not run, and never counts as passed. */
  readonly needs?: readonly Need[];
  /** How often unless told otherwise. */
  readonly rounds: number;
  /** It has failed if a round takes longer, on average. */
  readonly seconds: number;
  run(options: Options): Promise<Outcome>;
}

const MOST_TOLD = 4;

/** Counts rounds, losses and everything else that should not be. */
export class Tally {
  rounds = 0;
  lost = 0;
  readonly #faults = new Map<string, number>();

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.#faults.set(otherwise, (this.#faults.get(otherwise) ?? 0) + 1);
  }

  outcome(remark: string): Outcome {
    const { rounds, lost } = this;
    const faults = [...this.#faults].map(([what, times]) => (times > 1 ? `${what} (${times} times)` : what));
    const more = faults.length > MOST_TOLD ? [`and ${faults.length - MOST_TOLD} other faults`] : [];
    const verdict = rounds > 0 && lost === 0 && faults.length === 0 ? 'passed' : 'FAILED';
    return {
      rounds,
      lost,
      verdict,
      remark: [...faults.slice(0, MOST_TOLD), ...more, remark].filter(Boolean).join('; '),
    };
  }
}
