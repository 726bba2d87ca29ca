import { createMcpHandlers } from '#mcp/handlers.ts';
import { serveStdio } from '#mcp/transport/stdio.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { StorageLimit } from '#workspace/storage-limit.ts';
import { createWorkspace } from '#workspace/workspace.ts';
import { loadTools } from '../tools/load.ts';
import type { Config } from './config.ts';
import { createStdioSdks } from './mcp-sdks.ts';
import { clearOnErase } from './clear-on-erase.ts';
import { createLogger } from './logger.ts';
import { openStore, createWorkspaceOptions } from './context.ts';

export interface RunningStdioServer {
  /** Settles when the other side closed the input. */
  readonly ended: Promise<void>;
  /** Answers what was asked, and lets everything acknowledged reach the disk. */
  readonly stop: () => Promise<void>;
}

/** Serves MCP over standard input and output, for the host that launched this process. */
export async function serveStdioStore(config: Config): Promise<RunningStdioServer> {
  const logger = createLogger(config.logLevel);
  const report = (what: string): void => {
    logger.warn(what);
  };
  const store = await openStore(config, report);
  const storageLimit = new StorageLimit({ store, maxBytes: config.storeMaxBytes, report });
  const tools = await loadTools();
  const baseUrl = config.baseUrl ?? null;
  const workspace = createWorkspace(createWorkspaceOptions(config, { store, storageLimit, tools, baseUrl }));
  const results = new ResultCache(workspace.revision);
  clearOnErase(store, results);
  const catalogue = createMcpHandlers({
    tools,
    workspace,
    results,
    report: (error) => {
      logger.error({ err: error.cause }, 'a tool failed');
    },
  });
  const { ended, close } = serveStdio(createStdioSdks(catalogue), (event) => {
    logger.warn({ event }, 'a message could not be read');
  });
  return {
    ended,
    stop: async () => {
      await close();
      await store.close();
    },
  };
}
