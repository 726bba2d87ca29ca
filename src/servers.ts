import type { Config } from './config.ts';

interface Server {
  readonly summary: string;
  /** Settles once the server has stopped. */
  readonly run: (config: Config) => Promise<void>;
}

async function runHttp(config: Config): Promise<void> {
  const [{ serveHttp }, { logCrashes }] = await Promise.all([
    import('./serve-http.ts'),
    import('./crash-log.ts'),
  ]);
  logCrashes(config.logLevel);
  const { baseUrl, stop } = await serveHttp(config);
  console.log(`porchlight is at ${baseUrl} (MCP: ${baseUrl}/mcp). Ctrl+C stops it.`);
  await waitForSignal();
  await stop();
}

async function runStdio(config: Config): Promise<void> {
  const [{ serveStdio }, { logCrashes }] = await Promise.all([
    import('./serve-stdio.ts'),
    import('./crash-log.ts'),
  ]);
  logCrashes(config.logLevel);
  const { opened, ended, stop } = await serveStdio(config);
  // Before that a signal ends the process at once: opening may take long, and leaves the store valid at any
  // time.
  await opened;
  await Promise.race([ended, waitForSignal()]);
  await stop();
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}

export const SERVERS: Readonly<Record<string, Server>> = {
  serve: { summary: 'MCP, REST and RSS over HTTP', run: runHttp },
  stdio: { summary: 'MCP over standard input and output', run: runStdio },
};
