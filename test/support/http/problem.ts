import assert from 'node:assert/strict';
import type { Told } from './wire.ts';

/** Put into hostile input, to see that no error repeats it. */
export const MARK = 'zebra';

const INSIDE =
  /\bat .+:\d+:\d+|node_modules|\/work\/|\/tmp\/|\.ts\b|express|zod|lowdb|body-parser|raw-body|SyntaxError|TypeError|<html/i;

/** An error tells what is wrong in our own words, and nothing of input or inside. */
export function assertClean(text: string): void {
  assert.doesNotMatch(text, INSIDE);
  assert.ok(!text.toLowerCase().includes(MARK), 'repeats input');
}

export function assertProblem(told: Told, status: number, code: string): void {
  assert.equal(told.status, status, told.text);
  assert.match(told.header('Content-Type'), /^application\/problem\+json/);
  assert.equal(told.header('Cache-Control'), 'no-store');
  assertWords(told.json, status, code);
  assertClean(told.text);
}

/** On /mcp a refusal is a JSON-RPC error without an id, the problem in its data. */
export function assertRpcProblem(told: Told, status: number, code: string, rpcCode: number): void {
  assert.equal(told.status, status, told.text);
  assert.match(told.header('Content-Type'), /^application\/json/);
  const { jsonrpc, id, error } = told.json;
  assert.deepEqual([jsonrpc, id, error.code, error.message], ['2.0', null, rpcCode, error.data.detail]);
  assertWords(error.data, status, code);
  assertClean(told.text);
}

interface Words {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
}

function assertWords(problem: Words, status: number, code: string): void {
  assert.deepEqual(Object.keys(problem).slice(0, 5), ['type', 'title', 'status', 'detail', 'code']);
  assert.deepEqual([problem.status, problem.code], [status, code]);
  assert.ok(problem.detail.length > 20 && problem.detail.length < 300, problem.detail);
  assert.match(problem.detail, /[.]$/);
}
