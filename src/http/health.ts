import type { RequestHandler } from 'express';
import { JSON_TYPE } from './reply.ts';
import type { House } from './house.ts';
import { problemOf } from './problem.ts';

const RETRY_SECONDS = 5;

/** Tells a supervisor the truth: a service that cannot make writes durable is not well. */
export function healthOf({
  health,
  workspace: {
    service: { version },
  },
}: House): RequestHandler {
  return async (_request, response) => {
    const { writable, reason } = await health();
    response.set('Cache-Control', 'no-store');
    if (writable) {
      // Not by `send`, which answers If-None-Match: * with 304 whatever there is.
      const body = JSON.stringify({ status: 'ok', writable, version });
      response
        .type(JSON_TYPE)
        .set('Content-Length', String(Buffer.byteLength(body)))
        .end(body);
      return;
    }
    const problem = problemOf(
      'storage_unavailable',
      `Reads are served, writes are not: ${reason ?? 'unknown'}.`,
      {
        retryAfterSeconds: RETRY_SECONDS,
      },
    );
    response
      .status(problem.status)
      .set('Retry-After', String(RETRY_SECONDS))
      .type('application/problem+json')
      .send(JSON.stringify({ ...problem, writable, version }));
  };
}
