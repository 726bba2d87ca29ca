import { serveStdio as connectStdio } from '#mcp/transport/stdio.ts';
import type { Config } from './config.ts';
import { createService, openContext } from './context.ts';
import { createStdioSdks } from './mcp-sdks.ts';

export interface RunningStdioServer {
  /** Settles once the client has closed standard input. */
  readonly ended: Promise<void>;
  /** Finishes open requests, then closes the store. */
  readonly stop: () => Promise<void>;
}

/** Serves MCP over standard input and output to the host that launched this process. */
export async function serveStdio(config: Config): Promise<RunningStdioServer> {
  const context = await openContext(config);
  const { handlers, workspace } = createService(context, config.baseUrl ?? null);
  const { ended, close } = connectStdio(createStdioSdks(handlers), (event) => {
    context.logger.warn({ event }, 'a message could not be read');
  });
  return {
    ended,
    stop: async () => {
      workspace.waiters.stop();
      await close();
      await context.store.close();
    },
  };
}
