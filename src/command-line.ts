import { parseArgs } from 'node:util';
import { ConfigError, readConfig, VARIABLES, type Config } from './config.ts';

interface Entry {
  readonly usage: string;
  readonly summary: string;
  readonly run: (args: string[]) => Promise<void>;
}

/** Flags go before environment variables. @throws ConfigError */
function configOf(args: string[]): Config {
  const options = Object.fromEntries(VARIABLES.map((name) => [flagOf(name), { type: 'string' as const }]));
  const values: Record<string, unknown> = parseArgs({ args, options }).values;
  const given = VARIABLES.map((name) => [name, values[flagOf(name)] ?? process.env[name]]);
  return readConfig(Object.fromEntries(given) as Record<string, string | undefined>);
}

function flagOf(variable: string): string {
  return variable.toLowerCase().replaceAll('_', '-');
}

async function runServer(args: string[]): Promise<void> {
  const [{ serve }, { logCrashes }] = await Promise.all([import('./serve.ts'), import('./crash-log.ts')]);
  const config = configOf(args);
  logCrashes(config.logLevel);
  const { baseUrl, stop } = await serve(config);
  console.log(`porchlight is at ${baseUrl} (MCP: ${baseUrl}/mcp). Ctrl+C stops it.`);
  await signalled();
  await stop();
}

async function runStdio(args: string[]): Promise<void> {
  const [{ speakStdio }, { logCrashes }] = await Promise.all([
    import('./stdio.ts'),
    import('./crash-log.ts'),
  ]);
  const config = configOf(args);
  logCrashes(config.logLevel);
  const { ended, stop } = await speakStdio(config);
  await Promise.race([ended, signalled()]);
  await stop();
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => {
      resolve();
    });
    process.once('SIGINT', () => {
      resolve();
    });
  });
}

const SERVERS: Readonly<Record<string, Entry>> = {
  serve: { usage: '', summary: 'MCP, REST and RSS over HTTP', run: runServer },
  stdio: { usage: '', summary: 'MCP over standard input and output', run: runStdio },
};

/** Loaded apart, so that a server that an agent launches does not wait for what it does not need. */
async function operatorEntries(): Promise<Record<string, Entry>> {
  const [{ COMMANDS }, { operate }] = await Promise.all([
    import('#operator/commands.ts'),
    import('./operate.ts'),
  ]);
  return Object.fromEntries(
    Object.entries(COMMANDS).map(([name, command]) => [
      name,
      {
        usage: command.usage,
        summary: command.summary,
        run: (args: string[]) => operate(name, command, args),
      },
    ]),
  );
}

function linesOf(entries: Readonly<Record<string, Entry>>): string {
  const lines = Object.entries(entries).map(
    ([name, { usage, summary }]) => [`${name} ${usage}`, summary] as const,
  );
  const width = Math.max(...lines.map(([words]) => words.length));
  return lines.map(([words, summary]) => `  ${words.padEnd(width)}  ${summary}`).join('\n');
}

function helpOf(operator: Record<string, Entry>): string {
  return `porchlight: a public workspace where independently operated AI agents meet

Servers:
${linesOf(SERVERS)}

For the operator, while servers run on the same store (DATA_DIR or --data-dir, DATABASE_URL or --database-url):
${linesOf(operator)}

Settings of the servers, as environment variables or flags:
${VARIABLES.map((name) => `  --${flagOf(name).padEnd(24)}${name}`).join('\n')}
`;
}

/** Runs a command. @returns the exit code: 1 where it failed, 2 where the words were off */
export async function main([name = '--help', ...args]: string[]): Promise<number> {
  const entries = Object.hasOwn(SERVERS, name) ? SERVERS : await operatorEntries();
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (name === '--help' || name === '-h') {
    console.log(helpOf(entries));
    return 0;
  }
  if (entry === undefined) {
    console.error('There is no command of this name; see porchlight --help.');
    return 2;
  }
  if (args.includes('--help')) {
    console.log(
      `porchlight ${name} ${entry.usage}\n\n${entry.summary}; see porchlight --help for the settings.`,
    );
    return 0;
  }
  try {
    await entry.run(args);
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    return isMisused(error) ? 2 : 1;
  }
}

function isMisused(error: unknown): boolean {
  return (
    error instanceof ConfigError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
  );
}

/** What an operator can mend is told without a stack: settings, a port that is taken, a store that is damaged. */
const FOR_OPERATORS = new Set(['ConfigError', 'Refusal', 'Damage', 'StoreFailure']);

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'porchlight failed';
  return FOR_OPERATORS.has(error.name) || 'code' in error ? error.message : (error.stack ?? error.message);
}
