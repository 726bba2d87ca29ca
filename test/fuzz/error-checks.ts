import assert from 'node:assert/strict';
import { ERRORS } from '#http/responses/problem.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import type { AllowedResponses } from './contract.ts';
import type { HttpRequest } from './http-request.ts';
import { findEcho } from './echo.ts';

/** A stack trace, a path of the server, or the name of a dependency. */
const INTERNALS =
  /\bat .+:\d+:\d+|node_modules|\/work\/|\/tmp\/|\/home\/|\.ts\b|\.js\b|express|zod|lowdb|body-parser|raw-body|ajv|SyntaxError|TypeError|<html/i;
const MAX_DETAIL_LENGTH = 300;

const RPC_CODES = [-32700, -32600, -32601, -32602, -32002, -32000];

/** All texts of a request, decoded ones too. A function, since they are needed for errors only. */
export type SentTexts = () => readonly string[];

export function textsSentIn({ target, headers, body = Buffer.alloc(0) }: HttpRequest): SentTexts {
  const parts = target.split(/[/?&=]/);
  return () => [...parts, ...parts.map(decoded), ...headers.map(([, value]) => value), ...textsInBody(body)];
}

function textsInBody(body: Buffer): string[] {
  const text = new TextDecoder().decode(body);
  return [text, ...textsInJson(text)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

function textsInJson(json: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(json, (key, value: unknown) => {
      texts.push(key, ...(typeof value === 'string' ? [value] : []));
      return value;
    });
  } catch {
    // Invalid JSON contains no texts.
  }
  return texts;
}

interface Failure {
  detail: string;
  code: string;
  errors?: { path: string; message: string }[];
  limit?: string;
  retryAfterSeconds?: number;
  /** Of an unknown resource. */
  uri?: string;
}

/** An error names its code and repeats neither input nor internals, but the URI of an unknown resource. */
export function checkFailure(failure: Failure, sentTexts: SentTexts): void {
  const { detail, code, errors = [], limit, retryAfterSeconds, uri } = failure;
  assert.ok(code in ERRORS, `unknown code ${code}`);
  assert.ok(
    errors.every(({ path, message }) => typeof path === 'string' && typeof message === 'string'),
    'errors are path and message',
  );
  if (code === 'invalid_request') assert.ok(errors.length > 0, 'invalid_request has errors');
  if (code === 'rate_limited')
    assert.ok(limit !== undefined && retryAfterSeconds! >= 1, 'rate_limited has limit and retryAfterSeconds');
  if (uri !== undefined) {
    assert.match(uri, /^[!-~]{1,200}$/);
    assert.ok(
      code === 'not_found' && sentTexts().includes(uri),
      'data.uri is the URI of an unknown resource',
    );
  }
  // An unknown argument is named, cut and without blanks.
  const paths = errors.map(({ path }) => path);
  for (const path of paths) assert.match(path, /^[^\s\p{C}]{0,41}$/u);
  const withoutNames = (text: string): string =>
    paths.reduce((rest, path) => (path === '' ? rest : rest.replaceAll(path, '')), text);
  checkMessages([detail, ...errors.map(({ message }) => message)].map(withoutNames), sentTexts);
}

export function assertNoInternals(text: string): void {
  assert.doesNotMatch(text, INTERNALS);
}

/** The list of served protocol versions may equal text of the request. */
const SERVED_VERSIONS = /served are [\d, -]+/;

function checkMessages(messages: readonly string[], sentTexts: SentTexts): void {
  const [detail = ''] = messages;
  assert.ok(
    detail.length > 0 && detail.length < MAX_DETAIL_LENGTH,
    `a detail of ${detail.length} characters: ${detail.slice(0, 400)}`,
  );
  messages.forEach(assertNoInternals);
  const echo = findEcho(
    messages.map((text) => text.replace(SERVED_VERSIONS, '')),
    sentTexts(),
  );
  assert.equal(echo, undefined, `repeats input: ${JSON.stringify(echo)}`);
}

/** A problem (RFC 9457) with the status and one of the codes that the contract allows. */
export function checkProblem(
  problem: Record<string, unknown>,
  response: HttpResponse,
  allowed: AllowedResponses,
  sentTexts: SentTexts,
): void {
  for (const name of ['type', 'title', 'detail', 'code'])
    assert.equal(typeof problem[name], 'string', `no ${name} in ${response.text}`);
  const code = problem['code'] as keyof typeof ERRORS;
  assert.deepEqual([problem['status'], ERRORS[code].status], [response.status, response.status]);
  const codes = allowed.get(response.status) ?? [];
  assert.ok(
    codes.includes(code),
    `${response.status} ${code} is not in the contract: ${[...allowed.values()].flat().join(', ')}`,
  );
  if (response.status === 429 || response.status === 503)
    assert.equal(response.header('Retry-After'), String(problem['retryAfterSeconds']));
  // Its code and detail are checked above.
  checkFailure(problem as unknown as Failure, sentTexts);
}

/** An error of JSON-RPC. Before the message is parsed its id is null and its data a problem. */
export function checkRpcError(error: Record<string, unknown>, sentTexts: SentTexts): void {
  assert.ok(
    RPC_CODES.includes(error['code'] as number),
    `code ${String(error['code'])}: ${JSON.stringify(error).slice(0, 400)}`,
  );
  assert.equal(typeof error['message'], 'string');
  checkMessages([error['message'] as string], sentTexts);
  if (error['data'] !== undefined) checkFailure(error['data'] as Failure, sentTexts);
}
