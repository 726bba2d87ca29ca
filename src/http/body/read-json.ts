import { parse } from 'content-type';
import express, { type RequestHandler } from 'express';
import { bodyLimitError, MAX_BODY_BYTES } from './body-limit.ts';
import { parseJson } from './json-body.ts';
import { TransportError } from '#http/responses/problem.ts';

const readBytes = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });

/** Middleware that parses a JSON body in UTF-8 (RFC 8259 section 8.1), of bounded size and depth. */
export const readJson: RequestHandler[] = [
  (request, _response, next) => {
    checkContentType(request.headers['content-type']);
    next(bodyLimitError(request));
  },
  readBytes,
  (request, _response, next) => {
    request.body = parseJson(request.body as Buffer | undefined);
    next();
  },
];

function checkContentType(header: string | undefined): void {
  const detail = 'Send the body as JSON in UTF-8 with the header Content-Type: application/json.';
  // `parse` never throws: an invalid media type gets a `type` that is not `application/json`.
  const { type, parameters } = parse(header ?? '');
  const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
  if (type === 'application/json' && (charset === 'utf-8' || charset === 'utf8')) return;
  throw new TransportError('unsupported_media_type', detail);
}
