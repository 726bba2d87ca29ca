import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type fc from 'fast-check';
import { HttpResponse } from '../support/http/send-request.ts';
import { mutated } from './bytes.ts';
import { ANYTHING } from './contract.ts';
import { assertNothingInside, judgeProblem, judgeRpcError, saidInBody } from './error-checks.ts';
import { REVISION } from './rpc-checks.ts';
import type { Sending } from './requests.ts';

const IDLE_MS = 120;

/** Comes behind the bytes: where they were whole, it is answered too, and the connection closed. */
const NEXT = Buffer.from('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');

function toBytes({ method, target, headers, body = Buffer.alloc(0) }: Sending): Buffer {
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

/** Whole requests with something done to their bytes, from the request line to the end of the body. */
export function rawRequests(sendings: fc.Arbitrary<Sending>): fc.Arbitrary<Buffer> {
  // An answer to HEAD cannot be told from one that has a body.
  return mutated(sendings.filter(({ method }) => method !== 'HEAD').map(toBytes));
}

/** @returns all that came back. Where nothing more is said, the end of the stream says that nothing will be. */
function exchange(url: string, bytes: Buffer, deadlineMs: number): Promise<Buffer> {
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
      // It was answered and closed while we still spoke.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(Buffer.concat(chunks));
    });
    socket.write(Buffer.concat([bytes, NEXT]));
  });
}

const WITHOUT_BODY = [100, 204, 304];
const LAST_CHUNK = '0\r\n\r\n';

/** @returns the answers in a stream of them */
function answersIn(stream: Buffer): HttpResponse[] {
  const answers: HttpResponse[] = [];
  for (let rest = stream; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    assert.ok(end > 0, `no head of an answer: ${rest.toString('latin1', 0, 300)}`);
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
    // The only answer in chunks is an empty one.
    const length = WITHOUT_BODY.includes(status)
      ? 0
      : chunked
        ? LAST_CHUNK.length
        : Number(headers['content-length'] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    assert.equal(body.length, length, 'an answer was cut');
    if (chunked) assert.equal(body.toString(), LAST_CHUNK);
    if (status !== 100) answers.push(new HttpResponse(status, headers, body.toString()));
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}

function judgeAnswer(told: HttpResponse, bytes: Buffer): void {
  assert.ok(ANYTHING.has(told.status), `${told.status}: ${told.text.slice(0, 300)}`);
  if (told.status < 400) return;
  const said = (): string[] => [bytes.toString('latin1'), ...saidInBody(bytes)];
  const type = String(told.headers['content-type']);
  assert.match(type, /^application\/(?:problem\+)?json/);
  const body = told.json;
  if (type.startsWith('application/problem')) judgeProblem(body, told, ANYTHING, said);
  else if (
    [REVISION, '2026-07-28'].some((sign) => bytes.includes(sign)) &&
    body.error.data?.status === undefined
  )
    assertNothingInside(body.error.message);
  else {
    judgeProblem(body.error.data, told, ANYTHING, said);
    judgeRpcError({ ...body.error, data: undefined }, said);
  }
}

/** @returns the statuses of what was answered */
export async function examineBytes(url: string, bytes: Buffer, deadlineMs: number): Promise<number[]> {
  const answers = answersIn(await exchange(url, bytes, deadlineMs));
  for (const answer of answers) judgeAnswer(answer, bytes);
  return answers.map(({ status }) => status);
}
