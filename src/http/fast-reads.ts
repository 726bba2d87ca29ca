import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** As it goes on the wire, made by Express. */
interface Kept {
  readonly revision: number;
  readonly etag: string;
  /** Without its parameters. */
  readonly type: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Of a 304. */
  readonly unchanged: OutgoingHttpHeaders;
}

interface Desk {
  readonly revision: () => number | undefined;
  /** Whether the service is going down, and takes no more requests. */
  readonly stopping: () => boolean;
  /** Counts the request, and tells whether it is one too many. */
  readonly shield: (request: IncomingMessage, response: ServerResponse, next: (refused?: unknown) => void) => void;
}

/** In bytes; enough for what is asked for again and again. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Headers of a request that cannot make the answer another one. */
const HARMLESS = new Set([
  'connection', 'user-agent', 'accept-encoding', 'accept-language', 'cache-control', 'pragma', 'origin', 'referer', 'dnt', 'priority',
  'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'traceparent', 'tracestate', 'via', 'x-request-id', 'x-real-ip', 'forwarded',
  'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port',
]);

/** What a 304 leaves out. */
const OF_THE_BODY = ['content-type', 'content-length'];

/**
 * Answers in front of Express what Express has answered before, while nothing has changed since: the same bytes under the
 * same headers. Whatever is not exactly that goes on to Express.
 */
export class FastReads {
  readonly #desk: Desk;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Calls `next` where Express has to answer. */
  answer(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    const kept = this.#find(request);
    const wish = kept && wishOf(request.rawHeaders);
    if (kept === undefined || wish === undefined || !suits(kept, wish)) {
      next();
      return;
    }
    this.#desk.shield(request, response, (refused) => {
      if (refused !== undefined) next();
      else send(response, kept, wish.etag !== undefined);
    });
  }

  /** Keeps what Express has just sent. @param since the revision before it was made */
  keep({ url = '', method }: IncomingMessage, response: ServerResponse, text: string, since: number | undefined): void {
    const headers = response.getHeaders();
    const { etag } = headers;
    if (method !== 'GET' || since === undefined || since !== this.#desk.revision() || response.statusCode !== 200 || typeof etag !== 'string') return;
    this.#forget(url);
    const body = Buffer.from(text);
    this.#bytes += body.length;
    const unchanged = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_BODY.includes(name)));
    const [type = ''] = String(headers['content-type']).split(';');
    this.#kept.set(url, { revision: since, etag, type, headers, body, unchanged });
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest);
    }
  }

  #find({ method, url = '', httpVersion }: IncomingMessage): Kept | undefined {
    const kept = method === 'GET' && httpVersion === '1.1' ? this.#kept.get(url) : undefined;
    return kept?.revision === this.#desk.revision() && !this.#desk.stopping() ? kept : undefined;
  }

  #forget(url: string): void {
    this.#bytes -= this.#kept.get(url)?.body.length ?? 0;
    this.#kept.delete(url);
  }
}

/** What a client says that may matter. */
interface Wish {
  readonly accept: string;
  /** Of what it has already. */
  readonly etag: string | undefined;
}

/** @returns undefined where a header needs a closer look */
function wishOf(rawHeaders: readonly string[]): Wish | undefined {
  let accept = '*/*';
  let etag: string | undefined;
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]?.toLowerCase() ?? '';
    const value = rawHeaders[n + 1];
    if (name === 'if-none-match' && etag === undefined) etag = value;
    else if (name === 'accept' && accept === '*/*') accept = value ?? '';
    else if (name === 'host') hosts += 1;
    else if (!HARMLESS.has(name)) return undefined;
  }
  return hosts === 1 ? { accept, etag } : undefined;
}

function suits(kept: Kept, { accept, etag }: Wish): boolean {
  return (etag === undefined || etag === kept.etag) && (accept === '*/*' || accept === kept.type);
}

function send(response: ServerResponse, { headers, body, unchanged }: Kept, isKnown: boolean): void {
  if (isKnown) response.writeHead(304, unchanged).end();
  else response.writeHead(200, headers).end(body);
}
