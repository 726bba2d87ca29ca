import { catalogueOf } from '#mcp/handlers.ts';
import { serveStdio } from '#mcp/transport/stdio.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { StorageLimit } from '#workspace/storage-limit.ts';
import { createWorkspace } from '#workspace/workspace.ts';
import { loadTools } from '../tools/load.ts';
import type { Config } from './config.ts';
import { lineErasOf } from './mcp-sdks.ts';
import { clearOnErase } from './clear-on-erase.ts';
import { createLog } from './logger.ts';
import { openStore, worldOf } from './context.ts';

export interface SpeakingStdio {
  /** Settles when the other side closed the input. */
  readonly ended: Promise<void>;
  /** Answers what was asked, and lets everything acknowledged reach the disk. */
  readonly stop: () => Promise<void>;
}

/** Serves MCP over standard input and output, for the host that launched this process. */
export async function speakStdio(config: Config): Promise<SpeakingStdio> {
  const log = createLog(config.logLevel);
  const report = (what: string): void => {
    log.warn(what);
  };
  const store = await openStore(config, report);
  const storageLimit = new StorageLimit({ store, maxBytes: config.storeMaxBytes, report });
  const tools = await loadTools();
  const baseUrl = config.baseUrl ?? null;
  const workspace = createWorkspace(worldOf(config, { store, storageLimit, tools, baseUrl }));
  const results = new ResultCache(workspace.revision);
  clearOnErase(store, results);
  const catalogue = catalogueOf({
    tools,
    workspace,
    results,
    report: (error) => {
      log.error({ err: error.cause }, 'a tool failed');
    },
  });
  const { ended, close } = serveStdio(lineErasOf(catalogue), (event) => {
    log.warn({ event }, 'a message could not be read');
  });
  return {
    ended,
    stop: async () => {
      await close();
      await store.close();
    },
  };
}
