import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HttpResponse } from '../support/http/send-request.ts';
import { byteChange } from './hostile.ts';
import { ANY_RESPONSE } from './contract.ts';
import { assertNoInternals, checkProblem, checkRpcError, textsInBody } from './error-checks.ts';
import { VERSION_META } from './rpc-checks.ts';
import { toBytes, type HttpRequest } from './http-request.ts';
import { LAST_REQUEST, sendBytes } from './send-bytes.ts';

/** The server waits for the rest of an incomplete request. */
const IDLE_MS = 120;

/** Complete requests with mutated bytes, from the request line to the end of the body. */
export function rawRequests(requests: fc.Arbitrary<HttpRequest>): fc.Arbitrary<Buffer> {
  return (
    fc
      // The parser cannot know which response belongs to HEAD and has no body.
      .tuple(requests.filter(({ method }) => method !== 'HEAD').map(toBytes), byteChange)
      .map(([bytes, change]) => change(bytes))
  );
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
  const responses = parseResponses(
    await sendBytes(url, Buffer.concat([bytes, LAST_REQUEST]), {
      deadlineMs,
      idleMs: IDLE_MS,
    }),
  );
  for (const response of responses) checkResponse(response, bytes);
  return responses.map(({ status }) => status);
}
