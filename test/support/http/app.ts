import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequestHandler, type RequestHandlerOptions } from '#http/request-handler.ts';
import { createCallerResolver, type GuardLogger, type NetworkRules } from '#http/guards/client.ts';
import { limitClients, handleInOrder } from '#http/guards/client-limits.ts';
import type { McpEndpoint } from '#tool/mcp-endpoint.ts';
import { Compressor } from '#http/responses/cacheable-response.ts';
import { createHttpServer } from '#http/server.ts';
import { createMcpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import type { Toolset } from '#tool/define-tool.ts';
import { createMcpEndpoint, createStreamLimit } from '#mcp/transport/http.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import type { WorkspaceError } from '#workspace/service/errors.ts';
import { checkHealth } from '#workspace/limits/health.ts';
import { createHttpSdks } from '#server/mcp-sdks.ts';
import type { TestWorkspace } from '../context.ts';

const MAX_STREAMS = 200;

export interface RunningApp {
  /** The address of the socket. Links in responses have the base URL of the workspace. */
  url: string;
  warnings: string[];
  /** The `error` log: faults of the server. */
  faults: unknown[];
  close: () => Promise<void>;
}

/** What a test sets differently. */
export interface AppOverrides extends Partial<RequestHandlerOptions> {
  maxBytesPerClient?: number;
  network?: NetworkRules;
  gate?: ReadGate;
  /** Replaces both MCP endpoints. */
  createMcp?: (options: Parameters<typeof createMcpHandlers>[0]) => McpEndpoint;
}

/** The app by Express alone, to compare the two ways. */
export function createExpressOnly(options: RequestHandlerOptions): RequestListener {
  const { listener } = createRequestHandler(options);
  return (request, response) => listener(request, response, false);
}

/** Starts the HTTP app on a real socket. */
export async function startApp(
  { tools, workspace, store, storageLimit }: TestWorkspace,
  overrides: AppOverrides = {},
  create: (options: RequestHandlerOptions) => RequestListener = (options) =>
    createRequestHandler(options).listener,
): Promise<RunningApp> {
  const warnings: string[] = [];
  const faults: unknown[] = [];
  const server = createHttpServer();
  const logger: RequestHandlerOptions['logger'] & GuardLogger = {
    warn: (_, event) => {
      warnings.push(event);
    },
    error: (facts) => {
      faults.push(facts);
    },
  };
  const { maxBytesPerClient, gate = new ReadGate({ atOnce: 2 }), createMcp, ...others } = overrides;
  const { network = { trustedProxies: [], ipv4Prefix: 32, ipv6Prefix: 64 }, ...options } = others;
  const callerOf = createCallerResolver(network, logger);
  limitClients(server, {
    network,
    callerOf,
    openFiles: Infinity,
    logger,
    ...(maxBytesPerClient && { maxBytesPerClient }),
  });
  const resultCache = new ResultCache({ workspace, gate });
  const acquireStream = createStreamLimit(workspace.waitLimit, MAX_STREAMS);
  const endpointOf = (toolset: Toolset): McpEndpoint & { close?: () => Promise<void> } => {
    const report = (error: WorkspaceError): void => {
      if (error.cause !== undefined) faults.push(error.cause);
    };
    const parts = { tools, toolset, workspace, resultCache, report };
    if (createMcp !== undefined) return createMcp(parts);
    const handlers = createMcpHandlers(parts);
    return createMcpEndpoint(handlers, createHttpSdks(handlers, { acquireStream, report: () => undefined }));
  };
  const [mcp, coreMcp] = [endpointOf('all'), endpointOf('core')];
  const app = create({
    tools,
    workspace,
    resultCache,
    compressor: new Compressor(),
    mcp,
    coreMcp,
    callerOf,
    accessPolicy: {
      allowedHosts: ['127.0.0.1'],
      allowedOrigins: ['http://localhost'],
      isLocal: false,
    },
    readMaxAge: 0,
    logger,
    newReference: () => '00000000-0000-4000-8000-000000000000',
    health: () => checkHealth(store, storageLimit, workspace.now),
    stopping: () => false,
    ...options,
  });
  server.on('request', handleInOrder(app));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    warnings,
    faults,
    close: async () => {
      await Promise.all([mcp.close?.(), coreMcp.close?.()]);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
