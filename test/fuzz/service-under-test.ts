import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import { startApp, type OpenHouse } from '../support/http/app.ts';
import { FREE, PROXIED } from '../support/http/setting.ts';
import type { Told } from '../support/http/wire.ts';
import { openTestWorkspace, type TestWorld } from '../support/context.ts';
import { Judge } from './response-checker.ts';
import { Contract, isMcp } from './contract.ts';
import { OWN_HOST } from './headers.ts';
import { hideSome } from './hidden-records.ts';
import { countsOf, judgeCounts, judgePublished, publishedIn } from './publication-checks.ts';
import type { Sending } from './requests.ts';
import type { Tally } from './tally.ts';
import { openWire, type Wire } from './http-client.ts';

const NO_LIMITS = { ...NO_WRITE_LIMITS, requestsPerMinute: 0 };

const MOST_MEMORY = 1.5 * 2 ** 30;

export interface SubjectOptions {
  folder: string;
  deadlineMs: number;
  tally: Tally;
  /** Believes X-Forwarded-For, and lets every Host in on /mcp: what hostile ones reach then. */
  trusting: boolean;
}

/** What is under test: an HTTP app on a workspace of its own, and a check of all its responses. */
export class Subject {
  readonly tools: readonly AnyTool[];
  readonly contract: Contract;
  readonly url: string;
  readonly #world: TestWorkspace;
  readonly #app: RunningApp;
  readonly #wire: Wire;
  readonly #judge: Judge;
  readonly #tally: Tally;
  #counts: Record<string, number>;

  private constructor(
    world: TestWorkspace,
    app: RunningApp,
    wire: Wire,
    contract: Contract,
    tally: Tally,
    counts: Record<string, number>,
  ) {
    this.tools = world.tools;
    this.url = app.url;
    this.contract = contract;
    this.#world = world;
    this.#app = app;
    this.#wire = wire;
    this.#judge = new Judge(world.tools, contract);
    this.#tally = tally;
    this.#counts = counts;
  }

  static async open({ folder, deadlineMs, tally, trusting }: SubjectOptions): Promise<Subject> {
    const world = await openTestWorkspace({ folder, limits: NO_LIMITS });
    await hideSome(world);
    const app = await startApp(
      world,
      trusting
        ? {
            ...BEHIND_PROXY,
            accessPolicy: {
              allowedHosts: null,
              allowedOrigins: ['http://localhost'],
              guardsEveryPath: false,
            },
          }
        : {},
    );
    const wire = openWire(app.url, deadlineMs);
    const { json } = await wire.send({
      method: 'GET',
      target: '/openapi.json',
      headers: [OWN_HOST],
      body: undefined,
    });
    return new Subject(world, app, wire, new Contract(json), tally, await countsOf(world.store));
  }

  /** Sends a request and holds the answer against all that must hold. @throws AssertionError */
  async examine(sending: Sending): Promise<void> {
    const told = await this.#wire.send(sending);
    this.#tally.add(this.#routeOf(sending), told.status);
    const [before, after] = [this.#counts, await countsOf(this.#world.store)];
    this.#counts = after;
    this.assertNoFault(told);
    this.#judge.judge(sending, told);
    const published = publishedIn(told);
    judgeCounts(before, after, published);
    if (published !== undefined) await judgePublished(this.#wire, this.#world.store, sending, published);
  }

  assertNoFault(told?: HttpResponse): void {
    const [fault] = this.#app.faults;
    if (fault === undefined && (told?.status ?? 0) < 500) return;
    this.#app.faults.length = 0;
    const { err = fault } = (fault ?? {}) as { err?: unknown };
    assert.fail(
      `logged as our fault: ${err instanceof Error ? err.stack : String(err)}\n${told?.status} ${told?.text.slice(0, 300)}`,
    );
  }

  /** Takes the counts anew, after requests that were cut off. */
  async settle(): Promise<void> {
    await this.#world.store.write(async () => undefined);
    this.#counts = await countsOf(this.#world.store);
  }

  async close(): Promise<void> {
    const health = await this.#wire.send({
      method: 'GET',
      target: '/healthz',
      headers: [OWN_HOST],
      body: undefined,
    });
    this.#wire.close();
    await this.#app.close();
    await this.#world.store.close();
    assert.equal(health.json.status, 'ok');
    this.assertNoFault();
    assert.ok(process.memoryUsage.rss() < MOST_MEMORY, `it came to ${process.memoryUsage.rss()} bytes`);
  }

  #routeOf(sending: Sending): string {
    const { method } = sending;
    return `${method} ${isMcp(sending) ? '/mcp' : (this.contract.templateOf(sending) ?? '(elsewhere)')}`;
  }
}
