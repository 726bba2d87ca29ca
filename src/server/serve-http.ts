import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v4 } from 'uuid';
import { loadLateModules } from '#runtime/late-module.ts';
import { createRequestHandler } from '#http/request-handler.ts';
import type { AccessPolicy } from '#http/guards/access.ts';
import { createCallerResolver } from '#http/guards/client.ts';
import { handleInOrder, limitClients } from '#http/guards/client-limits.ts';
import { openFileLimit } from '#http/guards/connection-limit.ts';
import { Compressor } from '#http/responses/cacheable-response.ts';
import { createHttpServer } from '#http/server.ts';
import { createMcpEndpoint, createStreamLimit } from '#mcp/transport/http.ts';
import { checkHealth, type ServiceHealth } from '#workspace/limits/health.ts';
import { Holds } from '#workspace/moderation/holds.ts';
import { OperatorLinks } from '#workspace/moderation/operator-links.ts';
import type { Store } from '#store/port/store.ts';
import type { Toolset } from '#tool/define-tool.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { loadTools } from '#tools/load.ts';
import { toBaseUrl, refuseOpenLoopback, toAccessPolicy } from './access-policy.ts';
import { ConfigError, VERSION, type Config } from '#settings/config.ts';
import { createService, openServerStore, requireOwnStore, type OpenStores } from './service.ts';
import { createLogger, warnBy, type Logger } from './logger.ts';
import { createHttpSdks } from './mcp-sdks.ts';
import type { Metrics } from './metrics.ts';
import { createPrivateStore } from './open-store.ts';
import { OperatorHook } from './operator-hook.ts';
import { watchForOperator } from './operator-watch.ts';
import { writeServerStatus } from './server-status.ts';

/** How long after `stop` the connections that are still open are destroyed. */
const STOP_TIMEOUT_MS = 8_000;

/** Nearly all streams receive every change of the feed, which takes about 50 microseconds per stream. */
const MAX_STREAMS = 1_000;

/** The share of all connections that waiting calls may use. Streams have a limit of their own. */
const MAX_WAITING_SHARE = 0.8;

const IDLE_CHECK_MS = 1_000;

/** Error codes for a host that does not resolve or does not belong to this machine. */
const WRONG_HOST = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL'];
const WRONG_HOST_TEXT =
  'HOST, and METRICS_HOST if it is set, must be an IP address or a name of this machine, such as ' +
  '127.0.0.1. Conda, for example, sets HOST for its own use: unset it, or use --host.';

/**
 * Serves HTTP until `stop` is called.
 * @param openStores by default the stores that the settings name
 * @throws ConfigError
 */
export async function serveHttp(config: Config, openStores?: OpenStores) {
  refuseOpenLoopback(config);
  const logger = createLogger(config.logLevel);
  const report = warnBy(logger);
  const privateStore = openStores?.privateStore ?? (await createPrivateStore(config, report));
  const store =
    openStores?.store ?? (await requireOwnStore(await openServerStore(config, logger), privateStore));
  const tools = await loadTools();
  const { mirror, isExample } = openStores ?? {};
  const server = createHttpServer();
  const callerOf = createCallerResolver(config.network, logger);
  // Before the listener that handles requests, and before the first connection.
  const connections = limitClients(server, {
    network: config.network,
    callerOf,
    openFiles: openFileLimit(process.report),
    logger,
  });
  const metrics = await listen(server, config).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  // Links need the base URL, which needs the port.
  const baseUrl = toBaseUrl(config, port);
  const accessPolicy = toAccessPolicy(config, baseUrl);
  warnAboutAddresses(config, logger, baseUrl, accessPolicy);
  const parts = { config, logger, store, privateStore, tools, mirror, isExample };
  const { workspace, resultCache, storageLimit, createHandlers } = createService(parts, baseUrl);
  const health = (): Promise<ServiceHealth> => checkHealth(store, storageLimit, workspace.now);
  const sdkOptions = {
    // At most half of the connections are streams.
    acquireStream: createStreamLimit(workspace.waitLimit, Math.min(connections.max >> 1, MAX_STREAMS)),
    report: ({ name }: Error): void => {
      logger.debug({ name }, 'an MCP request was refused');
    },
  };
  const openEndpoint = (toolset: Toolset) => {
    const handlers = createHandlers(toolset);
    return createMcpEndpoint(handlers, createHttpSdks(handlers, sdkOptions));
  };
  const [mcp, coreMcp] = [openEndpoint('all'), openEndpoint('core')];
  workspace.waiters.limitTo(connections.max * MAX_WAITING_SHARE);
  const { holds, links, hook } = createModeration(config, logger, store, workspace);
  let stopping = false;
  const compressor = new Compressor();
  const handler = createRequestHandler({
    tools,
    workspace,
    resultCache,
    compressor,
    mcp,
    coreMcp,
    callerOf,
    accessPolicy,
    readMaxAge: config.readMaxAge,
    logger,
    newReference: () => v4(),
    links,
    health,
    stopping: () => stopping,
  });
  metrics?.watch({
    store,
    health,
    version: VERSION,
    server,
    paths: [...new Set(handler.routes.map(({ path }) => path))],
    waiters: workspace.waiters,
    gate: resultCache.gate,
    compressor,
  });
  server.on('request', handleInOrder(handler.listener));
  store.prepareSearch?.();
  const stopStatus = writeServerStatus({
    privateStore,
    store,
    workspace,
    gate: resultCache.gate,
    health,
    listening: `${config.host}:${port}`,
    storeMaxBytes: config.storeMaxBytes,
    report,
  });
  const { totalWriteLimit } = workspace;
  const stopWatching = watchForOperator({
    privateStore,
    store,
    storageLimit,
    totalWriteLimit,
    holds,
    hook,
    logger,
  });
  const cancelLoading = loadLateModules(logger);
  logger.info({ baseUrl, metrics: metrics?.url }, 'listening');

  return {
    baseUrl,
    isEmpty: async (): Promise<boolean> => (await store.read.totals()).posts === 0,
    /** Finishes open requests, then closes the store. */
    stop: async (): Promise<void> => {
      stopping = true;
      cancelLoading();
      const idleCheck = setInterval(() => {
        connections.closeIdle();
      }, IDLE_CHECK_MS);
      const timeout = setTimeout(() => {
        server.closeAllConnections();
      }, STOP_TIMEOUT_MS);
      server.close();
      workspace.waiters.stop();
      await Promise.all([mcp.close(), coreMcp.close()]);
      await once(server, 'close');
      metrics?.stop();
      clearInterval(idleCheck);
      clearTimeout(timeout);
      await stopWatching();
      await stopStatus();
      await privateStore.close();
      await store.close();
      logger.info('stopped');
    },
  };
}

/** Opens the ports. @throws ConfigError for a host that does not belong to this machine */
async function listen(server: Server, config: Config): Promise<Metrics | undefined> {
  let metrics: Metrics | undefined;
  try {
    if (config.metrics !== undefined) {
      // Imported on demand: most installations have no Prometheus.
      const { startMetricsServer } = await import('./metrics.ts');
      metrics = await startMetricsServer(config.metrics);
    }
    server.listen(config.port, config.host);
    await once(server, 'listening');
    return metrics;
  } catch (error) {
    metrics?.stop();
    const { code = '' } = error as NodeJS.ErrnoException;
    throw WRONG_HOST.includes(code) ? new ConfigError(WRONG_HOST_TEXT) : error;
  }
}

/** Creates the parts that hide reported records and notify the operator. */
function createModeration(config: Config, logger: Logger, store: Store, workspace: HttpWorkspace) {
  const { reports, service, now } = workspace;
  const newKey = (): string => v4();
  // A mirror holds nothing, because it would differ from its origin without a decision of the operator there.
  const holds =
    service.mirror === undefined
      ? new Holds({ store, reports, needed: config.reportsToHold || Infinity, now })
      : undefined;
  const newSecret = (): string => randomBytes(32).toString('base64url');
  const links = holds && new OperatorLinks({ store, reports, holds, service, newSecret, newKey, now });
  const url = config.hookUrl;
  const hook =
    url === undefined
      ? undefined
      : new OperatorHook({
          url,
          service,
          read: store.read,
          links,
          reports,
          processId: v4(),
          newKey,
          now,
          logger,
        });
  reports.onAppend(({ type }) => {
    if (type === 'report' || type === 'event') void hook?.sendDue().catch(() => undefined);
  });
  return { holds, links, hook };
}

function warnAboutAddresses(config: Config, logger: Logger, baseUrl: string, policy: AccessPolicy): void {
  if (config.network.trustedProxies.length > 0 && config.baseUrl === undefined)
    logger.warn(
      { baseUrl },
      'TRUSTED_PROXIES is set and BASE_URL is not, so clients behind the proxy cannot open the links',
    );
  if (policy.allowedHosts === null && config.allowedHosts === undefined)
    logger.warn('/mcp accepts any Host header; set BASE_URL or ALLOWED_HOSTS');
}
