import assert from 'node:assert/strict';
import { call, headersOf, sdkCall, type Era } from './mcp-messages.ts';
import type { Asked, Wire } from './http-client.ts';
import { deepCursors } from './seed.ts';

/** A request with the statuses of which its answer has one. */
export interface Expected extends Asked {
  readonly statuses: readonly number[];
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CONNECTIONS = 20;

export function callOf(era: Era, long: boolean): Expected {
  return {
    path: '/mcp',
    method: 'POST',
    headers: headersOf(era, 'read_feed'),
    body: long ? sdkCall(era, 'read_feed') : call(era, 'read_feed'),
    statuses: [200],
  };
}

const POST = { path: '/api/feed', method: 'POST', headers: JSON_TYPE } as const;

/** What a day brings, in small: every twentieth request is a post, and three of twenty are mistaken. */
export function mixedOver(stored: number): (n: number, etag: string) => Expected {
  const cursors = deepCursors(stored);
  const feed = { path: '/api/feed', statuses: [200] };
  return (n, etag) => {
    const kinds: Expected[] = [
      { ...POST, body: JSON.stringify({ message: `IDEA: the list of towns, part ${n}` }), statuses: [201] },
      { ...POST, body: '{"message":', statuses: [400] },
      { ...POST, path: '/api/nowhere', body: '{}', statuses: [404] },
      { path: '/api/feed?limit=many', statuses: [422] },
      callOf('2025', false),
      callOf('2026', false),
      callOf('2025', true),
      callOf('2026', true),
      { ...feed, headers: { 'If-None-Match': etag }, statuses: [200, 304] },
      { path: `/api/feed?before=${cursors()}`, statuses: [200] },
    ];
    return kinds[n % 20] ?? feed;
  };
}

/** Sends requests over some connections, each as soon as the one before is answered. @param done told after each */
export async function send(
  wire: Wire,
  times: number,
  next: (n: number, etag: string) => Expected,
  done: (n: number) => void,
): Promise<void> {
  let sent = 0;
  let latest = '""';
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (sent < times) {
        const n = sent++;
        const asked = next(n, latest);
        const { status, etag } = await wire.ask(asked);
        assert.ok(
          asked.statuses.includes(status),
          `${asked.method ?? 'GET'} ${asked.path} was answered with ${status}`,
        );
        if (asked.path === '/api/feed') latest = etag ?? latest;
        done(n);
      }
    }),
  );
}
