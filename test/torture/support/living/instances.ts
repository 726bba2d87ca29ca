import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../random.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Server } from '../server.ts';
import { secondsSince } from '../time.ts';
import type { Ledger } from './ledger.ts';

type Settings = Readonly<Record<string, string>>;

const WAYS = ['SIGSTOP', 'SIGKILL', 'SIGTERM'] as const;
/** Each server gets each way before one comes again. */
const TURNS = WAYS.flatMap((way) => [0, 1].map((victim) => ({ way, victim })));
const MAX_DOWNTIME_MS = 3000;
const LONGEST_SHOWN = 5;

interface Sample {
  readonly megabytes: number;
  readonly descriptors: number;
}

/** One of the two servers, over all its restarts. */
export class Instance {
  #server: Server;
  #isDown = false;
  /** When it was last stopped, continued, killed or started. On the scale of performance.now(). */
  disturbedAt = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  get url(): string {
    return this.#server.url;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** @returns undefined while it is down */
  sample(): Sample | undefined {
    if (this.#isDown) return undefined;
    try {
      const { pid } = this.#server;
      const [, resident = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return {
        megabytes: Math.round(Number(resident) / 1024),
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
      };
    } catch {
      return undefined;
    }
  }

  async pause(milliseconds: number): Promise<void> {
    this.disturbedAt = performance.now();
    this.#server.signal('SIGSTOP');
    await sleep(milliseconds);
    this.#server.signal('SIGCONT');
    this.disturbedAt = performance.now();
  }

  async end(signal: 'SIGTERM' | 'SIGKILL', ledger: Ledger): Promise<void> {
    this.disturbedAt = performance.now();
    this.#isDown = signal === 'SIGKILL';
    const exit = await this.#server.end(signal);
    this.#isDown = true;
    if (signal === 'SIGTERM' && exit !== 0) ledger.violation('a server did not stop cleanly', String(exit));
    const { log } = this.#server;
    if (log.includes('"level":60')) ledger.violation('a server logged a fatal error', log.slice(-2000));
    if (/tok\d+e/.test(log)) ledger.violation('a log has a text');
  }

  async restart(start: () => Promise<Server>): Promise<void> {
    this.#server = await start();
    this.disturbedAt = performance.now();
    this.#isDown = false;
  }
}

interface TimedCall {
  readonly name: string;
  readonly seconds: number;
}

/** The longest calls, and how many there were. */
export class Timings {
  count = 0;
  readonly #longest = { undisturbed: [] as TimedCall[], disturbed: [] as TimedCall[] };

  add(name: string, seconds: number, isDisturbed: boolean): void {
    this.count += 1;
    const list = this.#longest[isDisturbed ? 'disturbed' : 'undisturbed'];
    list.push({ name, seconds });
    list.sort((a, b) => b.seconds - a.seconds).splice(LONGEST_SHOWN);
  }

  longest(of: 'undisturbed' | 'disturbed'): string[] {
    return this.#longest[of].map(({ name, seconds }) => `${seconds.toFixed(2)} s ${name}`);
  }
}

export interface Pace {
  readonly intervalMs: number;
  readonly pauseMs: number;
}

/** Two servers on one store, of which one at a time is stopped or killed, and started again. */
export class Instances {
  readonly all: readonly Instance[];
  readonly #start: () => Promise<Server>;
  /** Of each minute. */
  readonly #samples: Sample[] = [];
  disturbances = 0;
  slowestStart = 0;

  private constructor(all: readonly Instance[], start: () => Promise<Server>) {
    this.all = all;
    this.#start = start;
  }

  static async start(sandbox: Sandbox, settings: Settings): Promise<Instances> {
    const start = (): Promise<Server> => sandbox.serve(settings);
    const servers = await Promise.all([start(), start()]);
    return new Instances(
      servers.map((server) => new Instance(server)),
      start,
    );
  }

  /** @returns the wanted one, or the other one while it is down */
  choose(wanted: number): Instance {
    const [instance, other] = [this.all[wanted]!, this.all[1 - wanted]!];
    return instance.isDown ? other : instance;
  }

  async disturb(random: SeededRandom, ledger: Ledger, pace: Pace, isEnding: AbortSignal): Promise<void> {
    for (let turns: typeof TURNS = []; ; ) {
      await sleep(pace.intervalMs, undefined, { signal: isEnding }).catch(() => undefined);
      if (isEnding.aborted) return;
      if (turns.length === 0) turns = [...TURNS];
      const { way, victim } = turns.splice(random.below(turns.length), 1)[0]!;
      const instance = this.all[victim]!;
      this.disturbances += 1;
      if (way === 'SIGSTOP') {
        await instance.pause(pace.pauseMs);
        continue;
      }
      await instance.end(way, ledger);
      await sleep(random.below(MAX_DOWNTIME_MS));
      const from = performance.now();
      await instance.restart(this.#start);
      this.slowestStart = Math.max(this.slowestStart, secondsSince(from));
    }
  }

  get descriptors(): number {
    return Math.max(...this.all.map((instance) => instance.sample()?.descriptors ?? 0));
  }

  /** Keeps the larger numbers of the two. @returns them */
  sample(): Sample {
    const samples = this.all.flatMap((instance) => instance.sample() ?? []);
    const sample = {
      megabytes: Math.max(0, ...samples.map(({ megabytes }) => megabytes)),
      descriptors: Math.max(0, ...samples.map(({ descriptors }) => descriptors)),
    };
    this.#samples.push(sample);
    return sample;
  }

  /** @returns the medians of the first and of the last third of the samples */
  trend(): readonly [Sample, Sample] {
    const third = Math.ceil(this.#samples.length / 3);
    const median = (samples: readonly Sample[]): Sample => {
      const of = (key: keyof Sample): number =>
        samples.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;
      return { megabytes: of('megabytes'), descriptors: of('descriptors') };
    };
    return [median(this.#samples.slice(0, third)), median(this.#samples.slice(-third))];
  }
}
