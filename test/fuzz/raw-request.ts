import type { Header } from './headers.ts';

/** How the entity tag of the first response comes back in If-None-Match. */
export type Condition = ((etag: string) => readonly string[]) | undefined;

/** A request as its own bytes, which a client library would mend. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly headers: readonly Header[];
  readonly body: string | undefined;
  readonly isChunked: boolean;
  readonly condition: Condition;
  /** How far the clock goes on before it. */
  readonly waitMs: number;
}

export function toBytes(
  { method, target: address, version, headers, body, isChunked }: RawRequest,
  more: readonly Header[],
): Buffer {
  const bytes = Buffer.from(body ?? '');
  // HTTP/1.0 has no chunks.
  const chunked = isChunked && version === '1.1';
  const framing: Header[] =
    body === undefined
      ? []
      : chunked
        ? [['Transfer-Encoding', 'chunked']]
        : [['Content-Length', String(bytes.length)]];
  const lines = [
    `${method} ${address} HTTP/${version}`,
    ...[...headers, ...framing, ...more].map(([name, value]) => `${name}: ${value}`),
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
