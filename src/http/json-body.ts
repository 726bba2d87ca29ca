import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import express, { type RequestHandler } from 'express';
import { bodyRefusal, MAX_BODY_BYTES } from './guards/body-limit.ts';
import { TransportError } from './problem.ts';

export const MAX_BYTES = MAX_BODY_BYTES;
const MAX_DEPTH = 32;
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

const readBytes = express.raw({ type: () => true, limit: MAX_BYTES, inflate: false });

/** A body that the fast path has read and parsed. express.raw skips reading when `request.body` is set. */
export class ParsedBody {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Reads JSON as strictly as RFC 8259 writes it: UTF-8 and nothing else, of bounded size and depth. */
export const readJson: RequestHandler[] = [
  (request, _response, next) => {
    refuseOtherTypes(request.headers['content-type']);
    next(bodyRefusal(request));
  },
  readBytes,
  (request, _response, next) => {
    const body = request.body as Buffer | ParsedBody | undefined;
    request.body = body instanceof ParsedBody ? body.value : parseJson(body);
    next();
  },
];

/**
 * Reads a body of which the length is known to be small, without Express. A client that goes away is never heard of again.
 * @param failed receives what `then` throws, since an error that leaves an event listener ends the process, or why the body must
 * not be read
 */
export function readAll(
  request: IncomingMessage,
  then: (bytes: Buffer) => void,
  failed: (error: unknown) => void,
): void {
  const refusal = bodyRefusal(request);
  if (refusal !== undefined) {
    failed(refusal);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    try {
      then(Buffer.concat(chunks));
    } catch (error) {
      failed(error);
    }
  });
}

function refuseOtherTypes(header: string | undefined): void {
  const wanted = 'Send the body as JSON in UTF-8 with the header Content-Type: application/json.';
  // Never throws: what is no media type has a type of its own.
  const { type, parameters } = parse(header ?? '');
  const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
  if (type === 'application/json' && (charset === 'utf-8' || charset === 'utf8')) return;
  throw new TransportError('unsupported_media_type', wanted);
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
