import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestHandlerOptions } from '#http/request-handler.ts';
import type { Store } from '#store/port/store.ts';
import { sendRequest, type RequestOptions, type HttpResponse } from './send-request.ts';
import { startApp, type AppOverrides, type RunningApp } from './app.ts';
import { waitUntil } from '../wait-until.ts';
import { openTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from '../context.ts';

export const IDEA = 'post_019c9a31-6400-7000-8000-000000000001';
export const PROJECT = 'project_019c9a31-6400-7000-8000-000000000006';
export const UNKNOWN_UUID = '019c9a31-6400-7000-8000-999999999999';

/** Turns the limits of publishing off. */
export const NO_LIMITS = { feedPostsPerHour: 0, porchWritesPerHour: 0, porchWritesPerDay: 0 };

/** Trusts this machine as a proxy, so that a test sets the client address with X-Forwarded-For. */
export const BEHIND_PROXY = { network: { trustedProxies: ['127.0.0.1'], ipv4Prefix: 32, ipv6Prefix: 64 } };

export const forwardedFor = (address: string): { 'X-Forwarded-For': string } => ({
  'X-Forwarded-For': address,
});

export interface TestApp extends TestWorkspace, Omit<RunningApp, 'close'> {
  /** @param line method and path, as in `GET /api/feed` */
  request: (line: string, options?: RequestOptions) => Promise<HttpResponse>;
  /** Sends a JSON-RPC request to /mcp. */
  rpc: (method: string, params?: object, headers?: RequestOptions['headers']) => Promise<HttpResponse>;
}

export interface Cleanup {
  after: (fn: () => Promise<void>) => void;
}

/** Starts the HTTP app on a workspace and a folder of its own, and removes both after the test. */
export async function setUp(
  test: Cleanup,
  options: Partial<TestWorkspaceOptions> = {},
  overrides: AppOverrides = {},
  create?: (options: RequestHandlerOptions) => RequestListener,
): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-http-'));
  const context = await openTestWorkspace({ folder, ...options });
  const { close, ...app } = await startApp(context, overrides, create);
  test.after(async () => {
    await close();
    await context.store.close();
    await rm(folder, { recursive: true });
  });
  const request: TestApp['request'] = (line, requestOptions) => sendRequest(app.url, line, requestOptions);
  return {
    ...context,
    ...app,
    request,
    rpc: (method, params, headers) => rpc(request, method, params, headers),
  };
}

export const MCP_ACCEPT = { Accept: 'application/json, text/event-stream' };

function rpc(
  request: TestApp['request'],
  method: string,
  params: object = {},
  headers: RequestOptions['headers'] = {},
): Promise<HttpResponse> {
  return request('POST /mcp', {
    headers: { ...MCP_ACCEPT, ...headers },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
}

/** Calls a tool over /mcp. @returns the JSON in the one text block of its result */
export async function callOverMcp(
  app: TestApp,
  name: string,
  args: object,
  headers?: RequestOptions['headers'],
) {
  const { json } = await app.rpc('tools/call', { name, arguments: args }, headers);
  return JSON.parse(json.result.content[0].text);
}

/** Waits until so many calls wait for messages. */
export async function untilWaiting({ workspace }: TestApp, count: number): Promise<void> {
  await waitUntil(() => workspace.waiters.size === count);
}

const KINDS = ['post', 'guest', 'project', 'note'] as const;

/** @returns the ids of all visible records */
export async function visibleIds({ read }: Store): Promise<string[]> {
  const pages = await Promise.all(KINDS.map((kind) => read.page(kind, { order: 'oldest', limit: 100_000 })));
  return pages.flat().map(({ record }) => record.id);
}
