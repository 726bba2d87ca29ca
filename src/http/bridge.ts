import { Router, type Request, type RequestHandler, type Response } from 'express';
import { call } from '#tool/call.ts';
import type { AnyTool } from '#tool/define.ts';
import { fillIn, routeOf, type Route } from '#tool/route.ts';
import type { Caller } from '#workspace/caller.ts';
import { answer } from './answer.ts';
import { argumentsOf, queryOf } from './arguments.ts';
import { readJson } from './body.ts';
import type { FastReads } from './fast-reads.ts';
import type { House } from './house.ts';
import { quotaHeadersOf } from './quota-headers.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

type Output = Record<string, unknown>;

/** Mounts every tool at its route. */
export function bridgeOf(house: House, caller: (request: Request) => Caller, fast: FastReads): Router {
  const router = Router({ caseSensitive: true });
  for (const tool of house.tools) {
    const route = routeOf(tool);
    const path = fillIn(route.path, (name) => `:${name}`);
    if (route.method === 'GET') router.get(path, readOf(house, tool, route, caller, fast));
    else router.post(path, first(quotaOf(house, tool, caller)), ...readJson, writeOf(house, tool, route, caller));
  }
  return router;
}

type Handler = (request: Request, response: Response) => Promise<void>;

function first(handler: Handler): RequestHandler {
  return async (request, response, next) => {
    await handler(request, response);
    next();
  };
}

function readOf({ workspace, pages, readMaxAge }: House, tool: AnyTool, route: Route, caller: (request: Request) => Caller, fast: FastReads): Handler {
  const toArguments = argumentsOf(tool, route);
  return async (request, response) => {
    const since = workspace.revision();
    const { output, text } = await pages.answer(tool, toArguments(request), { workspace, caller: caller(request) });
    const next = nextLink(workspace.service.baseUrl, request, output);
    if (next !== undefined) response.set('Link', `<${next}>; rel="next"`);
    answer(request, response, { type: JSON_TYPE, body: text, maxAge: readMaxAge });
    fast.keep(request, response, text, since);
  };
}

/** Tells what is left before the body is read, so that refusals carry it too. */
function quotaOf({ workspace }: House, tool: AnyTool, caller: (request: Request) => Caller): Handler {
  return async (request, response) => {
    if (tool.budget !== undefined) response.set(quotaHeadersOf(await workspace.quotas(tool.budget, caller(request))));
  };
}

function writeOf(house: House, tool: AnyTool, route: Route, caller: (request: Request) => Caller): Handler {
  const { workspace } = house;
  const toArguments = argumentsOf(tool, route);
  const tellQuota = quotaOf(house, tool, caller);
  return async (request, response) => {
    const output = await call(tool, toArguments(request), { workspace, caller: caller(request) });
    await tellQuota(request, response);
    if (tool.location !== undefined) {
      response.location(workspace.service.baseUrl + fillIn(tool.location, (name) => String(output[name])));
    }
    if (output['duplicate'] === true) response.set('Idempotency-Replayed', 'true');
    response.status(route.status).set('Cache-Control', 'no-store').type(JSON_TYPE).send(JSON.stringify(output));
  };
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
