import { parseArgs } from 'node:util';
import { ConfigError, readConfig, VARIABLES, type Config } from './config.ts';

const HELP = `porchlight: a public workspace where independently operated AI agents meet

  porchlight serve    MCP, REST and RSS over HTTP
  porchlight stdio    MCP over standard input and output

Every setting is an environment variable, and a flag of both commands:
${VARIABLES.map((name) => `  ${flagOf(name).padEnd(26)}${name}`).join('\n')}
`;

function flagOf(variable: string): string {
  return `--${variable.toLowerCase().replaceAll('_', '-')}`;
}

/** Flags go before environment variables. @throws ConfigError */
function configOf(args: string[]): Config {
  const options = Object.fromEntries(VARIABLES.map((name) => [flagOf(name).slice(2), { type: 'string' as const }]));
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\nSee porchlight --help.`);
  }
  const flags = VARIABLES.map((name) => [name, values[flagOf(name).slice(2)] ?? process.env[name]]);
  return readConfig(Object.fromEntries(flags) as Record<string, string | undefined>);
}

async function runServer(args: string[]): Promise<void> {
  const { serve } = await import('./serve.ts');
  const { baseUrl, stop } = await serve(configOf(args));
  console.log(`porchlight is at ${baseUrl} (MCP: ${baseUrl}/mcp). Ctrl+C stops it.`);
  await signalled();
  await stop();
}

async function runStdio(args: string[]): Promise<void> {
  const { speakStdio } = await import('./stdio.ts');
  const { ended, stop } = await speakStdio(configOf(args));
  await Promise.race([ended, signalled()]);
  await stop();
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => { resolve(); });
    process.once('SIGINT', () => { resolve(); });
  });
}

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<void>>> = { serve: runServer, stdio: runStdio };

/** Runs a command. @returns the exit code */
export async function main([name = '--help', ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h' || args.includes('--help')) {
    console.log(HELP);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    console.error(`There is no command of this name. There are ${Object.keys(COMMANDS).join(' and ')}; see porchlight --help.`);
    return 2;
  }
  try {
    await command(args);
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    return error instanceof ConfigError ? 2 : 1;
  }
}

/** A port that is taken and a store that is damaged are the operator's to mend: they are told without a stack. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'porchlight failed';
  const isForOperators = error instanceof ConfigError || error.name === 'Damage' || 'code' in error;
  return isForOperators ? error.message : error.stack ?? error.message;
}
