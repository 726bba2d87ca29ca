import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpAppOptions } from '#http/app-options.ts';
import type { Store } from '#store/store.ts';
import { askAt, type Asking, type Told } from './wire.ts';
import { openHouse, type HouseOverrides, type OpenHouse } from './app.ts';
import { openTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from '../context.ts';

export const IDEA = 'post_019c9a31-6400-7000-8000-000000000001';
export const PROJECT = 'project_019c9a31-6400-7000-8000-000000000006';
export const UNKNOWN = '019c9a31-6400-7000-8000-999999999999';

/** No limits, for tests of something else. */
export const FREE = { feedPostsPerHour: 0, porchWritesPerHour: 0, porchWritesPerDay: 0 };

/** Lets X-Forwarded-For say where a request comes from. */
export const PROXIED = { network: { trustedProxies: ['127.0.0.1'], ipv4Prefix: 32, ipv6Prefix: 64 } };

export const from = (address: string): { 'X-Forwarded-For': string } => ({ 'X-Forwarded-For': address });

export interface Setting extends TestWorkspace {
  house: OpenHouse;
  ask: (line: string, asking?: Asking) => Promise<Told>;
  /** Asks /mcp; the arguments are those of JSON-RPC. */
  rpc: (method: string, params?: object, headers?: Asking['headers']) => Promise<Told>;
}

interface Cleanup {
  after: (fn: () => Promise<void>) => void;
}

/** A house over a world of its own, gone after the test. */
export async function setUp(
  test: Cleanup,
  world: Partial<TestWorkspaceOptions> = {},
  house: HouseOverrides = {},
  create?: (house: HttpAppOptions) => RequestListener,
): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-http-'));
  const made = await openTestWorkspace({ folder, ...world });
  const open = await openHouse(made, house, create);
  test.after(async () => {
    await open.close();
    await made.store.close();
    await rm(folder, { recursive: true });
  });
  const ask: Setting['ask'] = (line, asking) => askAt(open.url, line, asking);
  return { ...made, house: open, ask, rpc: (method, params, headers) => rpc(ask, method, params, headers) };
}

export const MCP_ACCEPT = { Accept: 'application/json, text/event-stream' };

function rpc(
  ask: Setting['ask'],
  method: string,
  params: object = {},
  headers: Asking['headers'] = {},
): Promise<Told> {
  return ask('POST /mcp', {
    headers: { ...MCP_ACCEPT, ...headers },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
}

/** Calls a tool over /mcp. @returns what it says in its one text block */
export async function callOverMcp(setting: Setting, name: string, args: object, headers?: Asking['headers']) {
  const { json } = await setting.rpc('tools/call', { name, arguments: args }, headers);
  return JSON.parse(json.result.content[0].text);
}

const KINDS = ['post', 'guest', 'project', 'note'] as const;

/** @returns the ids of all that is visible, to show that nothing was stored. */
export async function visibleIds({ read }: Store): Promise<string[]> {
  const pages = await Promise.all(KINDS.map((kind) => read.page(kind, { order: 'oldest', limit: 100_000 })));
  return pages.flat().map(({ record }) => record.id);
}
