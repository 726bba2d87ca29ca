import fc from 'fast-check';
import type { Tally } from './tally.ts';

/** What a part of the fuzzer is to do. */
export interface Plan {
  campaign: Campaign;
  tally: Tally;
  seed: number;
  requests: number;
  /** How long an answer may take. */
  deadlineMs: number;
}

export interface Failing {
  /** Which part of the fuzzer; its seed repeats it. */
  part: string;
  seed: number;
  input: string;
  error: Error;
}

/** How long to look for a shorter input. */
const SHRINKING_MS = 60_000;

/** Runs properties one after another, and goes on behind a failure without telling it again. */
export class Campaign {
  readonly failings: Failing[] = [];
  readonly #told = new Set<string>();
  #last = (): string => '(nothing)';

  async check<Input>(
    { part, seed, runs }: { part: string; seed: number; runs: number },
    inputs: fc.Arbitrary<Input>,
    examine: (input: Input) => Promise<void>,
    show: (input: Input) => string,
  ): Promise<void> {
    let failedAt: number | undefined;
    const property = fc.asyncProperty(inputs, async (input) => {
      if (failedAt !== undefined && performance.now() - failedAt > SHRINKING_MS) return;
      try {
        this.#last = () => show(input);
        await examine(input);
      } catch (error) {
        if (this.#told.has(kindOf(error))) return;
        failedAt ??= performance.now();
        throw error;
      }
    });
    const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: runs });
    if (!failed) return;
    const error = errorInstance instanceof Error ? errorInstance : new Error(String(errorInstance));
    this.#told.add(kindOf(error));
    this.failings.push({
      part,
      seed,
      input: counterexample === null ? '(none)' : show(counterexample[0]),
      error,
    });
  }

  /** What must hold at the end of a part. */
  async conclude(part: string, seed: number, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.failings.push({ part, seed, input: '(at the end)', error: error as Error });
    }
  }

  /** A failing that nobody waited for. */
  blame(error: Error, seed: number): void {
    this.failings.push({ part: 'unhandled', seed, input: `(the last was) ${this.#last()}`, error });
  }
}

/** Two failings that differ in numbers and quoted input alone are one. */
function kindOf(error: unknown): string {
  const { message } = error as Error;
  return message.slice(0, 120).replaceAll(/\d+|"[^"]*"/g, '#');
}
