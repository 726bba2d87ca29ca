import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Reader, Store } from '#store/port/store.ts';
import type { Compressor } from '#http/responses/cacheable-response.ts';
import type { Config } from '#settings/config.ts';
import type { ReadGate } from '#tool/read-gate.ts';
import type { ServiceHealth } from '#workspace/limits/health.ts';
import type { Waiters } from '#workspace/waiting/waiters.ts';

interface RunningParts {
  readonly store: Pick<Store, 'searchIndexBytes'> & { readonly read: Pick<Reader, 'totals'> };
  readonly health: () => Promise<Pick<ServiceHealth, 'writable' | 'notifying'>>;
  readonly version: string;
  readonly server: Server;
  /** Paths with parameters in braces. Others count as `other`, so that clients cannot add time series. */
  readonly paths: readonly string[];
  readonly waiters: Pick<Waiters, 'size' | 'wakes'>;
  readonly gate: Pick<ReadGate, 'counts'>;
  readonly compressor: Pick<Compressor, 'counts'>;
}

export type Metrics = Awaited<ReturnType<typeof startMetricsServer>>;

/** In seconds, from a cached read to the slowest usual response. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Serves /metrics on a separate port for the operator, without texts, IP addresses or client keys. Responds
 * with 503 until `watch` gets the parts to report on, which exist once the HTTP port is known.
 */
export async function startMetricsServer({ host, port, allowedHosts }: NonNullable<Config['metrics']>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'porchlight_' });
  let isWatching = false;
  const metrics = createServer((request, response) => {
    if (!isMetricsHost(request.headers.host, [host, ...allowedHosts])) {
      response.writeHead(403).end('This Host header is not allowed; see ALLOWED_HOSTS.\n');
      return;
    }
    if (request.url !== '/metrics') {
      response.writeHead(404).end('Only /metrics exists here.\n');
      return;
    }
    if (!isWatching) {
      response.writeHead(503, { 'Retry-After': '1' }).end('The server is starting: try again in a second.\n');
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  metrics.listen(port, host);
  await once(metrics, 'listening');
  const { port: metricsPort } = metrics.address() as AddressInfo;
  return {
    url: `http://${host}:${metricsPort}/metrics`,
    watch: (parts: RunningParts): void => {
      const { server, paths, waiters, gate, compressor } = parts;
      isWatching = true;
      gaugeStore(registry, parts);
      countRequests(registry, server, paths);
      addRows(registry, [
        ['porchlight_waiters', 'Calls that wait for messages', () => waiters.size],
        [
          'porchlight_wakes_total',
          'Times that a waiting call was woken by a new message',
          () => waiters.wakes,
        ],
        ['porchlight_reads_running', 'Running uncached reads', () => gate.counts.running],
        ['porchlight_reads_waiting', 'Waiting uncached reads', () => gate.counts.waiting],
        ['porchlight_compressions_running', 'Running compressions', () => compressor.counts.running],
        [
          'porchlight_reads_refused_total',
          'Uncached reads refused because their network had too many at once',
          () => gate.counts.refused,
        ],
        [
          'porchlight_reads_dropped_total',
          'Uncached reads dropped because their connections closed',
          () => gate.counts.dropped,
        ],
        [
          'porchlight_compressions_skipped_total',
          'Responses sent uncompressed because all threads were busy',
          () => compressor.counts.skipped,
        ],
      ]);
    },
    stop: (): void => {
      metrics.close().closeAllConnections();
    },
  };
}

function countRequests(registry: Registry, server: Server, paths: readonly string[]): void {
  const labelNames = ['method', 'path', 'status'] as const;
  const registers = [registry];
  const requests = new Counter({
    name: 'porchlight_http_requests_total',
    help: 'Responses by status; 0 if the client disconnected first',
    labelNames,
    registers,
  });
  const seconds = new Histogram({
    name: 'porchlight_http_request_duration_seconds',
    help: 'From the head of a request to the end of its response',
    labelNames: ['path'],
    buckets: BUCKETS,
    registers,
  });
  const toPattern = (path: string): RegExp =>
    new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
  const patterns = paths.map((path) => [path, toPattern(path)] as const);
  server.on('request', ({ method = '', url = '' }: IncomingMessage, response: ServerResponse) => {
    const path = patterns.find(([, pattern]) => pattern.test(url))?.[0] ?? 'other';
    const stop = seconds.startTimer({ path });
    response.once('close', () => {
      stop();
      requests.inc({ method, path, status: response.headersSent ? response.statusCode : 0 });
    });
  });
  const connections = promisify(server.getConnections.bind(server));
  addRows(registry, [['porchlight_http_connections', 'Open connections', connections]]);
}

type Row = readonly [name: string, help: string, read: () => number | Promise<number>];

/** Adds a gauge for each row, or a counter if its name ends with `_total`. */
function addRows(registry: Registry, rows: readonly Row[]): void {
  for (const [name, help, read] of rows) {
    const Metric = name.endsWith('_total') ? Counter : Gauge;
    new Metric({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        this.reset();
        this.inc(value);
      },
    });
  }
}

function gaugeStore(registry: Registry, { store, health, version }: RunningParts): void {
  const registers = [registry];
  new Gauge({
    name: 'porchlight_build_info',
    help: 'The running version',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  addRows(registry, [
    [
      'porchlight_store_writable',
      '1 while writes are accepted; 0 while the store fails, is full (STORE_MAX_BYTES) or frozen',
      async () => Number((await health()).writable),
    ],
    [
      'porchlight_store_notifying',
      '1 while notifications of other servers arrive; 0 while there is no database connection for them',
      async () => Number((await health()).notifying),
    ],
  ]);
  // With PostgreSQL the index is in the database.
  if (store.searchIndexBytes !== undefined)
    addRows(registry, [
      ['porchlight_search_index_bytes', 'Memory of the search index', () => store.searchIndexBytes?.() ?? 0],
    ]);
  new Gauge({
    name: 'porchlight_visible',
    help: 'Visible records by kind',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset();
      // If the store cannot be read, this gauge has no values; `porchlight_store_writable` shows the failure.
      const totals = await store.read.totals().catch(() => undefined);
      if (totals === undefined) return;
      const { posts, threads, guests, projects } = totals;
      for (const [kind, count] of Object.entries({ posts, threads, guests, projects }))
        this.set({ kind }, count);
    },
  });
}

/**
 * Whether a Host header cannot come from DNS rebinding, with which a web page makes a browser send requests
 * here under the page's domain. That domain contains a dot and is not an IP address: one without a dot cannot
 * exist.
 * @param header undefined in HTTP/1.0 requests, which no browser sends
 * @param names additional allowed names, with or without a port
 */
export function isMetricsHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return header === undefined;
  const { hostname } = new URL(`http://${header}`);
  return (
    !hostname.includes('.') ||
    isIP(hostname) !== 0 ||
    names.includes(hostname) ||
    names.includes(header.toLowerCase())
  );
}
