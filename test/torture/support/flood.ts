import { Agent, request } from 'node:http';

export interface FloodRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const CONNECTIONS = 16;

/**
 * Sends each request as soon as a connection is free.
 * @returns the number of responses by status; status 0 is a failure
 */
export async function flood(
  url: string,
  count: number,
  make: (n: number) => FloodRequest,
): Promise<ReadonlyMap<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses = new Map<number, number>();
  let next = 0;
  const sendAll = async (): Promise<void> => {
    while (next < count) {
      const status = await send(url, agent, make(next++));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll));
  agent.destroy();
  return statuses;
}

function send(
  url: string,
  agent: Agent,
  { method, path, headers = {}, body }: FloodRequest,
): Promise<number> {
  return new Promise((resolve) => {
    const clientRequest = request(url + path, { method, agent, headers }, (response) => {
      response
        .resume()
        .on('error', () => {
          resolve(0);
        })
        .on('end', () => {
          resolve(response.statusCode ?? 0);
        });
    });
    clientRequest
      .on('error', () => {
        resolve(0);
      })
      .end(body);
  });
}
