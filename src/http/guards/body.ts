import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'content-type';
import { REQUEST_BOUNDS, tooLargeError, TransportError } from '#http/responses/problem.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

const { bodyBytes, jsonLevels } = REQUEST_BOUNDS;

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The errors of requests whose network sends too many bytes at once, for `checkBody`. */
const limitErrors = new WeakMap<IncomingMessage, WorkspaceError>();

/**
 * Creates a function that must be called with each request of the server. It limits the bytes of request
 * bodies that one client sends at a time. A body counts as its Content-Length, or as the maximum if it is
 * chunked, from the arrival of its headers until all of it has arrived or its connection has closed. Loopback
 * clients are exempt.
 */
export function createBodyLimit(
  clientKeyOf: (request: IncomingMessage) => string,
  maxBytesPerClient = 4 * 1024 * 1024,
): (request: IncomingMessage, response: ServerResponse) => void {
  /** Bytes by client key. Invariant: no count is 0. */
  const pendingBytes = new Map<string, number>();
  const add = (client: string, bytes: number): void => {
    const pending = (pendingBytes.get(client) ?? 0) + bytes;
    if (pending > 0) pendingBytes.set(client, pending);
    else pendingBytes.delete(client);
  };
  return (request, response) => {
    const bytes = expectedBytes(request);
    if (bytes === 0) return;
    const isUnread = request.method !== 'POST' && request.headers['transfer-encoding'] !== undefined;
    // Without this header Node would read the rest of the body before the next request.
    if (bytes > bodyBytes || isUnread) response.setHeader('Connection', 'close');
    const client = clientKeyOf(request);
    if (bytes > bodyBytes || client === LOOPBACK_CLIENT) return;
    if ((pendingBytes.get(client) ?? 0) + bytes > maxBytesPerClient) {
      const detail =
        `Your network is sending more than ${maxBytesPerClient} bytes of request bodies at once; ` +
        'send fewer requests at a time.';
      const rest = { limit: 'bodyBytesPerNetwork', retryAfterSeconds: 5 };
      limitErrors.set(request, new WorkspaceError('rate_limited', detail, rest));
      response.setHeader('Connection', 'close');
      return;
    }
    add(client, bytes);
    let released = false;
    const release = (): void => {
      if (!released) add(client, -bytes);
      released = true;
    };
    request.once('close', release);
    // A request whose body is never read may emit no `close`.
    response.once('close', release);
  };
}

/** Checks a body before it is read: its length, and the bytes that its network is sending at once. */
export function checkBody(request: IncomingMessage): TransportError | WorkspaceError | undefined {
  return expectedBytes(request) > bodyBytes ? tooLargeError(bodyBytes) : limitErrors.get(request);
}

/** Returns the announced length of a body; the maximum if it is chunked. */
function expectedBytes({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyBytes;
}

/** Whether a body has the media type, and the charset UTF-8 or none. */
export function isUtf8Of(type: string, { headers }: IncomingMessage): boolean {
  // `parse` never throws. It gives an invalid media type another `type`.
  const { type: sent, parameters } = parse(headers['content-type'] ?? '');
  const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
  return sent === type && (charset === 'utf-8' || charset === 'utf8');
}

/**
 * Reads a body, and stops when it becomes too large; Express would read the rest first. The promise stays
 * pending if the client closes the connection.
 * @throws TransportError too_large, unsupported_media_type
 */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity')
    throw new TransportError('unsupported_media_type', 'Send the body without a content encoding.');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      reject(tooLargeError(maxBytes));
    });
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
  });
}

/** Reads the fields of an HTML form. @throws what `readBody` throws */
export async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams> {
  return new URLSearchParams((await readBody(request, maxBytes)).toString());
}

/**
 * Reads a JSON body in UTF-8 (RFC 8259 section 8.1), of bounded size and depth.
 * @throws what `readBody` throws, and TransportError malformed_json
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!isUtf8Of('application/json', request)) {
    throw new TransportError(
      'unsupported_media_type',
      'Send the body as JSON in UTF-8 with the header Content-Type: application/json.',
    );
  }
  const bytes = await readBody(request, bodyBytes);
  let value: unknown;
  try {
    value = JSON.parse(STRICT_UTF8.decode(bytes));
  } catch {
    throw new TransportError('malformed_json', 'The body is not JSON in UTF-8; send one JSON object.');
  }
  if (isDeeper(value, jsonLevels))
    throw new TransportError(
      'malformed_json',
      `The body is nested more than ${jsonLevels} levels deep; send a flatter one.`,
    );
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
