import type { Header } from './headers.ts';

/** Returns the If-None-Match values for the entity tag of the first response. */
export type Condition = ((etag: string) => readonly string[]) | undefined;

/** A request that is sent as its own bytes; a client library would correct it. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly headers: readonly Header[];
  readonly body: string | undefined;
  readonly isChunked: boolean;
  readonly condition: Condition;
  /** How far the clock advances before the request. */
  readonly waitMs: number;
}

export function toBytes(
  { method, target: requestTarget, version, headers, body, isChunked }: RawRequest,
  extraHeaders: readonly Header[],
): Buffer {
  const bytes = Buffer.from(body ?? '');
  // HTTP/1.0 has no chunked encoding.
  const chunked = isChunked && version === '1.1';
  const framing: Header[] =
    body === undefined
      ? []
      : chunked
        ? [['Transfer-Encoding', 'chunked']]
        : [['Content-Length', String(bytes.length)]];
  const lines = [
    `${method} ${requestTarget} HTTP/${version}`,
    ...[...headers, ...framing, ...extraHeaders].map(([name, value]) => `${name}: ${value}`),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (body === undefined || !chunked) return Buffer.concat([head, bytes]);
  const size = bytes.length === 0 ? '' : `${bytes.length.toString(16)}\r\n`;
  return Buffer.concat([
    head,
    Buffer.from(size),
    bytes,
    Buffer.from(size === '' ? '' : '\r\n'),
    Buffer.from('0\r\n\r\n'),
  ]);
}
