import type { IncomingMessage } from 'node:http';
import { bodyLimitError } from './guards/body-limit.ts';
import { TransportError } from './problem.ts';

const MAX_DEPTH = 32;
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A body that the fast path has read and parsed. express.raw skips a request that was read to its end. */
export class ParsedBody {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Reads a body without Express. The headers must announce a bounded length. Calls neither function if the
 * client closes the connection first.
 * @param failed receives the error of the body limit, or what `done` throws: an error that leaves an event
 * listener would end the process
 */
export function readBody(
  request: IncomingMessage,
  done: (bytes: Buffer) => void,
  failed: (error: unknown) => void,
): void {
  const error = bodyLimitError(request);
  if (error !== undefined) {
    failed(error);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    try {
      done(Buffer.concat(chunks));
    } catch (error) {
      failed(error);
    }
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
