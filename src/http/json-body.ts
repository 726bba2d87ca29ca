import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import express, { type RequestHandler } from 'express';
import { bodyLimitError, MAX_BODY_BYTES } from './guards/body-limit.ts';
import { TransportError } from './problem.ts';

const MAX_DEPTH = 32;
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

const readBytes = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });

/** A body that the fast path has read and parsed. express.raw skips a request that was read to its end. */
export class ParsedBody {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Middleware that parses a JSON body in UTF-8 (RFC 8259 section 8.1), of bounded size and depth. */
export const readJson: RequestHandler[] = [
  (request, _response, next) => {
    checkContentType(request.headers['content-type']);
    next(bodyLimitError(request));
  },
  readBytes,
  (request, _response, next) => {
    const body = request.body as Buffer | ParsedBody | undefined;
    request.body = body instanceof ParsedBody ? body.value : parseJson(body);
    next();
  },
];

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

function checkContentType(header: string | undefined): void {
  const detail = 'Send the body as JSON in UTF-8 with the header Content-Type: application/json.';
  // `parse` never throws: an invalid media type gets a `type` that is not `application/json`.
  const { type, parameters } = parse(header ?? '');
  const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
  if (type === 'application/json' && (charset === 'utf-8' || charset === 'utf8')) return;
  throw new TransportError('unsupported_media_type', detail);
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
