import { readConfig } from '#settings/config.ts';
import { SERVERS } from './servers.ts';

/** Exit codes by the names of errors that the operator can resolve. These are printed without a stack. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  CommandError: 1,
  CorruptionError: 1,
  StoreFailure: 1,
  ConfigError: 2,
  UsageError: 2,
};

/** Remedies by the code of a failed system call, or by the call and its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Stop the program that listens there, or set another PORT or METRICS_PORT.',
  'listen EACCES': 'Only root may use most ports below 1024: set another PORT or METRICS_PORT.',
  ENOTDIR: 'DATA_DIR and KEYS_DIR must each name a folder.',
};

/**
 * @returns the exit code: 0; 1 if the command failed or `status` found a fault; 2 for wrong arguments or
 *   settings; 3 for an incomplete salvage or nothing new; 4 if the origin has another history; 130 after
 *   Ctrl+C
 */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '--help'] = args;
  try {
    // Without flags a server starts without the parser, because agents wait for a stdio server to start.
    const server = args.length === 1 && Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
    if (server !== undefined && server.positional === undefined) await server.run(readConfig(process.env));
    else await (await import('./program.ts')).runProgram([name, ...args.slice(1)]);
    return 0;
  } catch (error) {
    const message = formatError(error);
    if (message !== '') console.error(message);
    if (!(error instanceof Error)) return 1;
    const { exitCode = EXIT_CODES[error.name] ?? 1 } = error as { exitCode?: number };
    return exitCode;
  }
}

function formatError(error: unknown): string {
  if (!(error instanceof Error)) return 'porchlight failed';
  const { code, syscall } = error as NodeJS.ErrnoException;
  const remedy = REMEDIES[`${syscall} ${code}`] ?? REMEDIES[code ?? ''];
  if (remedy !== undefined) return `${error.message}. ${remedy}`;
  return error.name in EXIT_CODES || 'code' in error ? error.message : (error.stack ?? error.message);
}
