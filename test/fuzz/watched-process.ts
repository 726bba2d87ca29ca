import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import { NO_LIMITS } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { memoryProbe, type Memory, type MemoryProbe } from '../support/memory.ts';
import { startProduct, type Product } from '../support/product.ts';
import { openTestWorkspace } from '../support/context.ts';
import { ResponseChecker } from './response-checker.ts';
import { Contract, isMcp } from './contract.ts';
import { createHiddenRecords } from './hidden-records.ts';
import { formatRequest, getRequest, toWriteRequest, type HttpRequest } from './http-request.ts';
import { CLIENT_META, toMcpRequest } from './mcp-requests.ts';
import type { Tally } from './tally.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

/** Default write limits, so that the store of a long run does not grow. */
const SETTINGS = {
  TRUSTED_PROXIES: '127.0.0.1',
  REQUESTS_PER_MINUTE: '0',
};

const LEVEL_ERROR = 50;

interface WatchOptions {
  readonly folder: string;
  readonly deadlineMs: number;
  readonly connections: number;
  readonly tally: Tally;
}

const START_TIMEOUT_MS = 60_000;

/** The product in a child process, over the records of data/example.json, with a memory probe. */
export class WatchedProcess {
  readonly tools: readonly AnyTool[];
  readonly contract: Contract;
  readonly #product: Product;
  readonly #probe: MemoryProbe;
  readonly #options: WatchOptions;
  readonly #checker: ResponseChecker;
  #clients: readonly HttpClient[] = [];
  #measurements = 0;

  private constructor(
    product: Product,
    probe: MemoryProbe,
    options: WatchOptions,
    tools: readonly AnyTool[],
    contract: Contract,
  ) {
    this.#product = product;
    this.#probe = probe;
    this.#options = options;
    this.tools = tools;
    this.contract = contract;
    this.#checker = new ResponseChecker(tools, contract);
    this.#connect();
  }

  static async start(options: WatchOptions): Promise<WatchedProcess> {
    const { folder } = options;
    const context = await openTestWorkspace({ folder, limits: NO_LIMITS });
    await createHiddenRecords(context);
    await context.store.close();
    const probe = memoryProbe();
    const product = await startProduct({ DATA_DIR: folder, ...SETTINGS, ...probe.settings });
    const client = createHttpClient(product.url, START_TIMEOUT_MS);
    const { json } = await client.send(getRequest('/openapi.json'));
    // The first call of each revision loads its SDK.
    for (const meta of [undefined, CLIENT_META])
      assert.equal((await client.send(toMcpRequest('tools/list', {}, 1, meta))).status, 200);
    client.close();
    return new WatchedProcess(product, probe, options, context.tools, new Contract(json));
  }

  get isAlive(): boolean {
    const { exitCode, signalCode } = this.#product.child;
    return exitCode === null && signalCode === null;
  }

  assertAlive(): void {
    assert.ok(this.isAlive, `the process exited: ${this.#product.log().slice(-3000)}`);
  }

  /**
   * Sends concurrent requests, each over its own connection, and checks the responses.
   * @throws AssertionError
   */
  async checkBatch(batch: readonly HttpRequest[]): Promise<void> {
    await Promise.all(batch.map((request, index) => this.#checkRequest(this.#clients[index]!, request)));
  }

  async #checkRequest(client: HttpClient, request: HttpRequest): Promise<void> {
    try {
      const response = await client.send(request);
      this.#options.tally.add(
        `${request.method} ${isMcp(request) ? '/mcp' : '(rest)'} watched`,
        response.status,
      );
      if (!isRateLimited(response)) this.#checker.check(request, response);
    } catch (error) {
      this.assertAlive();
      throw new Error(`${(error as Error).message}\n  in response to ${formatRequest(request)}`, {
        cause: error,
      });
    }
  }

  /** Measures after a write, which invalidates the cache, and without open connections. */
  async measure(): Promise<Memory> {
    await this.#write();
    for (const client of this.#clients) client.close();
    const memory = await this.#probe.measure();
    this.#connect();
    return memory;
  }

  async end(): Promise<void> {
    for (const client of this.#clients) client.close();
    assert.equal(await this.#product.end('SIGTERM'), 0);
    for (const line of this.#product.log().split('\n').filter(Boolean)) {
      assert.ok((JSON.parse(line) as { level: number }).level < LEVEL_ERROR, line);
    }
  }

  kill(): void {
    for (const client of this.#clients) client.close();
    this.#product.child.kill('SIGKILL');
  }

  #connect(): void {
    const { connections, deadlineMs } = this.#options;
    this.#clients = Array.from({ length: connections }, () =>
      createHttpClient(this.#product.url, deadlineMs),
    );
  }

  /** Posts from an address that no generated request uses. */
  async #write(): Promise<void> {
    const [client] = this.#clients;
    const message = `Measured ${++this.#measurements} times.`;
    const request = toWriteRequest('/api/feed', { message });
    const { status } = await client!.send({
      ...request,
      headers: [...request.headers, ['X-Forwarded-For', '192.0.2.77']],
    });
    assert.equal(status, 201);
    await client!.send(getRequest('/api/feed'));
  }
}

const isRateLimited = ({ status, text }: HttpResponse): boolean =>
  status === 429 || (status === 200 && text.includes('\\"code\\":\\"rate_limited\\"'));
