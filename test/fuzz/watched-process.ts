import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import { NO_LIMITS } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { memoryProbe, type Memory, type MemoryProbe } from '../support/memory.ts';
import { startProduct, type Product } from '../support/product.ts';
import { openTestWorkspace } from '../support/context.ts';
import { Judge } from './response-checker.ts';
import { Contract, isMcp } from './contract.ts';
import { JSON_BODY, OWN_HOST } from './headers.ts';
import { hideSome } from './hidden-records.ts';
import { LISTINGS, reading } from './plain-requests.ts';
import type { Sending } from './requests.ts';
import { showSending } from './format-request.ts';
import type { Tally } from './tally.ts';
import { openWire, type Wire } from './http-client.ts';

/** Writes stop at their limits, so that the store of a long run does not grow. */
const SETTINGS = {
  TRUSTED_PROXIES: '127.0.0.1',
  REQUESTS_PER_MINUTE: '0',
};

const LEVEL_ERROR = 50;

interface Options {
  readonly folder: string;
  readonly deadlineMs: number;
  /** How many connections. */
  readonly together: number;
  readonly tally: Tally;
}

const STARTING_MS = 60_000;

/** The product as an operator starts it, over the records of the example, with what it takes to watch it. */
export class WatchedProcess {
  readonly tools: readonly AnyTool[];
  readonly contract: Contract;
  readonly #product: Product;
  readonly #probe: MemoryProbe;
  readonly #options: Options;
  readonly #judge: Judge;
  #wires: readonly Wire[] = [];
  #measured = 0;

  private constructor(
    product: Product,
    probe: MemoryProbe,
    options: Options,
    tools: readonly AnyTool[],
    contract: Contract,
  ) {
    this.#product = product;
    this.#probe = probe;
    this.#options = options;
    this.tools = tools;
    this.contract = contract;
    this.#judge = new Judge(tools, contract);
    this.#connect();
  }

  static async start(options: Options): Promise<WatchedProcess> {
    const { folder } = options;
    const world = await openTestWorkspace({ folder, limits: NO_LIMITS });
    await hideSome(world);
    await world.store.close();
    const probe = memoryProbe();
    const product = await startProduct({ DATA_DIR: folder, ...SETTINGS, ...probe.settings });
    const wire = openWire(product.url, STARTING_MS);
    const { json } = await wire.send(reading('/openapi.json'));
    // The first call of each revision loads its SDK.
    for (const listing of LISTINGS) assert.equal((await wire.send(listing)).status, 200);
    wire.close();
    return new WatchedProcess(product, probe, options, world.tools, new Contract(json));
  }

  get isAlive(): boolean {
    const { exitCode, signalCode } = this.#product.child;
    return exitCode === null && signalCode === null;
  }

  assertAlive(): void {
    assert.ok(this.isAlive, `the process ended: ${this.#product.log().slice(-3000)}`);
  }

  /** Sends all at once, each over its own connection, and judges the responses. @throws AssertionError */
  async examine(batch: readonly Sending[]): Promise<void> {
    await Promise.all(batch.map((sending, index) => this.#examineOne(this.#wires[index]!, sending)));
  }

  async #examineOne(wire: Wire, sending: Sending): Promise<void> {
    try {
      const told = await wire.send(sending);
      this.#options.tally.add(`${sending.method} ${isMcp(sending) ? '/mcp' : '(rest)'} watched`, told.status);
      if (!isOverLimit(told)) this.#judge.judge(sending, told);
    } catch (error) {
      this.assertAlive();
      throw new Error(`${(error as Error).message}\n  in answer to ${showSending(sending)}`, {
        cause: error,
      });
    }
  }

  /** After a write, which lets every cached response of before go, and without connections of ours. */
  async measure(): Promise<Memory> {
    await this.#write();
    for (const wire of this.#wires) wire.close();
    const memory = await this.#probe.measure();
    this.#connect();
    return memory;
  }

  async end(): Promise<void> {
    for (const wire of this.#wires) wire.close();
    assert.equal(await this.#product.end('SIGTERM'), 0);
    for (const line of this.#product.log().split('\n').filter(Boolean)) {
      assert.ok((JSON.parse(line) as { level: number }).level < LEVEL_ERROR, line);
    }
  }

  kill(): void {
    for (const wire of this.#wires) wire.close();
    this.#product.child.kill('SIGKILL');
  }

  #connect(): void {
    const { together, deadlineMs } = this.#options;
    this.#wires = Array.from({ length: together }, () => openWire(this.#product.url, deadlineMs));
  }

  /** From an address that no hostile request names. */
  async #write(): Promise<void> {
    const [wire] = this.#wires;
    const message = `Measured ${++this.#measured} times.`;
    const { status } = await wire!.send({
      method: 'POST',
      target: '/api/feed',
      headers: [OWN_HOST, JSON_BODY, ['X-Forwarded-For', '192.0.2.77']],
      body: Buffer.from(JSON.stringify({ message })),
    });
    assert.equal(status, 201);
    await wire!.send(reading('/api/feed'));
  }
}

const isOverLimit = ({ status, text }: HttpResponse): boolean =>
  status === 429 || (status === 200 && text.includes('\\"code\\":\\"rate_limited\\"'));
