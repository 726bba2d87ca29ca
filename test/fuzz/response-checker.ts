import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import { routeOf } from '#tool/route.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { isMcp, isPlain, type Contract } from './contract.ts';
import { judgeProblem, saidIn } from './error-checks.ts';
import { judgeCall } from './rpc-checks.ts';
import type { Sending } from './requests.ts';
import { assertWellFormed } from './xml.ts';

const SECURITY: Readonly<Record<string, RegExp>> = {
  'Content-Security-Policy': /default-src 'none'/,
  'X-Content-Type-Options': /^nosniff$/,
  'Referrer-Policy': /no-referrer/,
  'X-Frame-Options': /./,
};

/** What holds for every answer to every request. */
export class Judge {
  readonly #tools: readonly AnyTool[];
  readonly #contract: Contract;

  constructor(tools: readonly AnyTool[], contract: Contract) {
    this.#tools = tools;
    this.#contract = contract;
  }

  judge(sending: Sending, told: HttpResponse): void {
    const allowed = this.#contract.allowedFor(sending);
    const { status, text } = told;
    assert.ok(
      allowed.has(status),
      `${status} is not among ${[...allowed.keys()].join(', ')}: ${text.slice(0, 300)}`,
    );
    if (!isOfParser(sending, told)) judgeHeaders(sending, told);
    if (status === 304)
      assert.ok(
        sending.headers.some(([name]) => name.toLowerCase() === 'if-none-match'),
        '304 unasked',
      );
    if (status === 405) assert.match(told.header('Allow'), /OPTIONS$/);
    if (sending.method === 'HEAD' || status === 202 || status === 204 || status === 304)
      assert.equal(text, '');
    else if (told.header('Content-Type').startsWith('text/event-stream')) judgeStream(text);
    else if (answersRpc(sending, told)) judgeCall(this.#tools, sending, told, allowed);
    else if (status >= 400) {
      assert.match(told.header('Content-Type'), /^application\/problem\+json/);
      assert.equal(told.header('Cache-Control'), 'no-store');
      judgeProblem(told.json, told, allowed, saidIn(sending));
    } else this.#judgeBody(sending, told);
  }

  #judgeBody(sending: Sending, told: HttpResponse): void {
    const type = told.header('Content-Type');
    if (/^application\/([\w-]+\+)?json/.test(type)) this.#judgeJson(sending, told);
    else if (type.startsWith('application/rss+xml')) assertWellFormed(told.text);
    else if (sending.target.startsWith('/llms.txt')) assert.match(type, /^text\/plain; charset=utf-8/);
    else {
      assert.match(type, /^text\/html; charset=utf-8/);
      assert.match(told.text, /^<!doctype html>[\s\S]+<\/html>\n$/);
      assert.doesNotMatch(told.text, /<script|<img|<meta http-equiv|<style>[^<]*<style/i);
    }
  }

  /** A tool's answer has its fields and no others, in their order. */
  #judgeJson(sending: Sending, told: HttpResponse): void {
    const template = this.#contract.templateOf(sending);
    const tool = this.#tools.find((one) => {
      const { method, path } = routeOf(one);
      return path === template && method === sending.method;
    });
    if (tool === undefined) assert.equal(typeof told.json, 'object');
    else assert.equal(JSON.stringify(tool.output.parse(told.json)), told.text);
  }
}

/** A stream begins with one whole message. */
function judgeStream(text: string): void {
  const [, data] = /^(?:event: message\n)?data: (.+)\n\n/.exec(text) ?? [];
  assert.ok(data !== undefined, `no message at the beginning of ${JSON.stringify(text.slice(0, 300))}`);
  assert.equal((JSON.parse(data) as { jsonrpc: unknown }).jsonrpc, '2.0');
}

/** What the parser of HTTP refuses never becomes a request, and is answered on the wire. */
function isOfParser(sending: Sending, { status, headers }: HttpResponse): boolean {
  return (
    status === 431 ||
    (status === 400 && !isPlain(sending) && headers['content-security-policy'] === undefined)
  );
}

function answersRpc(sending: Sending, { status, text }: HttpResponse): boolean {
  return status !== 431 && (isMcp(sending) || (!isPlain(sending) && text.startsWith('{"jsonrpc"')));
}

function judgeHeaders(sending: Sending, { status, headers }: HttpResponse): void {
  for (const [name, pattern] of Object.entries(SECURITY))
    assert.match(String(headers[name.toLowerCase()]), pattern, name);
  assert.equal(headers['x-powered-by'], undefined);
  assert.equal(headers['set-cookie'], undefined);
  assert.equal(headers['access-control-allow-credentials'], undefined);
  if (isPlain(sending) && !isMcp(sending)) assert.equal(headers['access-control-allow-origin'], '*');
  if (status === 200 && ['GET', 'HEAD'].includes(sending.method) && !sending.target.includes('healthz')) {
    assert.match(String(headers.etag), /^"[\w-]{27}"$/);
  }
}
