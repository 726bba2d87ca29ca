import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { KeptAnswers } from '#tool/kept-answers.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { valuesOf } from './harmless.ts';
import { whenTold, type Next } from './when-told.ts';

/** As it goes on the wire, made by Express. */
interface Read {
  readonly revision: number;
  readonly size: number;
  readonly etag: string;
  /** Without its parameters. */
  readonly type: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Of a 304. */
  readonly unchanged: OutgoingHttpHeaders;
}

/** What the ways in front of Express work with. */
export interface FastDesk {
  readonly revision: Workspace['revision'];
  /** Whether the service is going down, and takes no more requests. */
  readonly stopping: () => boolean;
  /** Counts the request, and tells whether it is one too many. */
  readonly shield: (
    request: IncomingMessage,
    response: ServerResponse,
    next: (refused?: unknown) => void,
  ) => void;
}

const LOOKED_AT = ['host', 'origin', 'accept', 'if-none-match'] as const;

/** What a 304 leaves out. */
const OF_THE_BODY = ['content-type', 'content-length'];

/**
 * Answers in front of Express what Express has answered before, while nothing has changed since: the same bytes under the
 * same headers. Whatever is not exactly that goes on to Express.
 */
export class FastReads {
  readonly #desk: FastDesk;
  readonly #kept = new KeptAnswers<Read>();

  constructor(desk: FastDesk) {
    this.#desk = desk;
  }

  /** Calls `next` where Express has to answer, with the error where one was thrown. */
  answer(request: IncomingMessage, response: ServerResponse, next: Next): void {
    const { method, url = '', httpVersion } = request;
    if (method !== 'GET' || httpVersion !== '1.1' || !this.#kept.has(url)) next();
    else
      whenTold(
        this.#desk.revision(),
        (revision) => {
          this.#send(this.#kept.find(url, revision), request, response, next);
        },
        next,
      );
  }

  #send(read: Read | undefined, request: IncomingMessage, response: ServerResponse, next: Next): void {
    const asked = read && valuesOf(request.rawHeaders, LOOKED_AT);
    if (
      asked?.host === undefined ||
      !suits(read, asked.accept, asked['if-none-match']) ||
      this.#desk.stopping()
    ) {
      next();
      return;
    }
    this.#desk.shield(request, response, (refused) => {
      if (refused !== undefined) next();
      else if (asked['if-none-match'] === undefined) response.writeHead(200, read.headers).end(read.body);
      else response.writeHead(304, read.unchanged).end();
    });
  }

  /** Keeps what Express has just sent. @param since the revision before it was made */
  keep(
    { url = '', method }: IncomingMessage,
    response: ServerResponse,
    text: string,
    since: number | undefined,
  ): void {
    const headers = response.getHeaders();
    const { etag } = headers;
    if (method !== 'GET' || response.statusCode !== 200 || since === undefined || typeof etag !== 'string')
      return;
    const unchanged = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !OF_THE_BODY.includes(name)),
    );
    const [type = ''] = String(headers['content-type']).split(';');
    const body = Buffer.from(text);
    this.#kept.keep(url, { revision: since, size: body.length, etag, type, headers, body, unchanged });
  }
}

function suits(read: Read | undefined, accept = '*/*', etag = read?.etag): read is Read {
  return read !== undefined && etag === read.etag && (accept === '*/*' || accept === read.type);
}
