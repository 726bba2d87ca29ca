import { setTimeout as sleep } from 'node:timers/promises';
import { tinyDisk } from './support/disks.ts';
import { Database } from './support/database.ts';
import { runOperator } from './support/operator.ts';
import { overRest } from './support/publish.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import type { Server } from './support/server.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const MAX_SECONDS = 10;
const THREE_DAYS = 3 * 24 * 60;
const TWO_DAYS = 2 * 24 * 60;

type Settings = Readonly<Record<string, string>>;

/** Seeds faults in one place, and measures how long `porchlight status` takes to name them. */
class Faults {
  readonly #options: ScenarioOptions;
  readonly #settings: Settings;
  slowest = 0;

  constructor(options: ScenarioOptions, settings: Settings) {
    this.#options = options;
    this.#settings = settings;
  }

  /** Waits until status names the fault. @param code undefined: until nothing needs a person */
  async expect(code: string | undefined, name: string): Promise<void> {
    const { tally } = this.#options;
    const from = performance.now();
    for (;;) {
      const outcome = await runOperator(this.#options.sandbox, ['status', '--json'], this.#settings);
      const seconds = (performance.now() - from) / 1000;
      const isNamed = code === undefined ? outcome.code === 0 : outcome.output.includes(`"code":"${code}"`);
      if (isNamed) {
        tally.expect(code === undefined || outcome.code === 1, `${name}: exit code ${outcome.code}`);
        if (code !== undefined) this.slowest = Math.max(this.slowest, seconds);
        if (code !== undefined) tally.rounds += 1;
        return;
      }
      tally.expect(seconds < 2 * MAX_SECONDS, `${name} is not shown: ${outcome.output.slice(0, 300)}`);
      if (seconds > 2 * MAX_SECONDS) return;
      await sleep(200);
    }
  }
}

async function onFolder(options: ScenarioOptions): Promise<Faults> {
  const { sandbox } = options;
  const disk = await tinyDisk(sandbox);
  const clock = await ShiftedClock.create(sandbox, 0);
  const settings = { DATA_DIR: disk.folder, ...clock.settings };
  const faults = new Faults(options, settings);
  const operate = (...args: string[]) => runOperator(sandbox, args, settings);
  let server: Server = await sandbox.serve(settings);
  await faults.expect(undefined, 'a new place');

  const { post } = await overRest(server.url)('a message');
  const report = { id: post?.id, reason: 'illegal' };
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${server.url}/api/reports`, { method: 'POST', headers, body: JSON.stringify(report) });
  await faults.expect('reports', 'a report');
  await operate('keep', String(post?.id), '--reason', 'harmless');
  await faults.expect(undefined, 'a judged report');

  await operate('freeze');
  await faults.expect('frozen', 'a freeze');
  await operate('thaw');

  disk.fill(server.pid);
  await faults.expect('disk_full', 'a full disk');
  disk.free(server.pid);
  await faults.expect(undefined, 'a disk with room');

  const past = await ShiftedClock.create(sandbox, -TWO_DAYS);
  await runOperator(sandbox, ['export', '-'], { ...settings, ...past.settings });
  await faults.expect('stale_export', 'an export of two days ago');
  await operate('export', '-');
  await faults.expect(undefined, 'a new export');

  clock.set(-THREE_DAYS);
  await faults.expect('clock', 'a clock three days behind');
  clock.set(0);
  await server.end('SIGKILL');
  await faults.expect('server_gone', 'a killed server');

  const { port } = new URL(server.url);
  server = await sandbox.serve({ ...settings, PORT: port, STORE_MAX_BYTES: '1' });
  await faults.expect('store_full', 'a full store');
  await server.end('SIGTERM');
  await sandbox.serve({ ...settings, PORT: port });
  await faults.expect(undefined, 'a restarted server');
  return faults;
}

async function onDatabase(options: ScenarioOptions): Promise<Faults> {
  const { sandbox, tally } = options;
  const database = await Database.create(sandbox);
  const [shared, other] = [await sandbox.createFolder(), await sandbox.createFolder()];
  const settings = { DATABASE_URL: database.url };
  const faults = new Faults(options, settings);
  const server = await sandbox.serve({ ...settings, VISITOR_SECRET_DIR: shared });
  await faults.expect(undefined, 'a new place');
  const stranger = await sandbox.serve({ ...settings, VISITOR_SECRET_DIR: other });
  await faults.expect('not_writable', 'a second secret');
  await stranger.end('SIGTERM');
  await faults.expect(undefined, 'one secret');
  await server.end('SIGTERM');
  await faults.expect('not_running', 'no server');
  await database.crash('SIGKILL');
  const { code, output } = await runOperator(sandbox, ['status'], settings);
  tally.expect(code === 1 && !/^ {4}at /m.test(output), `a database that is gone: ${code}, ${output}`);
  tally.rounds += 1;
  return faults;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const places = [await onFolder(options), await onDatabase(options)];
  const slowest = Math.max(...places.map((place) => place.slowest));
  options.tally.expect(slowest <= MAX_SECONDS, `a fault was named after ${slowest.toFixed(1)} s`);
  return options.tally.outcome(`slowest ${slowest.toFixed(1)} s, with the start of the command`);
}

export const statusFaults: Scenario = {
  name: 'status-faults',
  description: 'porchlight status names each seeded fault within 10 s, and nothing once it is mended',
  requirements: ['signals', 'root'],
  rounds: 1,
  maxSecondsPerRound: 60,
  run,
};
