import { Agent, request } from 'node:http';

export interface HttpRequest {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly etag: string | undefined;
  /** Bytes of the body as sent, which may be compressed. */
  readonly bytes: number;
}

/** A keep-alive client for latencies below a millisecond, which autocannon rounds. */
export class HttpClient {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = url;
  }

  /** Settles with the last byte of the response. */
  send({ path, method = 'GET', headers = {}, body }: HttpRequest): Promise<HttpResponse> {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      request(
        this.#url + path,
        { method, agent: this.#agent, headers: { ...headers, ...length } },
        (response) => {
          const {
            statusCode: status = 0,
            headers: { etag },
          } = response;
          let bytes = 0;
          response
            .on('data', (chunk: Buffer) => {
              bytes += chunk.length;
            })
            .on('end', () => {
              resolve({ status, etag, bytes });
            })
            .on('error', reject);
        },
      )
        .on('error', reject)
        .end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
