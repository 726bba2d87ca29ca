import type { IncomingMessage } from 'node:http';
import { bodyLimitError } from './body-limit.ts';
import { TransportError } from '#http/responses/problem.ts';

const MAX_DEPTH = 32;
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body without Express. The headers must announce a bounded length. The promise stays pending if the
 * client closes the connection first.
 * @throws WorkspaceError rate_limited, by the body limit
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const error = bodyLimitError(request);
  if (error !== undefined) return Promise.reject(error);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
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
