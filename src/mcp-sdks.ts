import type { Catalogue } from '#mcp/handlers.ts';
import type { HttpEras } from '#mcp/transport/http.ts';
import type { Eras } from '#mcp/transport/stdio.ts';
import { PROTOCOL_VERSIONS } from '#mcp/versions.ts';

interface HttpLimits {
  /** How many streams of notices there may be, all networks together. */
  readonly mostStreams: number;
  /** Told of requests that an SDK refused. */
  readonly report: (error: Error) => void;
}

/** Both eras of MCP over HTTP. The newer one is asked first, since it knows what is its own. */
export function httpErasOf(catalogue: Catalogue, limits: HttpLimits): HttpEras {
  return {
    protocolVersions: PROTOCOL_VERSIONS,
    readCall: catalogue.readCall,
    load: async () => {
      const [{ httpEra2026 }, { httpEra2025 }] = await Promise.all([
        import('#mcp/sdk/v2.ts'),
        import('#mcp/sdk/v1.ts'),
      ]);
      return [httpEra2026(catalogue, limits), httpEra2025(catalogue)];
    },
  };
}

/** Both eras over a connection. Each is loaded by its first message: an SDK takes longer to load than all the rest. */
export function lineErasOf(catalogue: Catalogue): Eras {
  return {
    readCall: catalogue.readCall,
    naming: async (...line) => (await import('#mcp/sdk/v2.ts')).connectEra2026(catalogue)(...line),
    opening: async (...line) => (await import('#mcp/sdk/v1.ts')).connectEra2025(catalogue)(...line),
  };
}
