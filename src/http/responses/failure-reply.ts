import { isMcpPath } from '#http/mcp/mcp-path.ts';
import { toRpcError } from '#http/mcp/rpc-error.ts';
import type { HttpAppOptions } from '#http/app-options.ts';
import { toProblemResponse, toKnownError } from '#http/problem.ts';
import type { Reply } from './reply.ts';

/** Makes a response of any thrown error. */
export type FailureReply = (thrown: unknown, path: string) => Reply;

/** Every error response comes from here: problem+json (RFC 9457), on /mcp JSON-RPC. A cause is logged. */
export function createFailureReply({
  logger,
  newReference,
}: Pick<HttpAppOptions, 'logger' | 'newReference'>): FailureReply {
  return (thrown, path) => {
    const error = toKnownError(thrown);
    const reference = newReference();
    if (error.cause !== undefined) logger.error({ reference, err: error.cause }, 'a request failed');
    const { problem, headers } = toProblemResponse(error, reference);
    const [type, body] = isMcpPath(path)
      ? ['application/json', toRpcError(error, problem)]
      : ['application/problem+json', problem];
    return {
      status: problem.status,
      headers: { ...headers, 'Cache-Control': 'no-store', 'Content-Type': `${type}; charset=utf-8` },
      body: JSON.stringify(body),
    };
  };
}
