import type { RequestListener } from 'node:http';
import type { HttpContext } from '#http/context/http-context.ts';
import { createReadHandler } from './reads.ts';
import { createWriteHandler } from './writes.ts';
import { createMcpHandler } from './mcp-calls.ts';
import { createWaitHandler } from './waits.ts';

/** The fast path in front of Express. README.md in this folder states its rule. */
export function createDispatcher(context: HttpContext, express: RequestListener): RequestListener {
  const read = createReadHandler(context);
  const wait = createWaitHandler(context);
  const write = createWriteHandler(context);
  const callMcp = createMcpHandler(context);
  return (request, response) => {
    try {
      const isAccepted = context.checkRequest(request) === undefined;
      const isTaken =
        isAccepted &&
        (request.method === 'GET'
          ? read(request, response) || wait(request, response)
          : request.method === 'POST' && (write(request, response) || callMcp(request, response)));
      if (!isTaken) express(request, response);
    } catch (error) {
      context.sendFailure(request, response, error);
    }
  };
}
