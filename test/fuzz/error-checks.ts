import assert from 'node:assert/strict';
import { ERRORS } from '#http/error-table.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import type { Allowed } from './contract.ts';
import type { Sending } from './requests.ts';
import { echoOf } from './echo.ts';

/** A stack, a path of the server, or the name of something it is made of. */
const INSIDE =
  /\bat .+:\d+:\d+|node_modules|\/work\/|\/tmp\/|\/home\/|\.ts\b|\.js\b|express|zod|lowdb|body-parser|raw-body|ajv|SyntaxError|TypeError|<html/i;
const MOST_DETAIL = 300;

const RPC_CODES = [-32700, -32600, -32601, -32602, -32002, -32000];

/** All that a sender said in its own words, also what was encoded; asked for where something was refused. */
export type Said = () => readonly string[];

export function saidIn({ target, headers, body = Buffer.alloc(0) }: Sending): Said {
  const parts = target.split(/[/?&=]/);
  return () => [...parts, ...parts.map(decoded), ...headers.map(([, value]) => value), ...saidInBody(body)];
}

export function saidInBody(body: Buffer): string[] {
  return [body.toString(), ...textsIn(body.toString())];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

function textsIn(json: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(json, (key, value: unknown) => {
      texts.push(key, ...(typeof value === 'string' ? [value] : []));
      return value;
    });
  } catch {
    // No JSON has no texts in it.
  }
  return texts;
}

interface Failure {
  detail: string;
  code: string;
  errors?: { path: string; message: string }[];
  limit?: string;
  retryAfterSeconds?: number;
}

/** A failure says what is wrong in our own words, and nothing of what was sent or of what we are made of. */
export function judgeFailure(failure: Failure, said: Said): void {
  const { detail, code, errors = [], limit, retryAfterSeconds } = failure;
  assert.ok(code in ERRORS, `unknown code ${code}`);
  assert.ok(
    errors.every(({ path, message }) => typeof path === 'string' && typeof message === 'string'),
    'errors are path and message',
  );
  if (code === 'invalid_request') assert.ok(errors.length > 0, 'an invalid request names its errors');
  if (code === 'rate_limited') assert.ok(limit !== undefined && retryAfterSeconds! >= 1, 'a limit is named');
  judgeWords([detail, ...errors.flatMap(({ path, message }) => [path, message])], said);
}

export function assertNothingInside(text: string): void {
  assert.doesNotMatch(text, INSIDE);
}

/** The versions that are served are our words, though a client may say them too. */
const SERVED = /served are [\d, -]+/;

export function judgeWords(words: readonly string[], said: Said): void {
  const [detail = ''] = words;
  assert.ok(
    detail.length > 0 && detail.length < MOST_DETAIL,
    `a detail of ${detail.length} characters: ${detail.slice(0, 400)}`,
  );
  words.forEach(assertNothingInside);
  const echo = echoOf(
    words.map((text) => text.replace(SERVED, '')),
    said(),
  );
  assert.equal(echo, undefined, `repeats what was sent: ${JSON.stringify(echo)}`);
}

/** RFC 9457, with the status and one of the codes that the contract has for the request. */
export function judgeProblem(
  problem: Record<string, unknown>,
  told: HttpResponse,
  allowed: Allowed,
  said: Said,
): void {
  for (const name of ['type', 'title', 'detail', 'code'])
    assert.equal(typeof problem[name], 'string', `no ${name} in ${told.text}`);
  const code = problem['code'] as keyof typeof ERRORS;
  assert.deepEqual([problem['status'], ERRORS[code].status], [told.status, told.status]);
  const codes = allowed.get(told.status) ?? [];
  assert.ok(
    codes.includes(code),
    `${told.status} ${code} is not in the contract: ${[...allowed.values()].flat().join(', ')}`,
  );
  if (told.status === 429 || told.status === 503)
    assert.equal(told.header('Retry-After'), String(problem['retryAfterSeconds']));
  judgeFailure(problem as unknown as Failure, said);
}

/** An error of JSON-RPC; before a message is read its id is null and its data the problem. */
export function judgeRpcError(error: Record<string, unknown>, said: Said): void {
  assert.ok(
    RPC_CODES.includes(error['code'] as number),
    `code ${String(error['code'])}: ${JSON.stringify(error).slice(0, 400)}`,
  );
  assert.equal(typeof error['message'], 'string');
  judgeWords([error['message'] as string], said);
  if (error['data'] !== undefined) judgeFailure(error['data'] as Failure, said);
}
