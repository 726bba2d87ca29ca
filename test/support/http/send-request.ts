import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface RequestOptions {
  /** An undefined value removes a default header. */
  headers?: Record<string, string | string[] | undefined> | undefined;
  /** Strings and buffers are sent unchanged, other values as JSON. */
  body?: unknown;
}

/** A response with its whole body. */
export class HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly body: Buffer;
  /** The body without its content coding. */
  readonly text: string;

  constructor(status: number, headers: IncomingHttpHeaders, body: Buffer) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    const isGzip = headers['content-encoding'] === 'gzip' && body.length > 0;
    this.text = (isGzip ? gunzipSync(body) : body).toString();
  }

  get json() {
    return JSON.parse(this.text);
  }

  /** @throws if the header is missing */
  header(name: string): string {
    const value = this.headers[name.toLowerCase()];
    if (typeof value !== 'string') throw new Error(`no header ${name} in ${JSON.stringify(this.headers)}`);
    return value;
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** Sends a request without the corrections of `fetch`. @param line method and path, as in `GET /api/feed` */
export function sendRequest(
  url: string,
  line: string,
  { headers = {}, body }: RequestOptions = {},
): Promise<HttpResponse> {
  const [method = '', ...path] = line.split(' ');
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const all: typeof headers = { ...(body === undefined ? {} : JSON_BODY), ...headers };
  const defined = Object.entries(all).filter(([, value]) => value !== undefined) as [
    string,
    string | string[],
  ][];
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path: path.join(' '),
        headers: Object.fromEntries(defined),
        agent: false,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve(new HttpResponse(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks)));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

/** Sends raw bytes. @returns what the server sent until it closed the connection */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', (error) => {
      // A server that closes while bytes still arrive resets the connection behind its response.
      if (text === '') reject(error);
    });
    socket.on('close', () => {
      resolve(text);
    });
    socket.write(bytes);
  });
}
