import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import { startApp, type RunningApp } from '../support/http/app.ts';
import { BEHIND_PROXY, NO_LIMITS as NO_WRITE_LIMITS } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { openTestWorkspace, type TestWorkspace } from '../support/context.ts';
import { ResponseChecker } from './response-checker.ts';
import { Contract, isMcp } from './contract.ts';
import { createHiddenRecords } from './hidden-records.ts';
import { countRecords, checkCounts, publishedRecord } from './publication-checks.ts';
import { getRequest } from './http-request.ts';
import type { HttpRequest } from './http-request.ts';
import type { Tally } from './tally.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

const NO_LIMITS = { ...NO_WRITE_LIMITS, requestsPerMinute: 0 };

const MAX_MEMORY_BYTES = 1.5 * 2 ** 30;

export interface ServiceOptions {
  folder: string;
  deadlineMs: number;
  tally: Tally;
  /** Trusts X-Forwarded-For and accepts any Host on /mcp, so that hostile values get further. */
  trustsForwarded: boolean;
}

/** A service over a store of its own, whose responses are all checked. */
export class ServiceUnderTest {
  readonly tools: readonly AnyTool[];
  readonly contract: Contract;
  readonly url: string;
  readonly #context: TestWorkspace;
  readonly #app: RunningApp;
  readonly #client: HttpClient;
  readonly #checker: ResponseChecker;
  readonly #tally: Tally;
  #counts: Record<string, number>;

  private constructor(
    context: TestWorkspace,
    app: RunningApp,
    client: HttpClient,
    contract: Contract,
    tally: Tally,
    counts: Record<string, number>,
  ) {
    this.tools = context.tools;
    this.url = app.url;
    this.contract = contract;
    this.#context = context;
    this.#app = app;
    this.#client = client;
    this.#checker = new ResponseChecker(context.tools, contract);
    this.#tally = tally;
    this.#counts = counts;
  }

  static async open({
    folder,
    deadlineMs,
    tally,
    trustsForwarded,
  }: ServiceOptions): Promise<ServiceUnderTest> {
    const context = await openTestWorkspace({ folder, limits: NO_LIMITS });
    await createHiddenRecords(context);
    const app = await startApp(
      context,
      trustsForwarded
        ? {
            ...BEHIND_PROXY,
            accessPolicy: {
              allowedHosts: null,
              allowedOrigins: ['http://localhost'],
              isLocal: false,
            },
          }
        : {},
    );
    const client = createHttpClient(app.url, deadlineMs);
    const { json } = await client.send(getRequest('/openapi.json'));
    return new ServiceUnderTest(
      context,
      app,
      client,
      new Contract(json),
      tally,
      await countRecords(context.store),
    );
  }

  /** Sends a request and checks the response and the store. @throws AssertionError */
  async check(request: HttpRequest): Promise<void> {
    const response = await this.#client.send(request);
    this.#tally.add(this.#parseRoute(request), response.status);
    const [before, after] = [this.#counts, await countRecords(this.#context.store)];
    this.#counts = after;
    this.assertNoError(response);
    this.#checker.check(request, response);
    const published = publishedRecord(response);
    checkCounts(before, after, published);
  }

  assertNoError(response?: HttpResponse): void {
    const [error] = this.#app.faults;
    if (error === undefined && (response?.status ?? 0) < 500) return;
    this.#app.faults.length = 0;
    const { err = error } = (error ?? {}) as { err?: unknown };
    assert.fail(
      `logged as an internal error: ${err instanceof Error ? err.stack : String(err)}\n${response?.status} ${response?.text.slice(0, 300)}`,
    );
  }

  async close(): Promise<void> {
    const health = await this.#client.send(getRequest('/healthz'));
    this.#client.close();
    await this.#app.close();
    await this.#context.store.close();
    assert.equal(health.json.status, 'ok');
    this.assertNoError();
    assert.ok(process.memoryUsage.rss() < MAX_MEMORY_BYTES, `${process.memoryUsage.rss()} bytes resident`);
  }

  #parseRoute(request: HttpRequest): string {
    const { method } = request;
    return `${method} ${isMcp(request) ? '/mcp' : (this.contract.templateOf(request) ?? '(elsewhere)')}`;
  }
}
