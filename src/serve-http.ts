import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { v4 } from 'uuid';
import { createApp } from '#http/app.ts';
import { limitClients } from '#http/guards/client-limits.ts';
import { handleInOrder } from '#http/guards/in-order.ts';
import { openFileLimit } from '#http/guards/open-files.ts';
import { createHttpServer } from '#http/server.ts';
import { createMcpHandlers } from '#mcp/handlers.ts';
import { createMcpEndpoint } from '#mcp/transport/http.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { routeOf } from '#tool/route.ts';
import { checkHealth, type ServiceHealth } from '#workspace/health.ts';
import { moderationOf } from '#workspace/moderation.ts';
import { StorageLimit } from '#workspace/storage-limit.ts';
import { createWorkspace } from '#workspace/workspace.ts';
import { loadTools } from '../tools/load.ts';
import { baseUrlOf, refuseOpenLoopback, toAccessPolicy } from './access-policy.ts';
import type { Config } from './config.ts';
import { createHttpSdks } from './mcp-sdks.ts';
import { clearOnErase } from './clear-on-erase.ts';
import { createLogger } from './logger.ts';
import type { Metrics, MetricsSources } from './metrics.ts';
import { VERSION } from './version.ts';
import { openStore, createWorkspaceOptions } from './context.ts';

/** What is still going on when this is over is cut off. */
const GRACE_MS = 8_000;

/** A client whose turn it is has this long to take it, once the service stops. */
const IDLE_CHECK_MS = 1_000;

/** Besides the tools. */
const OTHER_PATHS = ['/', '/mcp', '/feed.xml', '/posts/{postId}', '/healthz'];

export interface RunningServer {
  readonly baseUrl: string;
  /** Finishes what was begun, and lets everything acknowledged reach the disk. */
  readonly stop: () => Promise<void>;
}

/** Serves MCP, REST and RSS over HTTP. @throws ConfigError */
export async function serveHttp(config: Config): Promise<RunningServer> {
  refuseOpenLoopback(config);
  const logger = createLogger(config.logLevel);
  const report = (what: string): void => {
    logger.warn(what);
  };
  const store = await openStore(config, report);
  const storageLimit = new StorageLimit({ store, maxBytes: config.storeMaxBytes, report });
  const health = (): Promise<ServiceHealth> => checkHealth(store, storageLimit);
  const tools = await loadTools();
  const server = createHttpServer();
  const connections = limitClients(server, {
    network: config.network,
    openFiles: openFileLimit(process.report),
    logger,
  });
  let metrics: Metrics | undefined;
  try {
    metrics = config.metrics && (await openMetrics(config.metrics, { server, store, health, tools }));
    server.listen(config.port, config.host);
    await once(server, 'listening');
  } catch (error) {
    metrics?.stop();
    await store.close();
    throw error;
  }
  const baseUrl = baseUrlOf(config, (server.address() as AddressInfo).port);
  const workspace = createWorkspace(createWorkspaceOptions(config, { store, storageLimit, tools, baseUrl }));
  const accessPolicy = toAccessPolicy(config, baseUrl);
  if (config.network.trustedProxies.length > 0 && config.baseUrl === undefined) {
    logger.warn(
      { baseUrl },
      'TRUSTED_PROXIES is set and BASE_URL is not: links begin with an address that visitors behind the proxy cannot open',
    );
  }
  if (accessPolicy.allowedHosts === null && config.allowedHosts === undefined)
    logger.warn('/mcp accepts any Host header; set BASE_URL or ALLOWED_HOSTS');
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
  const mcp = createMcpEndpoint(
    createHttpSdks(catalogue, {
      // The other half is left to those who ask and go.
      maxStreams: connections.max >> 1,
      report: ({ name }) => {
        logger.debug({ name }, 'an MCP request was refused');
      },
    }),
  );
  let stopping = false;
  const app = createApp({
    tools,
    workspace,
    results,
    mcp,
    network: config.network,
    accessPolicy,
    readMaxAge: config.readMaxAge,
    logger,
    newReference: () => v4(),
    moderation: () => moderationOf(store.read),
    health,
    stopping: () => stopping,
  });
  server.on('request', handleInOrder(app));
  logger.info({ baseUrl, metrics: metrics?.url }, 'listening');

  return {
    baseUrl,
    stop: async () => {
      stopping = true;
      const lettingGo = setInterval(() => {
        connections.closeIdle();
      }, IDLE_CHECK_MS);
      const cutOff = setTimeout(() => {
        server.closeAllConnections();
      }, GRACE_MS);
      server.close();
      await mcp.close();
      await once(server, 'close');
      metrics?.stop();
      clearInterval(lettingGo);
      clearTimeout(cutOff);
      await store.close();
      logger.info('stopped');
    },
  };
}

/** Loaded apart, since few want it. */
async function openMetrics(
  address: NonNullable<Config['metrics']>,
  { tools, ...observed }: { tools: readonly AnyTool[] } & Pick<MetricsSources, 'server' | 'store' | 'health'>,
): Promise<Metrics> {
  const { startMetricsServer: serveMetrics } = await import('./metrics.ts');
  return serveMetrics(
    {
      ...observed,
      version: VERSION,
      paths: [...new Set(tools.map((tool) => routeOf(tool).path)), ...OTHER_PATHS],
    },
    address,
  );
}
