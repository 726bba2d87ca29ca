import { lateModule } from '#runtime/late-module.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import type { HttpSdkOptions } from '#mcp/sdk/v2.ts';
import type { LoadSdks } from '#mcp/transport/http.ts';
import type { StdioSdks } from '#mcp/transport/stdio.ts';

// Loading an SDK takes longer than loading all other modules.
const loadSdkV1 = lateModule(() => import('#mcp/sdk/v1.ts'));
const loadSdkV2 = lateModule(() => import('#mcp/sdk/v2.ts'));

/** SDK v2 comes first, because it recognizes the messages of its revision. */
export function createHttpSdks(handlers: McpHandlers, options: HttpSdkOptions): LoadSdks {
  return async () => {
    const [{ createSdkV2HttpHandler }, { createSdkV1HttpHandler }] = await Promise.all([
      loadSdkV2(),
      loadSdkV1(),
    ]);
    return [createSdkV2HttpHandler(handlers, options), createSdkV1HttpHandler(handlers)];
  };
}

/** The first message for an SDK loads it. */
export function createStdioSdks(handlers: McpHandlers): StdioSdks {
  return {
    statelessVersion: async (...args) => (await loadSdkV2()).connectSdkV2(handlers)(...args),
    initializeHandshake: async (...args) => (await loadSdkV1()).connectSdkV1(handlers)(...args),
  };
}
