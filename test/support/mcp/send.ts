import type { HttpResponse, RequestOptions } from '../http/send-request.ts';
import { MCP_ACCEPT, type TestApp } from '../http/test-app.ts';
import { META_2026 } from './listen-stream.ts';

/** The newest one with a handshake, and the one without. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

interface Sent {
  readonly revision: (typeof REVISIONS)[number];
  readonly path?: string;
  readonly id?: unknown;
  /** In place of the usual ones. */
  readonly headers?: RequestOptions['headers'];
}

/** Sends a request with the headers and the envelope of its revision. */
export function sendMcp(
  { request }: Pick<TestApp, 'request'>,
  { revision, path = '/mcp', id = 1, headers }: Sent,
  method: string,
  params: { name?: string; uri?: string; arguments?: object; _meta?: object; [name: string]: unknown } = {},
): Promise<HttpResponse> {
  const hasEnvelope = revision === '2026-07-28';
  const name = params.name ?? params.uri;
  return request(`POST ${path}`, {
    headers: {
      ...MCP_ACCEPT,
      'Mcp-Protocol-Version': revision,
      ...(hasEnvelope && { 'Mcp-Method': method, ...(name !== undefined && { 'Mcp-Name': name }) }),
      ...headers,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...(hasEnvelope && { _meta: META_2026 }), ...params } },
  });
}

/** A whole response without its date. */
export function withoutDate({ status, headers, text }: HttpResponse) {
  const { date: _, ...more } = headers;
  return { status, headers: more, text };
}
