import { widenNetwork } from '#private/network.ts';
import type { Entry, Position, PrivateStore } from '#private/private-store.ts';
import type { Kind, Reader } from '#store/port/store.ts';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import type { ReportRequest } from './schemas/report.ts';
import { dayAfter, dayAt, HOUR_MS } from './text/time.ts';
import { ReportState } from './report-state.ts';

const KINDS: readonly string[] = ['post', 'guest', 'project', 'note'] satisfies Kind[];

interface ReportsOptions {
  readonly privateStore: PrivateStore;
  readonly read: Pick<Reader, 'find'>;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** The journal of the private store, and what it comes to. */
export class Reports {
  readonly #options: ReportsOptions;
  #state = new ReportState();
  #position: Position | undefined;
  /** The UTC day on which `#state` was read from the beginning. */
  #day = '';
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<(entry: Entry) => void>();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** @returns the state with every durable entry of the time of the call. @throws StoreFailure */
  async state(): Promise<ReportState> {
    // Two passes: one in progress may have looked before the entry that the caller must see.
    if (this.#reading !== undefined) await this.#reading;
    this.#reading ??= this.#catchUp().finally(() => (this.#reading = undefined));
    await this.#reading;
    return this.#state;
  }

  async append(entry: Entry): Promise<void> {
    await this.#options.privateStore.append(entry);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Calls back after each entry that this process has appended. */
  onAppend(listener: (entry: Entry) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Reports a visible record to the operator. A repetition by the same network stores nothing.
   * @throws WorkspaceError not_found, rate_limited
   * @throws StoreFailure
   */
  async report({ id, reason }: ReportRequest, caller: Caller, limit: ReportLimit): Promise<ReportRequest> {
    limit.count(caller);
    await this.require(id);
    const { privateStore, now } = this.#options;
    const tag = await privateStore.reportTag(id, widenNetwork(caller.clientKey));
    const day = dayAt(now());
    const state = await this.state();
    if (state.hasReport(day, tag, reason)) return { id, reason };
    if (state.isFull(day, reason)) throw tooManyReportsError(now());
    await this.append({ type: 'report', day, id, reason, tag });
    return { id, reason };
  }

  /** @throws WorkspaceError not_found, unless the record is visible */
  async require(id: string): Promise<void> {
    if ((await findVisible(this.#options.read, id)) === undefined) throw reportedNotFoundError();
  }

  async #catchUp(): Promise<void> {
    const { privateStore, now } = this.#options;
    const day = dayAt(now());
    // Entries expire by day.
    const isNewDay = day !== this.#day;
    const { entries, position } = await privateStore.read(isNewDay ? undefined : this.#position);
    if (isNewDay) this.#state = new ReportState();
    this.#day = day;
    this.#position = position;
    for (const entry of entries) this.#state.apply(entry);
  }
}

/** @returns the record with an id of any kind, unless it or the project of a note is not visible */
export async function findVisible(read: Pick<Reader, 'find'>, id: string) {
  const kind = id.slice(0, Math.max(0, id.indexOf('_')));
  if (!KINDS.includes(kind)) return undefined;
  const { record } = (await read.find(kind as Kind, id)) ?? {};
  if (record === undefined || !('projectId' in record)) return record;
  return (await read.find('project', record.projectId)) === undefined ? undefined : record;
}

function reportedNotFoundError(): WorkspaceError {
  return new WorkspaceError(
    'not_found',
    'There is no visible record with this id; copy the id of the post, note or project unchanged.',
  );
}

function tooManyReportsError(now: number): WorkspaceError {
  const midnight = Date.parse(dayAfter(dayAt(now)) ?? '');
  return new WorkspaceError(
    'rate_limited',
    'So many reports of this kind have come today that no more are stored; write to the operator.',
    { limit: 'reportsPerDay', retryAfterSeconds: Math.max(1, Math.ceil((midnight - now) / 1000)) },
  );
}

/** Limits the reports of one network an hour, counted in this process: a report is no public record. */
export class ReportLimit {
  readonly #max: () => number;
  readonly #now: () => number;
  #hour = 0;
  readonly #counts = new Map<string, number>();

  /** @param max 0: no limit */
  constructor(max: () => number, now: () => number) {
    this.#max = max;
    this.#now = now;
  }

  /** Counts a report, whether or not it is a repetition. @throws WorkspaceError rate_limited */
  count({ clientKey }: Caller): void {
    const now = this.#now();
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) this.#counts.clear();
    this.#hour = hour;
    const count = (this.#counts.get(clientKey) ?? 0) + 1;
    const max = this.#max();
    if (max > 0 && count > max)
      throw new WorkspaceError(
        'rate_limited',
        `Everybody at your network address shares ${max} reports an hour, and all are used. If it is ` +
          'urgent, write to the operator.',
        {
          limit: 'reportsPerNetworkPerHour',
          retryAfterSeconds: Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - now) / 1000)),
        },
      );
    this.#counts.set(clientKey, count);
  }
}
