import { Agent, request } from 'node:http';
import { HttpResponse } from '../support/http/send-request.ts';
import type { Sending } from './requests.ts';

export interface Wire {
  /** Sends a request as it is, over connections that stay open. @throws when there is no answer in time */
  send: (sending: Sending) => Promise<HttpResponse>;
  close: () => void;
}

const lengthOf = ({ headers, body }: Sending): [string, string][] => {
  const chunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  return body === undefined || chunked ? [] : [['Content-Length', String(body.length)]];
};

export function openWire(url: string, deadlineMs: number): Wire {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(url);

  const once = (sending: Sending): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const { method, target, headers, body } = sending;
      // A list is sent as it is; names and values of an object would be merged.
      const lines = [...headers, ...lengthOf(sending)].flat();
      const asked = request(
        { host: hostname, port, method, path: target, headers: lines, agent },
        (answer) => {
          const chunks: Buffer[] = [];
          const settle = (): void => {
            clearTimeout(deadline);
            resolve(
              new HttpResponse(answer.statusCode ?? 0, answer.headers, Buffer.concat(chunks).toString()),
            );
          };
          // A refusal on the wire has a body, and then the client's parser fails.
          if (method === 'HEAD') settle();
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          // A stream has no end: what it begins with is judged.
          if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
            answer.once('data', () => {
              settle();
              asked.destroy();
            });
          }
          answer.on('error', reject);
          answer.on('end', settle);
        },
      );
      const deadline = setTimeout(() => {
        asked.destroy(new Error(`no answer within ${deadlineMs} ms`));
      }, deadlineMs);
      asked.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(deadline);
        reject(asked.reusedSocket && error.code === 'ECONNRESET' ? new Stale() : error);
      });
      asked.end(body);
    });

  return {
    send: (sending) =>
      once(sending).catch((error: unknown) => {
        if (error instanceof Stale) return once(sending);
        throw error;
      }),
    close: () => {
      agent.destroy();
    },
  };
}

/** The other side closed a connection while it was idle. */
class Stale extends Error {}
