import type { Store } from '#store/store.ts';

/** What a command works with besides the store. */
export interface CommandOutput {
  /** What was asked for, on standard output. */
  printResult: (line: string) => void;
  /** How it went, on standard error. */
  logStatus: (line: string) => void;
  /** Starts a bar on standard error, which is drawn only if that is a terminal. */
  progress: (task: Task) => Progress;
}

export interface Task {
  /** What is counted, such as `lines`. */
  readonly unit: string;
  /** Undefined if it is not known beforehand. */
  readonly total?: number;
  /** The message if the user interrupts the task. @param done how many units were completed */
  readonly interrupted: (done: number) => string;
}

export interface Progress {
  /** @throws Interrupted once the user has interrupted the command; the units counted here are complete */
  advance: (by: number) => void;
  /** Removes the bar. May be called more than once. */
  done: () => void;
}

/** The arguments of one call. */
export interface CommandArgs {
  readonly positionals: readonly string[];
  readonly reason: string | undefined;
  /** The store named by `--to`. */
  readonly target: Store | undefined;
  /** Whether `--continue` was there. */
  readonly resume: boolean;
  /** Whether `--json` was there. */
  readonly json: boolean;
}

export type Flag = 'reason' | 'to' | 'continue' | 'json';

/** What an operator can do to a store, while servers run on it. */
export interface Command {
  readonly summary: string;
  /** The names of the positional arguments, all of them required. */
  readonly positionals?: readonly string[];
  readonly requiredFlags?: readonly Flag[];
  readonly optionalFlags?: readonly Flag[];
  /** Whether it makes a store where there is none. */
  readonly makesStore?: boolean;
  /** Runs before the store is opened or made. @throws Refusal */
  readonly checkArguments?: (positionals: readonly string[]) => Promise<void>;
  readonly run: (store: Store, given: CommandArgs, console: CommandOutput) => Promise<void>;
}

/** The command could not do what was asked, for a reason of the operator's. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The user interrupted the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
