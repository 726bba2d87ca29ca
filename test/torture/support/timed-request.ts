import { request } from 'node:http';
import { secondsSince } from './time.ts';

interface TimedResponse {
  /** 0 without a response. */
  readonly status: number;
  readonly seconds: number;
  readonly text: string;
}

const RESPONSE_TIMEOUT_MS = 20_000;

/** Sends a request over a new connection. Without a response `seconds` is the time until the failure. */
export function timedRequest(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TimedResponse> {
  const start = performance.now();
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  return new Promise((resolve) => {
    const fail = (): void => {
      resolve({ status: 0, seconds: secondsSince(start), text: '' });
    };
    const clientRequest = request(
      url + path,
      {
        method,
        agent: false,
        signal,
        headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
          })
          .on('error', fail);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, seconds: secondsSince(start), text });
        });
      },
    );
    clientRequest.on('error', fail).end(body);
  });
}
