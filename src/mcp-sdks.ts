import type { McpHandlers } from '#mcp/handlers.ts';
import type { HttpSdks } from '#mcp/transport/http.ts';
import type { StdioSdks } from '#mcp/transport/stdio.ts';
import { PROTOCOL_VERSIONS } from '#mcp/versions.ts';

interface HttpLimits {
  /** How many streams of notices there may be, all networks together. */
  readonly maxStreams: number;
  /** Told of requests that an SDK refused. */
  readonly report: (error: Error) => void;
}

/** Both eras of MCP over HTTP. The newer one is asked first, since it knows what is its own. */
export function createHttpSdks(catalogue: McpHandlers, limits: HttpLimits): HttpSdks {
  return {
    protocolVersions: PROTOCOL_VERSIONS,
    readCall: catalogue.readCall,
    load: async () => {
      const [{ createSdkV2HttpHandler: httpEra2026 }, { createSdkV1HttpHandler: httpEra2025 }] =
        await Promise.all([import('#mcp/sdk/v2.ts'), import('#mcp/sdk/v1.ts')]);
      return [httpEra2026(catalogue, limits), httpEra2025(catalogue)];
    },
  };
}

/** Both eras over a connection. Each is loaded by its first message: an SDK takes longer to load than all the rest. */
export function createStdioSdks(catalogue: McpHandlers): StdioSdks {
  return {
    readCall: catalogue.readCall,
    perRequestVersion: async (...line) => (await import('#mcp/sdk/v2.ts')).connectSdkV2(catalogue)(...line),
    initializeHandshake: async (...line) => (await import('#mcp/sdk/v1.ts')).connectSdkV1(catalogue)(...line),
  };
}
