import { setTimeout as sleep } from 'node:timers/promises';
import { loadLateModules } from '#runtime/late-module.ts';
import type { Toolset } from '#tool/define-tool.ts';
import { serveStdio as connectStdio } from '#mcp/transport/stdio.ts';
import { loadTools } from '#tools/load.ts';
import type { Config } from '#settings/config.ts';
import { createService, openServerStore, requireOwnStore } from './service.ts';
import { deferStore } from './deferred-store.ts';
import { createLogger, warnBy } from './logger.ts';
import { createStdioSdks } from './mcp-sdks.ts';
import { createPrivateStore } from './open-store.ts';

/** How long a store may take to open after the last request. Ending sooner might leave a lock behind. */
const OPENING_GRACE_MS = 2000;

/** Serves the host that launched this process. While the store opens, only requests that need it wait. */
export async function serveStdio(config: Config, toolset: Toolset) {
  const logger = createLogger(config.logLevel);
  const tools = await loadTools();
  const privateStore = await createPrivateStore(config, warnBy(logger));
  // Not awaited: opening takes several turns of the event loop, and standard input is read meanwhile.
  const opening = openServerStore(config, logger).then((store) => requireOwnStore(store, privateStore));
  const parts = { config, logger, store: deferStore(opening), privateStore, tools };
  const { createHandlers, workspace } = createService(parts, config.baseUrl ?? null);
  const handlers = createHandlers(toolset);
  const { ended, drained, close } = connectStdio(handlers, createStdioSdks(handlers), (event) => {
    logger.warn({ event }, 'a message could not be read');
  });
  const cancelLoading = loadLateModules(logger);
  return {
    /** Settles once the store is open. If it rejects, requests that need the store get no response. */
    opened: opening.then(() => undefined),
    /** Settles once the client has closed standard input. */
    ended,
    /** Finishes open requests, waits for the store that they need, and closes it if it has opened. */
    stop: async (): Promise<void> => {
      cancelLoading();
      workspace.waiters.stop();
      const store = await Promise.race([opening, drained().then(() => sleep(OPENING_GRACE_MS, undefined))]);
      await close();
      await privateStore.close();
      await store?.close();
    },
  };
}
