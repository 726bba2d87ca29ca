import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { routeOf } from '#tool/route.ts';
import type { Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import { withKey } from './arguments.ts';
import { MOST_BYTES, parseJson, readAll } from './body.ts';
import type { FastDesk } from './fast-reads.ts';
import { valuesOf } from './harmless.ts';
import type { House } from './house.ts';
import { quotasOf, writeOf, type Write } from './writing.ts';

/** Accept and Origin decide nothing of how a write is answered. */
const LOOKED_AT = ['host', 'content-type', 'content-length', 'idempotency-key', 'accept', 'origin'] as const;

const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

interface Desk extends FastDesk {
  readonly caller: (request: IncomingMessage) => Caller;
}

/** A tool that writes, as both ways call it. */
interface Counter {
  readonly write: Write;
  readonly quotas: (caller: Caller) => Promise<Record<string, string>>;
}

type Counters = ReadonlyMap<string | undefined, Counter>;

/** @returns by their paths, the tools to which all is told in the body. */
export function countersOf(house: House): Counters {
  return new Map(
    house.tools.flatMap((tool) => {
      const { method, path, parameters } = routeOf(tool);
      if (method !== 'POST' || parameters.length > 0) return [];
      return [[path, { write: writeOf(house, tool), quotas: quotasOf(house, tool) }]];
    }),
  );
}

/**
 * Takes in front of Express the plain posts that most clients send: the same body, the same call, the same answer,
 * in a third of the time. Whatever is not exactly that goes on to Express, and so does every failure, to be told there.
 */
export class FastWrites {
  readonly #desk: Desk;
  readonly #headers: OutgoingHttpHeaders;
  readonly #counters: Counters;

  /** @param headers those of every answer */
  constructor(desk: Desk, counters: Counters, headers: OutgoingHttpHeaders) {
    this.#desk = desk;
    this.#counters = counters;
    this.#headers = headers;
  }

  /** Calls `next` where Express has to answer, with what was thrown where the request has been dealt with. */
  answer(request: IncomingMessage, response: ServerResponse, next: (failure?: unknown) => void): void {
    const counter = request.httpVersion === '1.1' ? this.#counters.get(request.url) : undefined;
    const asked = counter && valuesOf(request.rawHeaders, LOOKED_AT);
    if (counter === undefined || asked?.host === undefined || !isJson(asked) || this.#desk.stopping()) {
      next();
      return;
    }
    this.#desk.shield(request, response, (refused) => {
      if (refused !== undefined) next(refused);
      else
        readAll(
          request,
          (bytes) => {
            this.#take(counter, bytes, request, response).catch(next);
          },
          next,
        );
    });
  }

  async #take(
    { write, quotas }: Counter,
    bytes: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const caller = this.#desk.caller(request);
    try {
      const key = request.headers['idempotency-key'] as string | undefined;
      const { status, headers, body } = await write(withKey(parseJson(bytes), {}, key), caller);
      response
        .writeHead(status, { ...this.#headers, ...headers, 'Content-Length': Buffer.byteLength(body) })
        .end(body);
    } catch (failure) {
      // A store that failed would fail again, and take its time for it.
      const told = isOfTheStore(failure) ? {} : await quotas(caller).catch(() => ({}));
      response.setHeaders(new Map(Object.entries(told)));
      throw failure;
    }
  }
}

const isOfTheStore = (failure: unknown): boolean =>
  failure instanceof WorkspaceError &&
  ['storage_unavailable', 'storage_outcome_unknown'].includes(failure.failure.code);

function isJson(asked: { 'content-type'?: string; 'content-length'?: string }): boolean {
  return JSON_TYPES.has(asked['content-type'] ?? '') && Number(asked['content-length']) <= MOST_BYTES;
}
