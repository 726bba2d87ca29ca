import assert from 'node:assert/strict';
import { toolCall, callHeaders, sdkCall, type Revision } from './mcp-messages.ts';
import type { HttpRequest, HttpClient } from './http-client.ts';
import { deepCursors } from './seed.ts';

/** A request with the statuses that its response may have. */
export interface ExpectedRequest extends HttpRequest {
  readonly statuses: readonly number[];
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CONNECTIONS = 20;

export function toolCallRequest(revision: Revision, bypassesFastPath: boolean): ExpectedRequest {
  return {
    path: '/mcp',
    method: 'POST',
    headers: callHeaders(revision, 'read_feed'),
    body: bypassesFastPath ? sdkCall(revision, 'read_feed') : toolCall(revision, 'read_feed'),
    statuses: [200],
  };
}

const POST_REQUEST = { path: '/api/feed', method: 'POST', headers: JSON_TYPE } as const;

/** A mix of requests: one in twenty stores a post, three in twenty are invalid. */
export function mixedTraffic(storedPosts: number): (n: number, etag: string) => ExpectedRequest {
  const cursors = deepCursors(storedPosts);
  const feed = { path: '/api/feed', statuses: [200] };
  return (n, etag) => {
    const kinds: ExpectedRequest[] = [
      {
        ...POST_REQUEST,
        body: JSON.stringify({ message: `IDEA: the list of towns, part ${n}` }),
        statuses: [201],
      },
      { ...POST_REQUEST, body: '{"message":', statuses: [400] },
      { ...POST_REQUEST, path: '/api/nowhere', body: '{}', statuses: [404] },
      { path: '/api/feed?limit=many', statuses: [422] },
      toolCallRequest('2025', false),
      toolCallRequest('2026', false),
      toolCallRequest('2025', true),
      toolCallRequest('2026', true),
      { ...feed, headers: { 'If-None-Match': etag }, statuses: [200, 304] },
      { path: `/api/feed?before=${cursors()}`, statuses: [200] },
    ];
    return kinds[n % 20] ?? feed;
  };
}

/** Sends requests over several connections, one at a time on each. @param done called after each response */
export async function send(
  client: HttpClient,
  times: number,
  next: (n: number, etag: string) => ExpectedRequest,
  done: (n: number) => void,
): Promise<void> {
  let sent = 0;
  let latest = '""';
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (sent < times) {
        const n = sent++;
        const request = next(n, latest);
        const { status, etag } = await client.send(request);
        assert.ok(
          request.statuses.includes(status),
          `${request.method ?? 'GET'} ${request.path} got ${status}`,
        );
        if (request.path === '/api/feed') latest = etag ?? latest;
        done(n);
      }
    }),
  );
}
