import { readFileSync } from 'node:fs';
import type { Tally } from '../scenario.ts';
import { megabytes, memoryProbe, type Memory } from '../../support/memory.ts';
import { startBystander } from './bystander.ts';
import type { Sandbox } from './sandbox.ts';
import type { Server, LaunchOptions } from './server.ts';

/** The cost that an attack of any size may have. */
export interface Bounds {
  /** Maximum resident set size, in bytes. */
  readonly peakRss: number;
  /** Maximum growth of objects and buffers after a garbage collection, in bytes. */
  readonly growth: number;
  /** Maximum growth of open descriptors once the clients have disconnected. */
  readonly descriptors: number;
}

/** Maximum latency of the bystander's reads during the attack, in seconds. */
const MAX_P99 = 0.25;
const BYSTANDER_INTERVAL_MS = 20;

export interface AttackedServer {
  readonly server: Server;
  readonly before: Memory;
  measure: () => Promise<Memory>;
}

interface Attack {
  readonly settings: Readonly<Record<string, string>>;
  readonly launchOptions?: LaunchOptions;
  readonly bounds: Bounds;
  /** Fills the store before the first measurement. */
  prepare: (server: Server) => Promise<void>;
  /** Settles once its clients have disconnected. @returns a summary for the remark */
  run: (target: AttackedServer) => Promise<string>;
}

/** @returns the maximum resident set size of a process so far */
function peakResidentBytes(pid: number): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Runs an attack on a new server, and checks memory, descriptors and the latency of a bystander. */
export async function attack(
  sandbox: Sandbox,
  tally: Tally,
  { settings, launchOptions, bounds, prepare, run }: Attack,
): Promise<string> {
  const probe = memoryProbe();
  const server = await sandbox.serve(
    {
      DATA_DIR: await sandbox.createFolder(),
      REQUESTS_PER_MINUTE: '0',
      FEED_POSTS_PER_HOUR: '0',
      ...settings,
      ...probe.settings,
    },
    launchOptions,
  );
  await prepare(server);
  const before = await probe.measure();
  const bystander = await startBystander(sandbox, server.url, {
    intervalMs: BYSTANDER_INTERVAL_MS,
    kinds: ['newest'],
  });
  const summary = await run({ server, before, measure: () => probe.measure() });
  const { requests, failed, p99, worst } = (await bystander()).newest;
  const after = await probe.measure();
  const peak = peakResidentBytes(server.pid);
  tally.expect(requests > 0 && failed === 0, `${failed} of ${requests} requests of the bystander failed`);
  tally.expect(p99 <= MAX_P99, `p99 of the bystander was ${p99} s`);
  tally.expect(peak <= bounds.peakRss, `${megabytes(peak)} resident at the peak`);
  tally.expect(
    after.used - before.used <= bounds.growth,
    `${megabytes(before.used)} grew to ${megabytes(after.used)} after a collection`,
  );
  tally.expect(
    after.descriptors - before.descriptors <= bounds.descriptors,
    `${before.descriptors} descriptors grew to ${after.descriptors}`,
  );
  tally.expect((await server.end('SIGTERM')) === 0, 'the server did not stop cleanly');
  tally.rounds += 1;
  return (
    `${summary}; ${megabytes(peak)} resident at the peak, ${megabytes(before.used)} before and ` +
    `${megabytes(after.used)} after a collection, ${before.descriptors} and ${after.descriptors} descriptors; ` +
    `bystander p99 ${p99} s, worst ${worst} s`
  );
}
