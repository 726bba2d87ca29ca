import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AnyTool } from '#tool/define.ts';
import { KeptAnswers } from '#tool/kept-answers.ts';
import { readAll } from './body.ts';
import type { FastDesk } from './fast-reads.ts';
import { valuesOf } from './harmless.ts';
import { whenTold, type Next, type Revision } from './when-told.ts';

/** As it goes on the wire, made by an SDK: the id of the request goes between the two. */
interface Called {
  readonly revision: number;
  readonly size: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  readonly behind: string;
}

/** What decides how a call is answered, apart from its body. */
const DECIDING = [
  'host',
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
] as const;
const LOOKED_AT = [...DECIDING, 'content-length'] as const;

/** A call that reads is short. */
const MOST_BYTES = 4096;

/** Requests that change nothing, and whose answer is the same for everybody. */
const READS = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'resources/read',
  'server/discover',
]);

interface Call {
  readonly key: string;
  /** As JSON. */
  readonly id: string;
}

/**
 * Answers calls of MCP in front of everything what an SDK has answered before, while nothing has changed since: to the
 * same message under the same headers, the same bytes but for the id. Whatever is not exactly that goes on.
 */
export class FastCalls {
  readonly #desk: FastDesk;
  readonly #tools: ReadonlySet<unknown>;
  readonly #kept = new KeptAnswers<Called>();
  /** What is being answered by an SDK, and may be kept. */
  readonly #open = new WeakMap<IncomingMessage, { call: Call; since: number }>();

  constructor(desk: FastDesk, tools: readonly AnyTool[]) {
    this.#desk = desk;
    this.#tools = new Set(
      tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name),
    );
  }

  /** Calls `next` where an SDK has to answer, with the error where one was thrown; a short body is then read already. */
  answer(request: IncomingMessage, response: ServerResponse, next: Next): void {
    const asked = request.httpVersion === '1.1' ? valuesOf(request.rawHeaders, LOOKED_AT) : undefined;
    if (asked?.host === undefined || !(Number(asked['content-length']) <= MOST_BYTES)) {
      next();
      return;
    }
    readAll(
      request,
      (bytes) => {
        // Where it stands whoever reads the body next finds that it is read.
        Object.assign(request, { body: bytes });
        this.#decide(
          request,
          response,
          this.#callOf(
            bytes,
            DECIDING.map((name) => asked[name]),
          ),
          next,
        );
      },
      next,
    );
  }

  #decide(request: IncomingMessage, response: ServerResponse, call: Call | undefined, next: Next): void {
    if (call === undefined) next();
    else
      whenTold(
        this.#desk.revision(),
        (since) => {
          this.#send(request, response, call, since, next);
        },
        next,
      );
  }

  #send(request: IncomingMessage, response: ServerResponse, call: Call, since: Revision, next: Next): void {
    const called = this.#kept.find(call.key, since);
    if (called === undefined || this.#desk.stopping()) {
      if (since !== undefined) this.#open.set(request, { call, since });
      next();
      return;
    }
    this.#desk.shield(request, response, (refused) => {
      if (refused !== undefined) next();
      else send(response, called, call.id);
    });
  }

  /** To be told of an answer by an SDK, as it is sent. */
  keep(request: IncomingMessage, response: ServerResponse, text: string): void {
    const open = this.#open.get(request);
    if (open === undefined || response.statusCode !== 200) return;
    const answer = JSON.parse(text) as Record<string, unknown>;
    const [before, behind] = aroundId(answer);
    if (hasFailed(answer) || before + JSON.stringify(answer['id']) + behind !== text) return;
    const { 'content-length': _, ...headers } = response.getHeaders();
    const body = Buffer.from(before);
    this.#kept.keep(open.call.key, { revision: open.since, size: body.length, headers, body, behind });
  }

  #callOf(bytes: Buffer, headers: readonly (string | undefined)[]): Call | undefined {
    let message: unknown;
    try {
      message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      return undefined;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
    const { id, ...rest } = message as Record<string, unknown>;
    if (!(typeof id === 'string' || Number.isSafeInteger(id)) || !this.#isRead(rest)) return undefined;
    return { key: JSON.stringify([headers, rest]), id: JSON.stringify(id) };
  }

  #isRead({ method, params }: Record<string, unknown>): boolean {
    if (method === 'tools/call')
      return this.#tools.has((params as { name?: unknown } | null | undefined)?.name);
    return typeof method === 'string' && READS.has(method);
  }
}

/** What failed may not fail again. */
const hasFailed = ({ error, result }: Record<string, unknown>): boolean =>
  error !== undefined || (result as { isError?: boolean } | undefined)?.isError === true;

/** @returns the JSON of an answer up to its id, and from there on */
function aroundId(answer: Record<string, unknown>): [before: string, behind: string] {
  const members = Object.entries(answer).map(
    ([name, value]) => [name, `${JSON.stringify(name)}:${JSON.stringify(value)}`] as const,
  );
  const at = members.findIndex(([name]) => name === 'id');
  const [before, behind] = [members.slice(0, at), members.slice(at + 1)].map((some) =>
    some.map(([, json]) => json),
  );
  return [`{${[...(before ?? []), '"id":'].join(',')}`, `${['', ...(behind ?? [])].join(',')}}`];
}

function send(response: ServerResponse, { headers, body, behind }: Called, id: string): void {
  const end = Buffer.from(id + behind);
  response.writeHead(200, { ...headers, 'content-length': body.length + end.length });
  response.write(body);
  response.end(end);
}
