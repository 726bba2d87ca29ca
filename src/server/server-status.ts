import { randomUUID } from 'node:crypto';
import type { PrivateStore, ServerState } from '#private/private-store.ts';
import type { Reader, Store } from '#store/port/store.ts';
import type { ReadGate } from '#tool/read-gate.ts';
import type { ServiceHealth } from '#workspace/limits/health.ts';
import type { Hold } from '#workspace/moderation/report-state.ts';
import type { ReportedItem } from '#workspace/moderation/reported-item.ts';
import { findVisible } from '#workspace/moderation/reports.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { dayAt } from '#workspace/text/time.ts';
import { LAST_TIMESTAMP } from '#store/port/records.ts';
import { VERSION } from '#settings/config.ts';

const INTERVAL_MS = 5000;
/** An older entry with the listen address of this server belongs to a killed server, and is removed. */
const REPLACED_MS = 60_000;
const MAX_REPORTED = 100;

interface ServerStatusOptions {
  readonly privateStore: PrivateStore;
  readonly store: Pick<Store, 'read' | 'sizeInBytes'>;
  readonly workspace: Pick<Workspace, 'reports' | 'refusals' | 'waiters' | 'totalWriteLimit'>;
  readonly gate: Pick<ReadGate, 'counts'>;
  readonly health: () => Promise<ServiceHealth>;
  readonly listening: string;
  readonly storeMaxBytes: number;
  /** Called at the first of several failures in a row. */
  readonly report: (message: string) => void;
}

/**
 * Writes the state of a server to the private store every five seconds, for `porchlight status`.
 * @returns a function that stops writing, and removes what was written
 */
export function writeServerStatus(options: ServerStatusOptions): () => Promise<void> {
  const { privateStore, listening, report } = options;
  const id = randomUUID();
  const startedAt = Date.now();
  const startedOn = performance.now();
  let hasFailed = false;
  let wasBehind = false;
  const write = async (): Promise<void> => {
    const now = Date.now();
    const clockMovedMs = Math.round(now - startedAt - (performance.now() - startedOn));
    try {
      const { clockBehind, ...state } = await collect(options, now);
      if (clockBehind && !wasBehind)
        report(
          'the newest record is ahead of the clock, so new records get its time; porchlight status says ' +
            'what to do',
        );
      wasBehind = clockBehind;
      await privateStore.putServer({ id, startedAt, clockMovedMs, ...state });
      for (const other of await privateStore.servers())
        if (other.listening === listening && other.at < Date.now() - REPLACED_MS)
          await privateStore.removeServer(other.id);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) report(`the numbers for porchlight status cannot be written: ${String(error)}`);
      hasFailed = true;
    }
  };
  let writing = write();
  const timer = setInterval(() => {
    writing = writing.then(write);
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await writing;
    await privateStore.removeServer(id).catch(() => undefined);
  };
}

async function collect({ privateStore, store, workspace, ...options }: ServerStatusOptions, now: number) {
  const midnight = `${dayAt(now)}T00:00:00.000000Z`;
  const [{ writable, reason, notifying, frozen, clockBehind }, { latest }, postsToday, state, denials] =
    await Promise.all([
      options.health(),
      store.read.news({}, { after: LAST_TIMESTAMP, limit: 1, maxCandidates: 1 }),
      store.read.countPosts({ after: midnight }, 10_000),
      workspace.reports.state(),
      privateStore.denials(),
    ]);
  return {
    at: now,
    version: VERSION,
    listening: options.listening,
    health: { writable, reason, notifying, frozen },
    newest: latest,
    postsToday,
    refused: workspace.refusals.counts,
    waits: workspace.waiters.size,
    readsWaiting: options.gate.counts.waiting,
    reports: await countReports(store.read, [...state.waiting()]),
    held: await countHeld(store.read, state.holds, now),
    valveClosed: workspace.totalWriteLimit.isClosed(),
    denials: denials.filter(({ until }) => until > now).length,
    lastExport: state.lastExport,
    sizeInBytes: store.sizeInBytes() ?? null,
    maxBytes: options.storeMaxBytes,
    clockBehind,
  };
}

async function countHeld(
  read: Pick<Reader, 'find'>,
  holds: ReadonlyMap<string, Hold>,
  now: number,
): Promise<number> {
  const ids = [...holds].filter(([, { until }]) => now < until).map(([id]) => id);
  const records = await Promise.all(ids.map((id) => findVisible(read, id)));
  return records.filter((record) => record === undefined).length;
}

async function countReports(
  read: Pick<Reader, 'find'>,
  waiting: readonly ReportedItem[],
): Promise<ServerState['reports']> {
  const illegal = waiting.filter(({ isIllegal }) => isIllegal);
  const items = [...illegal, ...waiting.filter(({ isIllegal }) => !isIllegal)];
  const looked = items.slice(0, MAX_REPORTED);
  const records = await Promise.all(looked.map(({ id }) => findVisible(read, id)));
  const open = items.filter((_, index) => index >= MAX_REPORTED || records[index] !== undefined);
  let [oldest] = open;
  for (const item of open) if (oldest !== undefined && item.compareFirst(oldest) < 0) oldest = item;
  return {
    open: open.length,
    illegal: open.filter(({ isIllegal }) => isIllegal).length,
    oldest: oldest?.first ?? null,
  };
}
