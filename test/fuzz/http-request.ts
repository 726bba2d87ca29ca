import { JSON_BODY, OWN_HOST, type Header } from './headers.ts';

/** A request as it is sent; a client library would correct it. */
export interface HttpRequest {
  readonly method: string;
  /** The target of the request line. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer | undefined;
  /** 1.1 by default. */
  readonly version?: '1.0';
}

export const getRequest = (target: string): HttpRequest => ({
  method: 'GET',
  target,
  headers: [OWN_HOST],
  body: undefined,
});

export const toWriteRequest = (target: string, args: object): HttpRequest => ({
  method: 'POST',
  target,
  headers: [OWN_HOST, JSON_BODY],
  body: Buffer.from(JSON.stringify(args)),
});

const isChunked = ({ headers }: HttpRequest): boolean =>
  headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');

export function toBytes(request: HttpRequest): Buffer {
  const { method, target, version = '1.1', body } = request;
  const chunked = isChunked(request);
  const framing: Header[] = body === undefined || chunked ? [] : [['Content-Length', String(body.length)]];
  const head = [
    `${method} ${target} HTTP/${version}`,
    ...[...request.headers, ...framing].map(([name, value]) => `${name}: ${value}`),
  ];
  const content = chunked ? toChunks(body ?? Buffer.alloc(0)) : (body ?? Buffer.alloc(0));
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

/** @returns one chunk, and the end of the body */
function toChunks(body: Buffer): Buffer {
  const end = Buffer.from('0\r\n\r\n');
  if (body.length === 0) return end;
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n'), end]);
}

/** Parses JSON as the service does: without a byte order mark. */
export function readJson(body: Buffer): unknown {
  return JSON.parse(new TextDecoder().decode(body));
}

const MAX_LENGTH = 1500;

/** @returns bytes as text, with escapes for non-ASCII characters */
function formatBytes(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString('latin1')).replaceAll(
    /[^ -~]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (${bytes.length} bytes)` : text;
}

export const formatRequest = (request: HttpRequest): string => formatBytes(toBytes(request));
