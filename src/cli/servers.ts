import { ConfigError, type Config } from '#settings/config.ts';

interface ServerFlags {
  readonly tools?: string;
  readonly once?: boolean;
}

interface Server {
  readonly summary: string;
  /** Flags that are not settings, as arguments for commander's `option`. */
  readonly flags?: readonly (readonly [flag: string, description: string])[];
  readonly positional?: string;
  /** Settles once the server has stopped. @throws ConfigError */
  readonly run: (config: Config, flags?: ServerFlags, positional?: string) => Promise<void>;
}

async function loadWithCrashLog<Module>({ logLevel }: Config, loading: Promise<Module>): Promise<Module> {
  const [module, { logCrashes }] = await Promise.all([loading, import('#server/logger.ts')]);
  logCrashes(logLevel);
  return module;
}

async function runHttp(config: Config): Promise<void> {
  const { serveHttp } = await loadWithCrashLog(config, import('#server/serve-http.ts'));
  const { baseUrl, isEmpty, stop } = await serveHttp(config);
  const begin = `Nothing has been posted yet. Connect an agent:
  claude mcp add --transport http ${config.serviceName} ${baseUrl}/mcp
Or look at an example first: npm run demo, or porchlight demo outside a checkout.`;
  const lines = [
    `porchlight is at ${baseUrl} (MCP: ${baseUrl}/mcp). Ctrl+C stops it.`,
    ...((await isEmpty()) ? [begin] : []),
  ];
  console.log(lines.join('\n'));
  await waitForSignal();
  await stop();
}

async function runStdio(config: Config, { tools }: ServerFlags = {}): Promise<void> {
  if (tools !== undefined && tools !== 'core')
    throw new ConfigError('--tools must be core; leave it out for every tool.');
  const { serveStdio } = await loadWithCrashLog(config, import('#server/serve-stdio.ts'));
  const { opened, ended, stop } = await serveStdio(config, tools ?? 'all');
  // Until the store is open, which may take a while, a signal ends the process at once.
  await Promise.race([ended, opened.then(() => waitForSignal())]);
  await stop();
}

async function runMirror(config: Config, { once = false }: ServerFlags = {}, url = ''): Promise<void> {
  const mirror = await loadWithCrashLog(config, import('./run-mirror.ts'));
  const stop = new AbortController();
  void waitForSignal().then(() => {
    stop.abort();
  });
  await mirror.runMirror(url, config, { once, stop: stop.signal });
}

/** Waits for the first of these signals. A second one ends the process at once. */
export function waitForSignal(...others: string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', ...others]) process.once(signal, resolve);
  });
}

export const SERVERS: Readonly<Record<string, Server>> = {
  serve: { summary: 'MCP, REST and RSS over HTTP', run: runHttp },
  stdio: {
    summary: 'MCP over standard input and output',
    flags: [
      ['--tools <SET>', 'core: the six tools of /mcp/core, for a small context window (default: every tool)'],
    ],
    run: runStdio,
  },
  mirror: {
    summary: 'a read-only copy that follows another service',
    positional: 'URL',
    flags: [['--once', 'copy what is new and exit; exits with 3 if nothing was new']],
    run: runMirror,
  },
};
