import fc from 'fast-check';
import type { Tally } from './tally.ts';

/** Options of one part of the fuzzer. */
export interface FuzzOptions {
  campaign: Campaign;
  tally: Tally;
  seed: number;
  requests: number;
  /** Within which a response must arrive. */
  deadlineMs: number;
}

interface Failure {
  /** The part of the fuzzer; `seed` repeats it. */
  part: string;
  seed: number;
  input: string;
  error: Error;
}

/** Time limit of fast-check's search for a shorter input. */
const MAX_SHRINKING_MS = 60_000;

/** Runs properties one after another. After a failure it continues, and reports each kind of failure once. */
export class Campaign {
  readonly failures: Failure[] = [];
  readonly #reportedKinds = new Set<string>();
  #lastInput = (): string => '(nothing)';

  async check<Input>(
    { part, seed, runs }: { part: string; seed: number; runs: number },
    inputs: fc.Arbitrary<Input>,
    check: (input: Input) => Promise<void>,
    format: (input: Input) => string,
  ): Promise<void> {
    let failedAt: number | undefined;
    const property = fc.asyncProperty(inputs, async (input) => {
      if (failedAt !== undefined && performance.now() - failedAt > MAX_SHRINKING_MS) return;
      try {
        this.#lastInput = () => format(input);
        await check(input);
      } catch (error) {
        if (this.#reportedKinds.has(failureKind(error))) return;
        failedAt ??= performance.now();
        throw error;
      }
    });
    const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: runs });
    if (!failed) return;
    const error = errorInstance instanceof Error ? errorInstance : new Error(String(errorInstance));
    this.#reportedKinds.add(failureKind(error));
    this.failures.push({
      part,
      seed,
      input: counterexample === null ? '(none)' : format(counterexample[0]),
      error,
    });
  }

  /** Records a failure if `check` throws at the end of a part. */
  async checkAtEnd(part: string, seed: number, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      this.failures.push({ part, seed, input: '(at the end)', error: error as Error });
    }
  }

  /** Records an unhandled rejection, with the latest input. */
  recordUnhandled(error: Error, seed: number): void {
    this.failures.push({ part: 'unhandled', seed, input: `(the latest was) ${this.#lastInput()}`, error });
  }
}

/** Failures that differ only in numbers and quoted input are of one kind. */
function failureKind(error: unknown): string {
  const { message } = error as Error;
  return message.slice(0, 120).replaceAll(/\d+|"[^"]*"/g, '#');
}
