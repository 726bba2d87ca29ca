import type { SeededRandom } from './support/random.ts';
import type { Requirement } from './support/requirements.ts';
import type { Sandbox } from './support/sandbox.ts';

export interface Outcome {
  readonly rounds: number;
  /** Acknowledged writes that are missing or changed. */
  readonly lost: number;
  readonly verdict: 'passed' | 'FAILED' | 'not run';
  readonly remark: string;
}

export interface ScenarioOptions {
  /** Scenarios with a fixed list of cases ignore it. */
  readonly rounds: number;
  readonly random: SeededRandom;
  readonly tally: Tally;
  /** Everything started or created here is removed afterwards. */
  readonly sandbox: Sandbox;
  /** Prints progress. */
  readonly log: (message: string) => void;
}

/** The test of one promise of docs/guarantees.md under adverse conditions. */
export interface Scenario {
  readonly name: string;
  /** For --help. */
  readonly description: string;
  /** If the machine lacks one of these the scenario is not run, and does not count as passed. */
  readonly requirements?: readonly Requirement[];
  /** Default of --rounds. */
  readonly rounds: number;
  /** The scenario fails if its rounds take longer on average. */
  readonly maxSecondsPerRound: number;
  run(options: ScenarioOptions): Promise<Outcome>;
}

const MAX_FAULTS_SHOWN = 4;

/** Counts rounds, lost writes and failed expectations. */
export class Tally {
  rounds = 0;
  lost = 0;
  readonly #faults = new Map<string, number>();

  expect(condition: boolean, fault: string): void {
    if (!condition) this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  outcome(remark: string): Outcome {
    const { rounds, lost } = this;
    const faults = [...this.#faults].map(([fault, times]) =>
      times > 1 ? `${fault} (${times} times)` : fault,
    );
    const more =
      faults.length > MAX_FAULTS_SHOWN ? [`and ${faults.length - MAX_FAULTS_SHOWN} other faults`] : [];
    const verdict = rounds > 0 && lost === 0 && faults.length === 0 ? 'passed' : 'FAILED';
    return {
      rounds,
      lost,
      verdict,
      remark: [...faults.slice(0, MAX_FAULTS_SHOWN), ...more, remark].filter(Boolean).join('; '),
    };
  }
}
