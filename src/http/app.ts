import type { RequestListener } from 'node:http';
import { settle, type MaybePromise } from '#tool/maybe-promise.ts';
import { createDispatcher } from './fast-path/dispatch.ts';
import type { HttpContext } from './context/http-context.ts';

export function createApp(context: HttpContext): RequestListener {
  return createDispatcher(context, loadExpress(context));
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
