import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { AnyTool } from '#tool/define.ts';
import { fillIn, routeOf, type Route } from '#tool/route.ts';
import type { Caller } from '#workspace/caller.ts';
import { answer } from './answer.ts';
import { argumentsOf, queryOf } from './arguments.ts';
import { readJson } from './body.ts';
import type { FastReads } from './fast-reads.ts';
import type { House } from './house.ts';
import { JSON_TYPE, quotasOf, writeOf } from './writing.ts';

type Output = Record<string, unknown>;

/** Mounts every tool at its route. */
export function bridgeOf(house: House, caller: (request: Request) => Caller, fast: FastReads): Router {
  const router = Router({ caseSensitive: true });
  for (const tool of house.tools) {
    const route = routeOf(tool);
    const path = fillIn(route.path, (name) => `:${name}`);
    if (route.method === 'GET') router.get(path, readOf(house, tool, route, caller, fast));
    else router.post(path, ...writingOf(house, tool, route, caller));
  }
  return router;
}

type Handler = (request: Request, response: Response) => Promise<void>;

function readOf(
  { workspace, pages, readMaxAge }: House,
  tool: AnyTool,
  route: Route,
  caller: (request: Request) => Caller,
  fast: FastReads,
): Handler {
  const toArguments = argumentsOf(tool, route);
  return async (request, response) => {
    const since = await workspace.revision();
    const { output, text } = await pages.answer(tool, toArguments(request), {
      workspace,
      caller: caller(request),
    });
    const next = nextLink(workspace.service.baseUrl, request, output);
    if (next !== undefined) response.set('Link', `<${next}>; rel="next"`);
    answer(request, response, { type: JSON_TYPE, body: text, maxAge: readMaxAge });
    fast.keep(request, response, text, since);
  };
}

function writingOf(
  house: House,
  tool: AnyTool,
  route: Route,
  caller: (request: Request) => Caller,
): RequestHandler[] {
  const toArguments = argumentsOf(tool, route);
  const [write, quotas] = [writeOf(house, tool), quotasOf(house, tool)];
  return [
    // Before the body is read, so that refusals carry it too.
    async (request, response, next) => {
      response.set(await quotas(caller(request)));
      next();
    },
    ...readJson,
    async (request, response) => {
      const { status, headers, body } = await write(toArguments(request), caller(request));
      response.status(status).set(headers).send(body);
    },
  ];
}

const CURSORS = { nextBefore: 'before', nextAfter: 'after' } as const;

/** The same call one page on. */
function nextLink(baseUrl: string, request: Request, output: Output): string | undefined {
  for (const [field, parameter] of Object.entries(CURSORS)) {
    const cursor = output[field];
    if (typeof cursor !== 'string') continue;
    const query = queryOf(request);
    query.set(parameter, cursor);
    return `${baseUrl}${request.path}?${query.toString()}`;
  }
  return undefined;
}
