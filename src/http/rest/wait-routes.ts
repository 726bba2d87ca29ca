import type { OutgoingHttpHeaders } from 'node:http';
import type { CachedResult, ResultForm } from '#tool/cached-result.ts';
import { parseRoute } from '#tool/route.ts';
import { canWait, waitForResult, type WaitingTool } from '#tool/wait-for-result.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { MAX_SILENT_SECONDS, startKeepAlive, UNBUFFERED } from '#workspace/waiting/keep-alive.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { HEADERS_SIZE } from '#http/responses/cacheable-response.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';
import type { ReadRoute } from './read-routes.ts';
import { createLinker } from './next-link.ts';
import { createQueryReader, readQuery, toQueryError } from './tool-arguments.ts';

/** The response to all calls that wait for the same. */
interface WaitResponse extends ResultForm {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/**
 * The reads that can wait. The connection is kept alive meanwhile.
 * @param commonHeaders of every read
 */
export function createWaitRoutes(options: HttpAppOptions, commonHeaders: OutgoingHttpHeaders): ReadRoute[] {
  return options.tools.filter(canWait).map((tool) => waitRoute(options, tool, commonHeaders));
}

function waitRoute(
  { workspace, results }: HttpAppOptions,
  tool: WaitingTool,
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute {
  const route = parseRoute(tool);
  const toArguments = createQueryReader(tool, route);
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
    return { headers, body, size: body.length + (link?.length ?? 0) + HEADERS_SIZE };
  };

  async function run(args: object, caller: Caller, signal: AbortSignal): Promise<CachedResult> {
    try {
      return await waitForResult(results, tool, args, { workspace, caller, signal });
    } catch (error) {
      throw toQueryError(error, tool);
    }
  }

  return {
    path: route.path,
    answer: async (request, response, _, caller) => {
      const closed = new AbortController();
      response.once('close', () => {
        // An abort creates an error with its stack, which costs a tenth of a response.
        if (!response.writableEnded) closed.abort();
      });
      const args = toArguments(readQuery(request.url ?? ''));
      // HEAD does not wait.
      if (request.method === 'HEAD') args[secondsArgument] = 0;
      const stopKeepAlive =
        Number(args[secondsArgument]) > MAX_SILENT_SECONDS
          ? startKeepAlive(() => {
              if (!response.headersSent) response.writeHead(200, { ...earlyHeaders, ...UNBUFFERED });
              // JSON allows blanks before its value.
              response.write(' ');
            })
          : () => undefined;
      try {
        const result = await run(args, caller, closed.signal);
        if (closed.signal.aborted) return;
        const { headers, body } = result.form(toResponse);
        if (!response.headersSent) response.writeHead(200, headers);
        response.end(body);
      } finally {
        stopKeepAlive();
      }
    },
  };
}

const NOT_STORED = { 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE };
