import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createMemoryDisk } from '#demo/memory-disk.ts';
import { createFailureReply } from '#http/failure-reply.ts';
import type { McpEndpoint } from '#tool/mcp-endpoint.ts';
import { createRequestHandler } from '#http/request-handler.ts';
import { Compressor } from '#http/responses/cacheable-response.ts';
import type { Reply, Route, RouteRequest } from '#http/responses/reply.ts';
import { createMcpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Reader, Revision, Store } from '#store/port/store.ts';
import { callTool } from '#tool/call-tool.ts';
import type { Fields } from '#tool/define-tool.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { fillIn, listEndpoints } from '#tool/route.ts';
import { checkHealth } from '#workspace/limits/health.ts';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';
import { createAuthorKey } from '#workspace/text/author-key.ts';
import { createWorkspace, type HttpWorkspace } from '#workspace/workspace.ts';
import { loadTools } from '../../tools/load.ts';
import { testClock, type TestClock } from './clock.ts';
import { BASE_URL } from './context.ts';
import { NO_LIMITS } from './http/test-app.ts';

const FOLDER = '/races';
const FOLDERS = [FOLDER, join(FOLDER, 'keys')];
const CALLER = { clientKey: 'local' };
const tools = await loadTools();

/** A store in memory, of which tests make copies. */
export interface World {
  readonly clock: TestClock;
  readonly store: Store;
  readonly copy: () => Promise<World>;
}

/** @param files by their paths */
export async function openWorld(
  time: string,
  files: ReadonlyMap<string, Buffer> = new Map(),
): Promise<World> {
  const clock = testClock(time);
  const disk = createMemoryDisk(clock.now);
  for (const [path, bytes] of files) await (await disk.open(path, 'create')).append(bytes);
  const store = await openFolderStore({ disk, folder: FOLDER, clock, report: () => undefined });
  const copy = async (): Promise<World> => {
    const copied = new Map<string, Buffer>();
    for (const folder of FOLDERS)
      for (const name of await disk.list(folder)) {
        const file = await disk.open(join(folder, name), 'read');
        const bytes = Buffer.alloc(file.size());
        await file.read(bytes, 0);
        if (name !== 'lock') copied.set(join(folder, name), bytes);
      }
    return openWorld(new Date(clock.now()).toISOString(), copied);
  };
  return { clock, store, copy };
}

/** A change of the store right before or right after one read of it. */
export interface Race {
  /** Which read, from 1. */
  readonly at: number;
  readonly isAfter: boolean;
  /** @param name of the method that reads */
  readonly change: (name: string) => Promise<unknown>;
}

/**
 * The store of a server, for which tests exchange the world behind it. For the server that is a change by another
 * process, since the revision never returns.
 */
export class Stage {
  readonly store: Store;
  /** The methods that were called since the last `play`. */
  reads: string[] = [];
  #world: World;
  #race: Race | undefined;
  #isChanging = false;
  #lastRevision = 0;
  #revisionsBefore = 0;

  constructor(world: World) {
    this.#world = world;
    const now = (): Store => this.#world.store;
    const methods = Object.keys(world.store.read).map((name) => [
      name,
      (...args: unknown[]) =>
        this.#pass(name, () => {
          const read = now().read as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
          return read[name]!(...args);
        }),
    ]);
    const write = (...args: Parameters<Store['write']>) => this.#pass('write', () => now().write(...args));
    this.store = {
      read: Object.fromEntries(methods) as unknown as Reader,
      remainsAfterErase: '',
      knownSteps: () => now().knownSteps?.(),
      revision: () => this.#pass('revision', () => this.#readRevision()),
      write: write as Store['write'],
      watch: () => () => undefined,
      health: () => now().health(),
      forgetClients: () => now().forgetClients(),
      findWriteSource: (id) => now().findWriteSource(id),
      sizeInBytes: () => now().sizeInBytes(),
      close: () => now().close(),
    };
  }

  /** Exchanges the world, and counts the reads anew. */
  play(world: World, race?: Race): void {
    this.#revisionsBefore = this.#lastRevision + 1;
    this.#world = world;
    this.#race = race;
    this.reads = [];
  }

  #readRevision(): Revision {
    const revision = this.#world.store.revision() as Revision;
    if (revision === undefined) return undefined;
    this.#lastRevision = this.#revisionsBefore + revision;
    return this.#lastRevision;
  }

  /** A read without a change stays as it is, a synchronous one too. */
  #pass<Result>(name: string, read: () => Result): Result | Promise<Awaited<Result>> {
    if (this.#isChanging) return read();
    this.reads.push(name);
    const race = this.#race;
    return race?.at === this.reads.length ? this.#raced(race, name, read) : read();
  }

  async #raced<Result>(race: Race, name: string, read: () => Result): Promise<Awaited<Result>> {
    const result = race.isAfter ? await read() : undefined;
    this.#isChanging = true;
    await race.change(name);
    this.#isChanging = false;
    return race.isAfter ? (result as Awaited<Result>) : await read();
  }
}

/** What a request gets. Of MCP the status is that of the same failure over REST. */
export interface Answer {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

const STATUSES: Readonly<Record<string, number>> = {
  not_found: 404,
  invalid_request: 400,
  thread_changed: 409,
};

export interface Server {
  readonly workspace: HttpWorkspace;
  /** @param key the author key of the header `Authorization` */
  readonly get: (address: string, key?: string) => Promise<Answer>;
  readonly rpc: (method: string, params: Fields) => Promise<Answer>;
  readonly call: (tool: string, args: Fields) => Promise<Fields>;
  /** Faults of the server. */
  readonly faults: unknown[];
}

/**
 * Starts a server without a socket.
 * @param id the end of each id that it gives; by default it counts
 */
export function startServer({ clock }: World, store: Store, id?: string): Server {
  const privateStore = new FolderPrivateStore({ disk: createMemoryDisk(clock.now), folder: FOLDER, clock });
  const storageLimit = new StorageLimit({ store, maxBytes: 0, report: () => undefined });
  let ids = 0;
  const workspace = createWorkspace({
    store,
    privateStore,
    storageLimit,
    limits: {
      ...NO_LIMITS,
      writesPerMinuteTotal: 0,
      reportsPerHour: 0,
      requestsPerMinute: 0,
      waitsPerNetwork: 0,
    },
    secretGuard: true,
    service: { name: 'porchlight', baseUrl: BASE_URL, contact: null, version: '0.0.0' },
    newId: (kind) => `${kind}_019c9a31-6400-7000-8000-${id ?? String((ids += 1)).padStart(12, '0')}`,
    newAuthorKey: () => createAuthorKey(Buffer.alloc(32)),
    now: clock.now,
    endpoints: listEndpoints(tools),
  });
  const faults: unknown[] = [];
  const logger = {
    error: (facts: object): void => {
      faults.push(facts);
    },
  };
  const resultCache = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const noMcp = { protocolVersions: [] } as unknown as McpEndpoint;
  const newReference = (): string => 'a reference';
  const { routes } = createRequestHandler({
    tools,
    workspace,
    resultCache,
    compressor: new Compressor(),
    mcp: noMcp,
    coreMcp: noMcp,
    callerOf: () => CALLER,
    accessPolicy: { allowedHosts: [], allowedOrigins: [], isLocal: false },
    readMaxAge: 0,
    logger,
    newReference,
    health: () => checkHealth(store, storageLimit, workspace.now),
    stopping: () => false,
  });
  const find = createFinder(routes.filter(({ method }) => method === 'GET'));
  const failureReply = createFailureReply({ workspace, logger, newReference });
  const handlers = createMcpHandlers({
    tools,
    workspace,
    resultCache,
    report: ({ cause }) => {
      if (cause !== undefined) faults.push(cause);
    },
  });
  return {
    workspace,
    faults,
    get: async (address, key) => {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const request = { url: address, method: 'GET', headers } as unknown as IncomingMessage;
      const response = { destroyed: false, once: () => undefined } as unknown as ServerResponse;
      const { route, parameters } = find(address);
      const serve = async (call: RouteRequest): Promise<Reply | undefined> => route.serve(call);
      const reply = await serve({ request, response, parameters, caller: CALLER }).catch((error: unknown) =>
        failureReply(error, request),
      );
      const { status, headers: sent, body, tail = '' } = reply!;
      return { status, location: String(sent['Location'] ?? ''), text: body.toString() + tail };
    },
    rpc: async (method, params) => {
      const call = { id: 1, method, params, isStateless: false };
      const { before, after } = await handlers.dispatch(call, CALLER);
      const text = before.toString() + after;
      const { result, error } = JSON.parse(text) as {
        readonly result?: {
          readonly isError?: boolean;
          readonly content?: readonly { readonly text: string }[];
        };
        readonly error?: object;
      };
      if (error !== undefined) return { status: 404, location: '', text };
      if (result?.isError !== true) return { status: 200, location: '', text };
      const { code } = JSON.parse(result.content?.[0]?.text ?? '{}') as { code: string };
      return { status: STATUSES[code] ?? 500, location: '', text };
    },
    call: (name, args) =>
      callTool(tools.find((tool) => tool.name === name)!, args, { workspace, caller: CALLER }),
  };
}

/** @returns a function that finds the route of an address; those without parameters come first */
function createFinder(routes: readonly Route[]) {
  const patterns = routes
    .toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
    .map((route) => {
      const source = fillIn(route.path.replaceAll('.', '\\.'), (name) => `(?<${name}>[A-Za-z0-9_-]+)`);
      return { route, pattern: new RegExp(`^${source}$`) };
    });
  return (address: string): { readonly route: Route; readonly parameters: RouteRequest['parameters'] } => {
    for (const { route, pattern } of patterns) {
      const match = pattern.exec(address.replace(/\?.*/, ''));
      if (match !== null) return { route, parameters: { ...match.groups } };
    }
    throw new Error(`there is no route for ${address}`);
  };
}
