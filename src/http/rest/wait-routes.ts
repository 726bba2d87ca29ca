import type { CachedResult, ResultForm } from '#tool/cached-result.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { parseRoute } from '#tool/route.ts';
import { canWait, waitForResult } from '#tool/run-read.ts';
import { MAX_SILENT_SECONDS, startKeepAlive, UNBUFFERED } from '#workspace/waiting/keep-alive.ts';
import { HEADERS_SIZE } from '#http/responses/cacheable-response.ts';
import { joinHeaders, JSON_TYPE, type Reply, type Route } from '#http/responses/reply.ts';
import type { ReadOptions } from './read-routes.ts';
import { createLinker, createQueryReader, keyOfHeader, rawQuery, toQueryError } from './tool-arguments.ts';

interface WaitResponse extends ResultForm, Reply {}

/** Creates the responses of a read that can wait. The connection is kept alive meanwhile. */
export function createWait(
  tool: AnyTool,
  { workspace, results, commonHeaders }: Pick<ReadOptions, 'workspace' | 'results' | 'commonHeaders'>,
): Route['serve'] {
  if (!canWait(tool)) throw new Error(`${tool.name} cannot wait`);
  const readQuery = createQueryReader(tool, parseRoute(tool).parameters);
  const toLink = createLinker(tool, workspace.service.baseUrl);
  const { secondsArgument } = tool.waiting;
  const earlyHeaders = { ...commonHeaders, ...NOT_STORED };

  const toResponse = (result: CachedResult): WaitResponse => {
    const body = Buffer.from(result.text);
    const link = toLink(result);
    const headers = {
      ...earlyHeaders,
      ...(link !== undefined && { Link: link }),
      'Content-Length': body.length,
    };
    return { status: 200, headers, body, size: body.length + (link?.length ?? 0) + HEADERS_SIZE };
  };

  return async ({ request, response, caller }) => {
    const closed = new AbortController();
    response.once('close', () => {
      // After a complete response an abort is useless: its error with a stack costs a tenth of a response.
      if (!response.writableEnded) closed.abort();
    });
    const query = readQuery(new URLSearchParams(rawQuery(request.url ?? '')));
    const args: Record<string, unknown> = { ...query.args, ...keyOfHeader(tool, request) };
    // HEAD does not wait.
    if (request.method === 'HEAD') args[secondsArgument] = 0;
    const stopKeepAlive =
      Number(args[secondsArgument]) > MAX_SILENT_SECONDS
        ? startKeepAlive(() => {
            if (!response.headersSent)
              response.writeHead(200, { ...earlyHeaders, ...query.headers, ...UNBUFFERED });
            // JSON allows blanks before its value.
            response.write(' ');
          })
        : () => undefined;
    try {
      const context = { workspace, caller, signal: closed.signal };
      const result = await waitForResult(results, tool, args, context);
      if (closed.signal.aborted) return undefined;
      const reply = result.form(toResponse);
      if (!response.headersSent)
        return { ...reply, headers: joinHeaders(reply.headers, query.headers ?? {}) };
      response.end(reply.body);
      return undefined;
    } catch (error) {
      throw toQueryError(error, tool);
    } finally {
      stopKeepAlive();
    }
  };
}

const NOT_STORED = { Vary: 'Authorization', 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE };
