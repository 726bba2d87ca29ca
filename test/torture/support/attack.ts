import { readFileSync } from 'node:fs';
import type { Tally } from '../scenario.ts';
import { megabytes, memoryProbe, type Memory } from '../../support/memory.ts';
import { watchAsBystander } from './bystander.ts';
import type { Place } from './sandbox.ts';
import type { Server, Way } from './server.ts';

/** What an attack may cost, whatever its size. */
export interface Bounds {
  /** Bytes at the highest point, as the system counts them. */
  readonly peakRss: number;
  /** Bytes of objects and buffers after a collection, over what they were before. */
  readonly growth: number;
  /** Open descriptors once the clients are gone, over what they were before. */
  readonly descriptors: number;
}

/** Everybody else is served meanwhile; in seconds. */
const MOST_P99 = 0.25;
const BYSTANDER_EVERY_MS = 20;

export interface Attacked {
  readonly server: Server;
  readonly before: Memory;
  measure: () => Promise<Memory>;
}

interface Attack {
  readonly settings: Readonly<Record<string, string>>;
  readonly way?: Way;
  readonly bounds: Bounds;
  /** Fills the store, before anything is measured. */
  prepare: (server: Server) => Promise<void>;
  /** @returns what it did, for the remark; its clients are gone by then */
  run: (attacked: Attacked) => Promise<string>;
}

/** The highest resident size of a process so far. */
function peakOf(pid: number): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Runs an attack on a new server, and holds memory, descriptors and the latency of a bystander to their bounds. */
export async function attack(
  place: Place,
  tally: Tally,
  { settings, way, bounds, prepare, run }: Attack,
): Promise<string> {
  const probe = memoryProbe();
  const server = await place.serve(
    {
      DATA_DIR: await place.folder(),
      REQUESTS_PER_MINUTE: '0',
      FEED_POSTS_PER_HOUR: '0',
      ...settings,
      ...probe.settings,
    },
    way,
  );
  await prepare(server);
  const before = await probe.measure();
  const bystander = await watchAsBystander(place, server.url, BYSTANDER_EVERY_MS);
  const what = await run({ server, before, measure: () => probe.measure() });
  const { asked, unanswered, p99, worst } = await bystander();
  const after = await probe.measure();
  const peak = peakOf(server.pid);
  tally.expect(
    asked > 0 && unanswered === 0,
    `${unanswered} of ${asked} requests of a bystander were not answered`,
  );
  tally.expect(p99 <= MOST_P99, `p99 of a bystander was ${p99} s`);
  tally.expect(peak <= bounds.peakRss, `${megabytes(peak)} resident at the peak`);
  tally.expect(
    after.used - before.used <= bounds.growth,
    `${megabytes(before.used)} grew to ${megabytes(after.used)} after a collection`,
  );
  tally.expect(
    after.descriptors - before.descriptors <= bounds.descriptors,
    `${before.descriptors} descriptors grew to ${after.descriptors}`,
  );
  tally.expect((await server.end('SIGTERM')) === 0, 'it did not stop cleanly');
  tally.rounds += 1;
  return (
    `${what}; ${megabytes(peak)} resident at the peak, ${megabytes(before.used)} before and ` +
    `${megabytes(after.used)} after a collection, ${before.descriptors} and ${after.descriptors} descriptors; ` +
    `bystander p99 ${p99} s, worst ${worst} s`
  );
}
