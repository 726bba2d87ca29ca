import { Agent, request as startRequest } from 'node:http';
import { HttpResponse } from '../support/http/send-request.ts';
import type { HttpRequest } from './http-request.ts';

export interface HttpClient {
  /** Sends an unchanged request over a keep-alive connection. @throws Error if no response arrives in time */
  send: (request: HttpRequest) => Promise<HttpResponse>;
  close: () => void;
}

const lengthOf = ({ headers, body }: HttpRequest): [string, string][] => {
  const isChunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  return body === undefined || isChunked ? [] : [['Content-Length', String(body.length)]];
};

export function createHttpClient(url: string, deadlineMs: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(url);

  const sendOnce = (request: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const { method, target, headers, body } = request;
      // Node sends an array of headers unchanged; in an object equal names would be merged.
      const lines = [...headers, ...lengthOf(request)].flat();
      const clientRequest = startRequest(
        { host: hostname, port, method, path: target, headers: lines, agent },
        (response) => {
          const chunks: Buffer[] = [];
          const settle = (): void => {
            clearTimeout(deadline);
            resolve(new HttpResponse(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)));
          };
          // A rejection by the HTTP parser has a body even for HEAD, at which Node's client fails.
          if (method === 'HEAD') settle();
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          // A stream does not end, so only its first message is checked.
          if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
            response.once('data', () => {
              settle();
              clientRequest.destroy();
            });
          }
          response.on('error', reject);
          response.on('end', settle);
        },
      );
      const deadline = setTimeout(() => {
        clientRequest.destroy(new Error(`no response within ${deadlineMs} ms`));
      }, deadlineMs);
      clientRequest.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(deadline);
        reject(
          clientRequest.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnectionError() : error,
        );
      });
      clientRequest.end(body);
    });

  return {
    send: (request) =>
      sendOnce(request).catch((error: unknown) => {
        if (error instanceof StaleConnectionError) return sendOnce(request);
        throw error;
      }),
    close: () => {
      agent.destroy();
    },
  };
}

/** The server closed an idle connection. */
class StaleConnectionError extends Error {}
