import type { RequestListener } from 'node:http';
import type { HttpContext } from '#http/http-context.ts';
import { createReadHandler } from './reads.ts';
import { createWriteHandler } from './writes.ts';
import { createMcpHandler } from './mcp-calls.ts';

/**
 * One rule: a request that matches exactly is answered here, every other goes to Express untouched. Both ways call the
 * same functions; Express alone costs more than most answers (docs/performance.md).
 */
export function createDispatcher(context: HttpContext, express: RequestListener): RequestListener {
  const read = createReadHandler(context);
  const write = createWriteHandler(context);
  const callMcp = createMcpHandler(context, express);
  return (request, response) => {
    try {
      const isPlain = context.refusal(request) === undefined;
      const isAnswered =
        isPlain &&
        (request.method === 'GET'
          ? read(request, response)
          : request.method === 'POST' && (write(request, response) || callMcp(request, response)));
      if (!isAnswered) express(request, response);
    } catch (error) {
      context.fail(request, response, error);
    }
  };
}
