import type { FileHandle } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import type { PrivateStore } from '#private/private-store.ts';
import type { Store } from '#store/port/store.ts';
import { reasonField } from '#workspace/schemas/fields.ts';
import type { Service } from '#workspace/service/service.ts';
import { DAY_MS, HOUR_MS } from '#workspace/text/time.ts';

export interface CommandOutput {
  printResult: (line: string) => void;
  logStatus: (line: string) => void;
  /** Runs a job with a progress bar on standard error, which appears only on a terminal. */
  progress: <Result>(
    options: ProgressOptions,
    /** @param advance counts completed units @throws CommandError if the user has interrupted the command */
    job: (advance: (by: number) => void) => Promise<Result>,
  ) => Promise<Result>;
  /** @returns the line that the user types; undefined if standard input is not a terminal */
  ask: (question: string) => Promise<string | undefined>;
}

interface ProgressOptions {
  /** The counted unit, such as `lines`. */
  readonly unit: string;
  readonly total?: number;
  /** @param done completed units @returns the message after the user has interrupted the command */
  readonly interrupted: (done: number) => string;
}

/** The flags of the operator commands, in the form of the arguments of commander's `Option`. */
export const FLAGS = {
  reason: ['--reason <TEXT>', 'why, for the public moderation log'],
  json: ['--json', 'print JSON'],
  thread: ['--thread <ID>', 'every visible post of the thread that a post belongs to'],
  networks: ['--networks <N>', 'only records that at least this many networks reported on one day'],
  matching: ['--matching <WORDS>', 'every visible post that has all these whole words'],
  behind: ['--behind <ID>', 'the network that wrote this record in the last 24 hours'],
  wide: ['--wide', 'its whole /24 (IPv4) or /48 (IPv6)'],
  for: ['--for <DURATION>', 'how long, such as 12h or 7d'],
  yes: ['--yes', 'act without asking for confirmation'],
  strict: ['--strict', 'refuse a file that contains a text or name that new records may not have'],
  clamp: ['--clamp', 'move times that are ahead of the clock to just after the last one that is not'],
  all: ['--all', 'act on more than 1,000 posts'],
} satisfies Record<string, readonly [flags: string, description: string]>;

type Flag = keyof typeof FLAGS;

type Switch = 'json' | 'wide' | 'yes' | 'all' | 'strict' | 'clamp';

export interface CommandFlags
  extends Readonly<Partial<Record<Switch, boolean | undefined>>>,
    Readonly<Partial<Record<Exclude<Flag, Switch>, string | undefined>>> {}

export interface CommandArgs extends CommandFlags {
  readonly positionals: readonly string[];
  /** The file that `openInput` returned. */
  readonly input: FileHandle | undefined;
  /** Wall-clock time, milliseconds since 1970. */
  readonly now: () => number;
  readonly privateStore: PrivateStore;
  readonly service: Pick<Service, 'name'>;
  readonly readInput: () => Promise<string>;
}

/** An operator command. Servers may have the same store open. */
export interface Command {
  readonly summary: string;
  /** Names of the positional arguments, in commander's notation for optional and repeated ones. */
  readonly positionals?: readonly string[];
  readonly requiredFlags?: readonly Flag[];
  readonly optionalFlags?: readonly Flag[];
  /** The text of `--reason` in `--help`. */
  readonly reasonText?: string;
  readonly createsStore?: boolean;
  /**
   * Opens the input file, before the store is opened or created. The file is closed after `run`.
   * @param folders for a temporary copy of the file: the first one in which a file can be created is used
   * @param now wall-clock time, milliseconds since 1970
   * @throws CommandError
   */
  readonly openInput?: (
    positionals: readonly string[],
    folders: readonly string[],
    now: number,
  ) => Promise<FileHandle>;
  readonly run: (store: Store, args: CommandArgs, output: CommandOutput) => Promise<void>;
}

/** Thrown for wrong arguments. The message never repeats an argument, since that may be a password. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit codes of failures. `incomplete`: `wait` received nothing new, or a salvage has losses. */
const EXIT_CODES = { failed: 1, incomplete: 3, historyChanged: 4, interrupted: 130 };

/** Thrown for a failure that the operator can resolve, and for any other end without success. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, end: keyof typeof EXIT_CODES = 'failed') {
    super(message);
    this.exitCode = EXIT_CODES[end];
  }
}

/** @throws CommandError unless the answer is yes or `--yes` is set, or if standard input is no terminal */
export async function confirm(
  question: string,
  { yes }: Pick<CommandArgs, 'yes'>,
  { ask }: CommandOutput,
): Promise<void> {
  if (yes === true) return;
  const answer = await ask(question);
  if (answer === undefined) throw new CommandError(`${question}\nNothing was done. Add --yes to continue.`);
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CommandError('Nothing was done.');
}

/** @throws CommandError for a reason that the rules for moderations reject */
export function checkReason(reason: string): void {
  const { error } = reasonField.safeParse(reason);
  if (error !== undefined) throw new CommandError(`The reason ${error.issues[0]?.message ?? 'is invalid'}.`);
}

const UNIT_MS = { s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS } as const;

/** Less than the maximum delay of a timer, 2^31 - 1 ms. */
const MAX_HOURS = 500;

/**
 * Parses a duration such as `30s`, `10m` or `8h`.
 * @param flag the name of the flag, for the error
 * @returns milliseconds
 * @throws UsageError
 */
export function parseDuration(text: string, flag: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const duration = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (duration <= MAX_HOURS * HOUR_MS) return duration;
  throw new UsageError(
    `${flag} must be a whole number followed by s, m, h or d, such as 30s, 10m or 8h, from 1s to ` +
      `${MAX_HOURS}h.`,
  );
}

/**
 * Describes a failed system call without its path, because the path is a command-line argument, and may be a
 * mistyped database URL with its password.
 * @throws the error itself if no system call failed
 */
export function describeSystemError(error: unknown): string {
  const { errno } = error as { errno?: number };
  const [code, meaning] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  if (code === undefined || meaning === undefined) throw error;
  return `${meaning} (${code})`;
}
