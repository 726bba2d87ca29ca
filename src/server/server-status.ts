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
/** An entry at the address of this server that is older belongs to a killed server, and is removed. */
const REPLACED_MS = 60_000;
const MAX_REPORTED = 100;

interface ServerStatusOptions {
  readonly privateStore: PrivateStore;
  readonly store: Pick<Store, 'read' | 'sizeInBytes'>;
  readonly workspace: Pick<Workspace, 'reports' | 'refusals' | 'waiters' | 'valve'>;
  readonly gate: Pick<ReadGate, 'counts'>;
  readonly health: () => Promise<ServiceHealth>;
  readonly listening: string;
  readonly storeMaxBytes: number;
  /** Called at the first of several failures in a row. */
  readonly report: (message: string) => void;
}

/** Writes the state of a server to the private store every five seconds, for `porchlight status`. */
export class ServerStatus {
  readonly #options: ServerStatusOptions;
  readonly #id = randomUUID();
  readonly #startedAt = Date.now();
  readonly #startedOn = performance.now();
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void>;
  #hasFailed = false;
  #wasBehind = false;

  constructor(options: ServerStatusOptions) {
    this.#options = options;
    this.#writing = this.#write();
    this.#timer = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#write());
    }, INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#options.privateStore.removeServer(this.#id).catch(() => undefined);
  }

  async #write(): Promise<void> {
    const { privateStore, report } = this.#options;
    try {
      await privateStore.putServer(await this.#collect());
      for (const { id, at, listening } of await privateStore.servers())
        if (listening === this.#options.listening && at < Date.now() - REPLACED_MS)
          await privateStore.removeServer(id);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) report(`the numbers for porchlight status cannot be written: ${String(error)}`);
      this.#hasFailed = true;
    }
  }

  async #collect(): Promise<ServerState> {
    const { store, workspace, gate, health, listening, storeMaxBytes } = this.#options;
    const now = Date.now();
    const midnight = `${dayAt(now)}T00:00:00.000000Z`;
    const [{ writable, reason, notifying, frozen, clockBehind }, { latest }, postsToday, state, denials] =
      await Promise.all([
        health(),
        store.read.news({}, { after: LAST_TIMESTAMP, limit: 1, maxCandidates: 1 }),
        store.read.countPosts({ after: midnight }, 10_000),
        workspace.reports.state(),
        this.#options.privateStore.denials(),
      ]);
    if (clockBehind && !this.#wasBehind)
      this.#options.report(
        'the newest record is ahead of the clock, so new records get its time: porchlight status says ' +
          'what to do',
      );
    this.#wasBehind = clockBehind;
    return {
      id: this.#id,
      at: now,
      startedAt: this.#startedAt,
      version: VERSION,
      listening,
      health: { writable, reason, notifying, frozen },
      clockMovedMs: Math.round(now - this.#startedAt - (performance.now() - this.#startedOn)),
      newest: latest,
      postsToday,
      refused: workspace.refusals.counts,
      waits: workspace.waiters.size,
      readsWaiting: gate.counts.waiting,
      reports: await countReports(store.read, [...state.waiting()]),
      held: await this.#countHeld(state.holds, now),
      valveClosed: workspace.valve.isClosed(),
      denials: denials.filter(({ until }) => until > now).length,
      lastExport: state.lastExport,
      sizeInBytes: store.sizeInBytes() ?? null,
      maxBytes: storeMaxBytes,
    };
  }

  async #countHeld(holds: ReadonlyMap<string, Hold>, now: number): Promise<number> {
    const { read } = this.#options.store;
    const ids = [...holds].filter(([, { until }]) => now < until).map(([id]) => id);
    const records = await Promise.all(ids.map((id) => findVisible(read, id)));
    return records.filter((record) => record === undefined).length;
  }
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
