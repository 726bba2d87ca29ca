import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type fc from 'fast-check';
import { HttpResponse } from '../support/http/send-request.ts';
import { mutated } from './bytes.ts';
import { ANY_RESPONSE } from './contract.ts';
import { assertNoInternals, checkProblem, checkRpcError, textsInBody } from './error-checks.ts';
import { VERSION_META } from './rpc-checks.ts';
import type { HttpRequest } from './requests.ts';

const IDLE_MS = 120;

/**
 * Follows the mutated bytes. If those are a complete request, this one gets a response and closes the
 * connection.
 */
const FOLLOWING_REQUEST = Buffer.from(
  'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
);

function toBytes({ method, target, headers, body = Buffer.alloc(0) }: HttpRequest): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const chunked = headers.some(([name]) => name === 'Transfer-Encoding');
  if (!chunked)
    return Buffer.concat([
      Buffer.from([...lines, `Content-Length: ${body.length}`, '', ''].join('\r\n'), 'latin1'),
      body,
    ]);
  const head = Buffer.from([...lines, '', body.length.toString(16), ''].join('\r\n'), 'latin1');
  return Buffer.concat([head, body, Buffer.from('\r\n0\r\n\r\n')]);
}

/** Complete requests with mutated bytes, from the request line to the end of the body. */
export function rawRequests(requests: fc.Arbitrary<HttpRequest>): fc.Arbitrary<Buffer> {
  // The parser cannot know which response belongs to HEAD and has no body.
  return mutated(requests.filter(({ method }) => method !== 'HEAD').map(toBytes));
}

/** Half-closes the connection after IDLE_MS without data. @returns everything received */
function sendBytes(url: string, bytes: Buffer, deadlineMs: number): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const deadline = setTimeout(() => {
      socket.destroy(new Error(`still open after ${deadlineMs} ms`));
    }, deadlineMs);
    socket.setTimeout(IDLE_MS, () => {
      socket.end();
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server responded and closed while bytes were still being sent.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(Buffer.concat(chunks));
    });
    socket.write(Buffer.concat([bytes, FOLLOWING_REQUEST]));
  });
}

const WITHOUT_BODY = [100, 204, 304];
const LAST_CHUNK = '0\r\n\r\n';

/** @returns the responses in a byte stream */
function parseResponses(stream: Buffer): HttpResponse[] {
  const responses: HttpResponse[] = [];
  for (let rest = stream; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    assert.ok(end > 0, `no response head: ${rest.toString('latin1', 0, 300)}`);
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const [name = ''] = line.split(':');
        return [name.toLowerCase(), line.slice(name.length + 1).trim()];
      }),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    assert.ok(status >= 100, `no status line: ${first}`);
    const chunked = headers['transfer-encoding'] === 'chunked';
    // The only chunked response is an empty one.
    const length = WITHOUT_BODY.includes(status)
      ? 0
      : chunked
        ? LAST_CHUNK.length
        : Number(headers['content-length'] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    assert.equal(body.length, length, 'a response is incomplete');
    if (chunked) assert.equal(body.toString(), LAST_CHUNK);
    if (status !== 100) responses.push(new HttpResponse(status, headers, body));
    rest = rest.subarray(end + 4 + length);
  }
  return responses;
}

function checkResponse(response: HttpResponse, bytes: Buffer): void {
  assert.ok(ANY_RESPONSE.has(response.status), `${response.status}: ${response.text.slice(0, 300)}`);
  if (response.status < 400) return;
  const sentTexts = (): string[] => [bytes.toString('latin1'), ...textsInBody(bytes)];
  const type = String(response.headers['content-type']);
  assert.match(type, /^application\/(?:problem\+)?json/);
  const body = response.json;
  if (type.startsWith('application/problem')) checkProblem(body, response, ANY_RESPONSE, sentTexts);
  else if (
    [VERSION_META, '2026-07-28'].some((text) => bytes.includes(text)) &&
    body.error.data?.status === undefined
  )
    assertNoInternals(body.error.message);
  else {
    checkProblem(body.error.data, response, ANY_RESPONSE, sentTexts);
    checkRpcError({ ...body.error, data: undefined }, sentTexts);
  }
}

/** Sends bytes and checks the responses. @returns their statuses */
export async function checkBytes(url: string, bytes: Buffer, deadlineMs: number): Promise<number[]> {
  const responses = parseResponses(await sendBytes(url, bytes, deadlineMs));
  for (const response of responses) checkResponse(response, bytes);
  return responses.map(({ status }) => status);
}
