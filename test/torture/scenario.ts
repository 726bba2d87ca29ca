import { SeededRandom } from './support/random.ts';
import { missingRequirement, type Requirement } from './support/requirements.ts';
import type { Sandbox } from './support/sandbox.ts';
import { withTimeout } from './support/time.ts';

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
  /** Whether it runs among the tests: what takes minutes takes seconds. */
  readonly isShort: boolean;
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
  readonly #isTimed: boolean;
  readonly #faults = new Map<string, number>();

  /** @param isTimed whether a machine that is busy otherwise may fail the scenario */
  constructor(isTimed: boolean) {
    this.#isTimed = isTimed;
  }

  expect(condition: boolean, fault: string): void {
    if (!condition) this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  /** Expects something to be fast. */
  expectFast(condition: boolean, fault: string): void {
    this.expect(condition || !this.#isTimed, fault);
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

const START_TIMEOUT_SECONDS = 60;

/** @param options.rounds of the scenario if it is undefined */
export async function runScenario(
  scenario: Scenario,
  options: { readonly rounds: number | undefined; readonly seed: number; readonly isShort: boolean },
  sandbox: Sandbox,
): Promise<Outcome> {
  const reasons = (scenario.requirements ?? []).flatMap((need) => missingRequirement(need) ?? []);
  if (reasons.length > 0) return { rounds: 0, lost: 0, verdict: 'not run', remark: reasons.join('; ') };
  const { rounds = scenario.rounds, seed, isShort } = options;
  const tally = new Tally(!isShort);
  // Of a short round, only a failure prints them.
  const lines: string[] = [];
  const log = (message: string): void => {
    if (isShort) lines.push(message);
    else console.log(`  ${scenario.name}: ${message}`);
  };
  const limit = START_TIMEOUT_SECONDS + Math.max(rounds, scenario.rounds) * scenario.maxSecondsPerRound;
  try {
    const running = scenario.run({ rounds, isShort, random: new SeededRandom(seed), sandbox, tally, log });
    const outcome = await withTimeout(limit, 'the run', running);
    if (outcome.verdict === 'FAILED') for (const line of lines) console.log(line);
    return outcome;
  } catch (error) {
    tally.expect(false, error instanceof Error ? error.message : 'unknown error');
    return tally.outcome('');
  } finally {
    await sandbox.close();
  }
}
