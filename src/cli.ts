import { readConfig } from './config.ts';
import { SERVERS } from './servers.ts';

/** Errors that the operator can resolve are printed without a stack. */
const OPERATOR_ERRORS = new Set([
  'ConfigError',
  'UsageError',
  'CommandError',
  'Interrupted',
  'CorruptionError',
  'StoreFailure',
]);

const EXIT_CODES: Readonly<Record<string, number>> = { ConfigError: 2, UsageError: 2, Interrupted: 130 };

/**
 * Runs a command.
 * @returns the exit code: 0, 1 if the command failed, 2 if the arguments or the settings are wrong, 130 after Ctrl+C
 */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '--help'] = args;
  try {
    // An agent waits for the start of a stdio server, so a server without flags starts without the parser.
    const server = args.length === 1 && Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
    if (server !== undefined) await server.run(readConfig(process.env));
    else await (await import('./program.ts')).runProgram([name, ...args.slice(1)]);
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    return error instanceof Error ? (EXIT_CODES[error.name] ?? 1) : 1;
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'porchlight failed';
  return OPERATOR_ERRORS.has(error.name) || 'code' in error ? error.message : (error.stack ?? error.message);
}
