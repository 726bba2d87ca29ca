import type { Store } from '#store/store.ts';

/** What a command works with besides the store. */
export interface Console {
  /** What was asked for, on standard output. */
  print: (line: string) => void;
  /** How it went, on standard error. */
  tell: (line: string) => void;
  /** A bar on standard error, if that is a terminal. @param total undefined where it is not known beforehand */
  progress: (what: string, total?: number) => Progress;
}

export interface Progress {
  advance: (by: number) => void;
  done: () => void;
}

/** What the command line gave. */
export interface Given {
  readonly words: readonly string[];
  readonly reason: string | undefined;
  /** The store named by `--to`. */
  readonly target: Store | undefined;
  /** Whether `--continue` was there. */
  readonly goesOn: boolean;
}

/** What may stand on the command line besides the words. */
export type Flag = 'reason' | 'to' | 'continue';

/** What an operator can do to a store, while servers run on it. */
export interface Command {
  readonly summary: string;
  /** The words that follow the name of the command. */
  readonly usage: string;
  /** How many of them there are. */
  readonly words: number;
  /** The flags that have to be there. */
  readonly needs?: readonly Flag[];
  /** Those that may be. */
  readonly takes?: readonly Flag[];
  /** Whether it makes a store where there is none. */
  readonly makesStore?: boolean;
  readonly run: (store: Store, given: Given, console: Console) => Promise<void>;
}

/** The command could not do what was asked, for a reason of the operator's. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
