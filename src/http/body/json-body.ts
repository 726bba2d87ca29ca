import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import { bodyLimitError, MAX_BODY_BYTES } from './body-limit.ts';
import { tooLargeError, TransportError } from '#http/responses/problem.ts';

const MAX_DEPTH = 32;
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Whether a body has a media type, with the charset UTF-8 or none. */
export function isUtf8Of(type: string, { headers }: IncomingMessage): boolean {
  // `parse` never throws: an invalid media type gets another `type`.
  const { type: sent, parameters } = parse(headers['content-type'] ?? '');
  const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
  return sent === type && (charset === 'utf-8' || charset === 'utf8');
}

/**
 * Reads a body, and stops when it is too large. Express would read the rest before it responds. The promise
 * stays pending if the client closes the connection first.
 * @throws WorkspaceError rate_limited, by the body limit
 * @throws TransportError too_large, unsupported_media_type
 */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const error = bodyLimitError(request);
  if (error !== undefined) throw error;
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

/** @throws TransportError malformed_json */
export function parseJson(bytes: Buffer | undefined): unknown {
  let value: unknown;
  try {
    value = JSON.parse(STRICT_UTF8.decode(bytes));
  } catch {
    throw new TransportError('malformed_json', 'The body is not JSON in UTF-8; send one JSON object.');
  }
  if (isDeeper(value, MAX_DEPTH)) {
    throw new TransportError(
      'malformed_json',
      `The body nests more than ${MAX_DEPTH} levels; send it flatter.`,
    );
  }
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
