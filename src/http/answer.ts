import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { TransportError } from './problem.ts';

/** Documents change with a new configuration or version only. */
export const DOCUMENT_MAX_AGE = 300;

interface Answer {
  readonly type: string;
  readonly body: string;
  /** Seconds that a cache may keep it without asking. */
  readonly maxAge: number;
}

/** Sends something to read, with a strong validator; to whom has it already, only that it still holds (304). */
export function answer(request: Request, response: Response, { type, body, maxAge }: Answer): void {
  const [mediaType = ''] = type.split(';');
  if (!request.accepts([mediaType, ...(mediaType.endsWith('+json') ? ['application/json'] : [])])) {
    throw new TransportError(
      'not_acceptable',
      `This address answers in ${mediaType}; say so in the Accept header.`,
    );
  }
  response.set('Cache-Control', maxAge > 0 ? `public, max-age=${maxAge}` : 'public, no-cache');
  response.set('ETag', etagOf(body));
  response.type(type).send(body);
}

function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}
