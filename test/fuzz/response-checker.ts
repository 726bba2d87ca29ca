import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import { parseRoute } from '#tool/route.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { isMcp, hasUsualTarget, type Contract } from './contract.ts';
import { checkProblem, textsSentIn } from './error-checks.ts';
import { checkMcpResponse } from './rpc-checks.ts';
import type { HttpRequest } from './http-request.ts';
import { assertWellFormed } from '../support/http/xml.ts';

const SECURITY_HEADERS: Readonly<Record<string, RegExp>> = {
  'Content-Security-Policy': /default-src 'none'/,
  'X-Content-Type-Options': /^nosniff$/,
  'Referrer-Policy': /no-referrer/,
  'X-Frame-Options': /./,
};

/** Checks what holds for every response to every request. */
export class ResponseChecker {
  readonly #tools: readonly AnyTool[];
  readonly #contract: Contract;

  constructor(tools: readonly AnyTool[], contract: Contract) {
    this.#tools = tools;
    this.#contract = contract;
  }

  check(request: HttpRequest, response: HttpResponse): void {
    const allowed = this.#contract.allowedFor(request);
    const { status, text } = response;
    assert.ok(
      allowed.has(status),
      `${status} is not among ${[...allowed.keys()].join(', ')}: ${text.slice(0, 300)}`,
    );
    if (!isParserRejection(request, response)) checkHeaders(request, response);
    if (status === 304)
      assert.ok(
        request.headers.some(([name]) => name.toLowerCase() === 'if-none-match'),
        '304 without If-None-Match',
      );
    if (status === 405) assert.match(response.header('Allow'), /OPTIONS$/);
    if (request.method === 'HEAD' || status === 202 || status === 204 || status === 304)
      assert.equal(text, '');
    else if (response.header('Content-Type').startsWith('text/event-stream')) checkStream(text);
    else if (isRpcResponse(request, response)) checkMcpResponse(this.#tools, request, response, allowed);
    else if (status === 301 || status === 302) assert.match(response.header('Location'), /^http:\/\//);
    else if (status >= 400 && isFailurePage(request, response)) checkPage(response.text);
    else if (status >= 400) {
      assert.match(response.header('Content-Type'), /^application\/problem\+json/);
      assert.equal(response.header('Cache-Control'), 'no-store');
      checkProblem(response.json, response, allowed, textsSentIn(request));
    } else this.#checkBody(request, response);
  }

  #checkBody(request: HttpRequest, response: HttpResponse): void {
    const type = response.header('Content-Type');
    if (/^application\/([\w-]+\+)?json/.test(type)) this.#checkJson(request, response);
    else if (/^(?:application\/([\w-]+\+)?|image\/svg\+)xml/.test(type)) checkXml(response.text);
    else if (PLAIN_TEXT.test(request.target)) assert.match(type, /^text\/plain; charset=utf-8/);
    else if (type.startsWith('application/x-ndjson'))
      for (const line of response.text.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
    else if (PLAIN_FILES.test(type)) assert.ok(response.text.length > 0);
    else if (type.startsWith('text/markdown')) assert.match(response.text, /^(?:# |> )/);
    else {
      assert.match(type, /^text\/html; charset=utf-8/);
      checkPage(response.text);
    }
  }

  /** The response of a tool has exactly its fields, in their order. */
  #checkJson(request: HttpRequest, response: HttpResponse): void {
    const template = this.#contract.templateOf(request);
    const tool = this.#tools.find((one) => {
      const { method, path } = parseRoute(one);
      return path === template && method === request.method;
    });
    if (tool === undefined) assert.equal(typeof response.json, 'object');
    else assert.equal(JSON.stringify(tool.output.parse(response.json)), response.text);
  }
}

/** The documents in plain text. */
const PLAIN_TEXT = /^\/(?:llms|robots|\.well-known\/security|posts\/[^/?]+)\.txt/;

/** Types of files that hold no text of anybody. */
const PLAIN_FILES = /^(?:text\/css|image\/(?:png|x-icon|vnd\.microsoft\.icon))/;

/** Markup that no page and no rendered message has. */
const ACTIVE_MARKUP = /<script|<img|<meta http-equiv|<style>[^<]*<style/i;

function checkPage(html: string): void {
  assert.match(html, /^<!doctype html>[\s\S]+<\/html>\n$/);
  assert.doesNotMatch(html, ACTIVE_MARKUP);
}

function checkXml(xml: string): void {
  assertWellFormed(xml);
  assert.doesNotMatch(xml, ACTIVE_MARKUP);
}

/** A page is sent to a client that names its type, and never where programs call. */
function isFailurePage(request: HttpRequest, response: HttpResponse): boolean {
  if (!response.header('Content-Type').startsWith('text/html')) return false;
  const accept = request.headers.filter(([name]) => name.toLowerCase() === 'accept').join(',');
  assert.match(accept, /text\/html/i);
  assert.doesNotMatch(request.target, /^\/(?:api|\.well-known)\//);
  return true;
}

/** A stream begins with one complete message. */
function checkStream(text: string): void {
  const [, data] = /^(?:event: message\n)?data: (.+)\n\n/.exec(text) ?? [];
  assert.ok(data !== undefined, `no message at the beginning of ${JSON.stringify(text.slice(0, 300))}`);
  assert.equal((JSON.parse(data) as { jsonrpc: unknown }).jsonrpc, '2.0');
}

/**
 * Node's HTTP parser rejects some bytes before they become a request, and writes the response to the socket.
 */
function isParserRejection(request: HttpRequest, { status, headers }: HttpResponse): boolean {
  return (
    status === 431 ||
    (status === 400 && !hasUsualTarget(request) && headers['content-security-policy'] === undefined)
  );
}

function isRpcResponse(request: HttpRequest, { status, text }: HttpResponse): boolean {
  return status !== 431 && (isMcp(request) || (!hasUsualTarget(request) && text.startsWith('{"jsonrpc"')));
}

function checkHeaders(request: HttpRequest, { status, headers }: HttpResponse): void {
  for (const [name, pattern] of Object.entries(SECURITY_HEADERS))
    assert.match(String(headers[name.toLowerCase()]), pattern, name);
  assert.equal(headers['x-powered-by'], undefined);
  assert.equal(headers['set-cookie'], undefined);
  assert.equal(headers['access-control-allow-credentials'], undefined);
  const readers = headers['access-control-allow-origin'];
  // The watched process is on a loopback address, where only pages of this machine may read.
  if (hasUsualTarget(request) && !isMcp(request) && readers !== '*') {
    assert.match(String(headers.vary), /\bOrigin\b/);
    assert.match(readers ?? 'http://localhost', /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i);
  }
  if (status !== 200 || !['GET', 'HEAD'].includes(request.method) || request.target.includes('healthz'))
    return;
  // What a call that can wait returns is never stored.
  if (headers['cache-control'] === 'no-store') assert.equal(headers.etag, undefined);
  else assert.match(String(headers.etag), /^"[\w-]{27}"$/);
}
