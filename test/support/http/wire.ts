import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface Asking {
  /** A value left undefined takes a header away that would be sent otherwise. */
  headers?: Record<string, string | string[] | undefined> | undefined;
  /** Text and bytes go as they are, anything else as JSON. */
  body?: unknown;
}

/** An answer as it came over the wire. */
export class Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;

  constructor(status: number, headers: IncomingHttpHeaders, text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  get json() {
    return JSON.parse(this.text);
  }

  /** A header that has to be there. */
  header(name: string): string {
    const value = this.headers[name.toLowerCase()];
    if (typeof value !== 'string') throw new Error(`no header ${name} in ${JSON.stringify(this.headers)}`);
    return value;
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** Sends a request exactly as told, which `fetch` would mend. @param line method and path, as in `GET /api/feed` */
export function askAt(url: string, line: string, { headers = {}, body }: Asking = {}): Promise<Told> {
  const [method = '', ...path] = line.split(' ');
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const all: typeof headers = { ...(body === undefined ? {} : JSON_BODY), ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined) as [
    string,
    string | string[],
  ][];
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path: path.join(' '),
        headers: Object.fromEntries(given),
        agent: false,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve(new Told(answer.statusCode ?? 0, answer.headers, Buffer.concat(chunks).toString()));
        });
      },
    );
    asked.on('error', reject);
    asked.end(bytes);
  });
}

/** Sends bytes that need not be HTTP. @returns all that came back until the other side closed */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject).on('close', () => {
      resolve(text);
    });
    socket.write(bytes);
  });
}
