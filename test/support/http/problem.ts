import assert from 'node:assert/strict';
import type { HttpResponse } from './send-request.ts';

/** Part of hostile input, so that a test sees whether an error repeats it. */
export const MARK = 'zebra';

const INTERNALS =
  /\bat .+:\d+:\d+|node_modules|\/work\/|\/tmp\/|\.ts\b|express|zod|lowdb|body-parser|raw-body|SyntaxError|TypeError|<html/i;

/** Asserts that an error text repeats no input and names no internals. */
export function assertClean(text: string): void {
  assert.doesNotMatch(text, INTERNALS);
  assert.ok(!text.toLowerCase().includes(MARK), 'repeats input');
}

export function assertProblem(response: HttpResponse, status: number, code: string): void {
  assert.equal(response.status, status, response.text);
  assert.match(response.header('Content-Type'), /^application\/problem\+json/);
  assert.equal(response.header('Cache-Control'), 'no-store');
  assertBody(response.json, status, code);
  assertClean(response.text);
}

/** Asserts an error of the endpoint /mcp: a JSON-RPC error with a null id and the problem in `data`. */
export function assertRpcProblem(
  response: HttpResponse,
  status: number,
  code: string,
  rpcCode: number,
): void {
  assert.equal(response.status, status, response.text);
  assert.match(response.header('Content-Type'), /^application\/json/);
  const { jsonrpc, id, error } = response.json;
  assert.deepEqual([jsonrpc, id, error.code, error.message], ['2.0', null, rpcCode, error.data.detail]);
  assertBody(error.data, status, code);
  assertClean(response.text);
}

interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
}

function assertBody(problem: ProblemBody, status: number, code: string): void {
  assert.deepEqual(Object.keys(problem).slice(0, 5), ['type', 'title', 'status', 'detail', 'code']);
  assert.deepEqual([problem.status, problem.code], [status, code]);
  assert.ok(problem.detail.length > 20 && problem.detail.length < 300, problem.detail);
  assert.match(problem.detail, /[.]$/);
}
