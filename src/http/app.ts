import type { RequestListener } from 'node:http';
import { settle, type MaybePromise } from '#tool/maybe-promise.ts';
import type { FastHandler, HttpContext } from './context/http-context.ts';
import { createMcpHandler } from './fast-path/mcp-calls.ts';
import { createReadHandler } from './fast-path/reads.ts';
import { createWriteHandler } from './fast-path/writes.ts';

/** The fast path in front of Express. fast-path/README.md states its rule. */
export function createApp(context: HttpContext): RequestListener {
  const express = loadExpress(context);
  const read = createReadHandler(context);
  const write = createWriteHandler(context);
  const callMcp = createMcpHandler(context);
  const { isLocal } = context.options.accessPolicy;
  const take: FastHandler = (request, response) => {
    const { method, headers } = request;
    const refused = context.checkRequest(request);
    // CORS headers depend on the method, and on a loopback address on the origin.
    if ((isLocal || refused !== undefined) && headers.origin !== undefined) return false;
    if (refused !== undefined && method !== 'OPTIONS') {
      context.withRateLimit(request, response, () => {
        throw refused;
      });
      return true;
    }
    if (method === 'GET') return read(request, response);
    return method === 'POST' && (write(request, response) || callMcp(request, response));
  };
  return (request, response) => {
    try {
      if (!take(request, response)) express(request, response);
    } catch (error) {
      context.sendFailure(request, response, error);
    }
  };
}

/** Loads Express with the first request that needs it, because it would make a start a third longer. */
function loadExpress(context: HttpContext): RequestListener {
  let app: MaybePromise<RequestListener> | undefined;
  const load = async (): Promise<RequestListener> => {
    try {
      const { createExpressApp } = await import('./express/express-app.ts');
      return (app = createExpressApp(context));
    } catch (error) {
      // A later request tries again.
      app = undefined;
      throw error;
    }
  };
  return (request, response) => {
    settle(
      () => (app ??= load()),
      (listener) => {
        listener(request, response);
      },
      (error) => {
        context.sendFailure(request, response, error);
      },
    );
  };
}
