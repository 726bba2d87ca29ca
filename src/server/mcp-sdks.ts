import type { McpHandlers } from '#mcp/handlers/handlers.ts';
import type { LoadSdks, StreamLimiter } from '#mcp/transport/http.ts';
import type { StdioSdks } from '#mcp/transport/stdio.ts';

interface HttpSdkOptions {
  /** Shared by all endpoints. */
  readonly streamLimiter: StreamLimiter;
  readonly report: (error: Error) => void;
}

/**
 * Creates a loader of both SDKs for HTTP. SDK v2 comes first, since it recognizes the messages of its
 * revision.
 */
export function createHttpSdks(handlers: McpHandlers, options: HttpSdkOptions): LoadSdks {
  return async () => {
    const [{ createSdkV2HttpHandler }, { createSdkV1HttpHandler }] = await Promise.all([
      import('#mcp/sdk/v2.ts'),
      import('#mcp/sdk/v1.ts'),
    ]);
    return [createSdkV2HttpHandler(handlers, options), createSdkV1HttpHandler(handlers)];
  };
}

/**
 * Connects both SDKs over stdio. The first message for an SDK loads it, because an SDK takes longer to load
 * than all other modules.
 */
export function createStdioSdks(handlers: McpHandlers): StdioSdks {
  return {
    perRequestVersion: async (...args) => (await import('#mcp/sdk/v2.ts')).connectSdkV2(handlers)(...args),
    initializeHandshake: async (...args) => (await import('#mcp/sdk/v1.ts')).connectSdkV1(handlers)(...args),
  };
}
