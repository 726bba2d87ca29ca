import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { PostgresPrivateStore } from '#private/postgres-private-store.ts';
import type { PrivateStore } from '#private/private-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { Kind } from '#store/port/records.ts';
import { StoreFailure, type Store } from '#store/port/store.ts';
import { callTool } from '#tool/call-tool.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { listEndpoints } from '#tool/route.ts';
import type { Limits } from '#workspace/schemas/limits.ts';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';
import type { Service } from '#workspace/service/service.ts';
import type { Mirror } from '#workspace/service/mirror.ts';
import { createAuthorKey } from '#workspace/text/author-key.ts';
import { createWorkspace, type HttpWorkspace } from '#workspace/workspace.ts';
import { loadTools } from '../../tools/load.ts';
import { testClock, type TestClock } from './clock.ts';
import { freeze, thaw } from './store/writes.ts';
import { PATIENT_TIMEOUTS } from './wait-until.ts';

/** One call of `data/example.json`. */
interface ExampleCall {
  /** ISO 8601, UTC. */
  at: string;
  /** The id of the record that the call publishes. */
  id: string;
  tool: string;
  arguments: Record<string, unknown>;
}

const EXAMPLE = JSON.parse(
  readFileSync(new URL('../../data/example.json', import.meta.url), 'utf8'),
) as readonly ExampleCall[];

/** The time of the clock after the calls of `data/example.json`. */
const EXAMPLE_NOW = '2026-03-02T16:00:00.000Z';
export const BASE_URL = 'http://porchlight.test';

const LIMITS: Limits = {
  feedPostsPerHour: 24,
  porchWritesPerHour: 10,
  porchWritesPerDay: 40,
  writesPerMinuteTotal: 0,
  reportsPerHour: 20,
  requestsPerMinute: 1200,
  waitsPerNetwork: 50,
};

export interface TestWorkspaceOptions {
  /** Data folder of the folder engine. */
  folder: string;
  /** Uses the PostgreSQL engine with this schema instead of the folder. */
  database?: { url: string; schema: string };
  limits?: Partial<Limits>;
  baseUrl?: string;
  contact?: string | null;
  /** Makes the workspace that of a mirror, after the setup. */
  mirror?: Mirror;
  /** After the setup every write rejects: `fails` with nothing stored, `forgets` with an unknown outcome. */
  disk?: 'fails' | 'forgets';
  /** Freezes the store after the setup. */
  frozen?: boolean;
  /** STORE_MAX_BYTES after the setup. */
  storeMaxBytes?: number;
  /** Skips the calls of `data/example.json`. */
  empty?: boolean;
  /**
   * A file with `Conditions` as JSON. Each call of a tool applies them first, so a test can change another
   * process.
   */
  conditionsFile?: string;
}

/** What can change while a workspace runs. */
export type Conditions = Pick<TestWorkspaceOptions, 'limits' | 'disk' | 'frozen' | 'storeMaxBytes'>;

/** A workspace with its dependencies. */
export interface TestWorkspace {
  workspace: HttpWorkspace;
  tools: AnyTool[];
  store: Store;
  privateStore: PrivateStore;
  storageLimit: StorageLimit;
  clock: TestClock;
}

const TOOLS = await loadTools();

/**
 * Opens a workspace on a real store with the calls of `data/example.json`. The clock stands still, and ids are
 * deterministic.
 */
export async function openTestWorkspace(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  if (options.empty === true) return openWorkspace(options);
  if (options.database !== undefined) return openWorkspace(options, { calls: EXAMPLE });
  example ??= makeExample();
  const { folder, keys } = await example;
  cpSync(folder, options.folder, { recursive: true });
  return openWorkspace(options, { keys });
}

interface Example {
  readonly folder: string;
  /** The author keys that its calls were given. */
  readonly keys: number;
}

/** What the workspaces of this process that are not empty copy: its calls take most of the time of a short test. */
let example: Promise<Example> | undefined;

async function makeExample(): Promise<Example> {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-example-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true });
  });
  let keys = 0;
  const { store } = await openWorkspace({ folder }, { calls: EXAMPLE, onKey: () => (keys += 1) });
  await store.close();
  return { folder, keys };
}

interface Earlier {
  /** Calls to make first. */
  readonly calls?: readonly ExampleCall[];
  /** Author keys that calls were given. */
  readonly keys?: number;
  readonly onKey?: () => void;
}

async function openWorkspace(
  {
    folder,
    database,
    limits,
    baseUrl = BASE_URL,
    contact = null,
    mirror,
    conditionsFile,
    ...atFirst
  }: TestWorkspaceOptions,
  earlier: Earlier = {},
): Promise<TestWorkspace> {
  const clock = testClock(EXAMPLE_NOW);
  const report = (): void => undefined;
  const engine =
    database === undefined
      ? await openFolderStore({ folder, clock, report })
      : await openPostgresStore({ ...database, clock, report, timeouts: PATIENT_TIMEOUTS });
  const privateStore =
    database === undefined
      ? new FolderPrivateStore({ disk: nodeDisk, folder, clock })
      : new PostgresPrivateStore({ ...database, clock, report });
  const currentLimits = { ...LIMITS, ...limits };
  let conditions: Conditions = {};
  const apply = async (next: Conditions): Promise<void> => {
    if (next.frozen !== conditions.frozen) await (next.frozen === true ? freeze : thaw)(engine);
    Object.assign(currentLimits, LIMITS, limits, next.limits);
    conditions = next;
  };
  const tools = TOOLS.map(
    (tool): AnyTool =>
      conditionsFile === undefined
        ? tool
        : {
            ...tool,
            handle: async (input, context) => {
              await apply(JSON.parse(readFileSync(conditionsFile, 'utf8')) as Conditions);
              return tool.handle(input, context);
            },
          },
  );
  const store: Store = {
    ...delegate(engine, privateStore),
    write: (lookups, decide) =>
      conditions.disk === undefined
        ? engine.write(lookups, decide)
        : Promise.reject(new StoreFailure(conditions.disk === 'fails' ? 'nothing' : 'unknown', 'no disk')),
  };
  const storageLimit = new StorageLimit({
    store: engine,
    get maxBytes() {
      return conditions.storeMaxBytes ?? 0;
    },
    report,
  });
  const exampleIds: string[] = [];
  let count = 100;
  let keys = earlier.keys ?? 0;
  const newId = (kind: Kind): string =>
    exampleIds.shift() ?? `${kind}_019c9a31-6400-7000-8000-${String(++count).padStart(12, '0')}`;
  const service: { -readonly [Name in keyof Service<string>]: Service<string>[Name] } = {
    name: 'porchlight',
    baseUrl,
    contact,
    version: '0.0.0',
  };
  const workspace = createWorkspace({
    store,
    privateStore,
    limits: currentLimits,
    storageLimit,
    secretGuard: true,
    service,
    newId,
    newAuthorKey: () => {
      earlier.onKey?.();
      return createAuthorKey(createHash('sha256').update(`key ${++keys}`).digest());
    },
    now: clock.now,
    endpoints: listEndpoints(tools),
  });
  for (const [index, { at, id, tool, arguments: args }] of (earlier.calls ?? []).entries()) {
    clock.set(at);
    exampleIds.push(id);
    await callTool(tools.find(({ name }) => name === tool)!, args, {
      workspace,
      caller: { clientKey: `earlier ${index}` },
    });
  }
  clock.set(EXAMPLE_NOW);
  service.mirror = mirror;
  await apply(atFirst);
  return { workspace, tools, store, privateStore, storageLimit, clock };
}

function delegate(store: Store, privateStore: PrivateStore): Omit<Store, 'write'> {
  return {
    read: store.read,
    remainsAfterErase: store.remainsAfterErase,
    knownSteps: () => store.knownSteps?.(),
    revision: () => store.revision(),
    watch: (listener) => store.watch(listener),
    health: () => store.health(),
    forgetClients: () => store.forgetClients(),
    findWriteSource: (id) => store.findWriteSource(id),
    prepareSearch: () => {
      store.prepareSearch?.();
    },
    sizeInBytes: () => store.sizeInBytes(),
    close: async () => {
      await privateStore.close();
      await store.close();
    },
  };
}
