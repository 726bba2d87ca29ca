import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { Entry, Position, PrivateStore } from '#private/private-store.ts';
import { widenNetwork } from '#store/port/network.ts';
import { kindOf, type AnyRecord, type Kind } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { toRetrySeconds, WorkspaceError } from '#workspace/service/errors.ts';
import type { ReportRequest } from '#workspace/schemas/report.ts';
import { DAY_MS, dayAt, HOUR_MS } from '#workspace/text/time.ts';
import { toTitle } from '#workspace/text/title.ts';
import { ReportState } from './report-state.ts';

/** How many reports of one widened network may cause a message to the operator in an hour. */
const MESSAGES_AN_HOUR = 2;

const KINDS: readonly Kind[] = ['post', 'guest', 'project', 'note'];

interface ReportsOptions {
  readonly privateStore: PrivateStore;
  readonly read: Pick<Reader, 'find'>;
  /** REPORTS_PER_HOUR; 0: no limit. */
  readonly maxPerHour?: () => number;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** The journal of the private store, and the state that follows from it. */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #state = new ReportState();
  #position: Position | undefined;
  /** The UTC day on which expired entries were last removed from `#state`. */
  #day = '';
  #reading: Promise<boolean> | undefined;
  readonly #listeners = new Set<(entry: Entry) => void>();
  readonly #reports = new HourlyCounts();
  readonly #messages = new HourlyCounts();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** @returns the state with all entries that are durable at the time of the call. @throws StoreFailure */
  async state(): Promise<ReportState> {
    // A pass in progress may have started before the entry that the caller must see, so it takes two.
    if (this.#reading !== undefined) await this.#reading;
    this.#reading ??= this.#catchUp().finally(() => (this.#reading = undefined));
    const hasPaused = await this.#reading;
    // After a long pass, each waiting caller continues in its own turn of the event loop.
    if (hasPaused) await nextSlice();
    return this.#state;
  }

  async append(entry: Entry): Promise<void> {
    await this.#options.privateStore.append(entry);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Calls the listener after each entry that this process has appended. */
  onAppend(listener: (entry: Entry) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Reports a visible record to the operator. A repetition by the same widened network counts against the
   * limit, but stores nothing.
   * @throws WorkspaceError not_found, rate_limited
   * @throws StoreFailure
   */
  async report({ id, reason }: ReportRequest, { clientKey }: Caller): Promise<ReportRequest> {
    const { privateStore, now, maxPerHour = () => 0 } = this.#options;
    const network = widenNetwork(clientKey);
    const max = maxPerHour();
    if (max > 0 && !this.#reports.add(network, max, now()))
      throw tooManyReportsError(
        'reportsPerNetworkPerHour',
        HOUR_MS,
        now(),
        `The limit on reports per hour (${max}), shared by everyone on your network, has been reached. If this ` +
          'is urgent, write to the operator.',
      );
    await this.#findVisible(id);
    const tag = await privateStore.reportTag(id, network);
    const day = dayAt(now());
    const state = await this.state();
    if (state.hasReport(day, tag, reason)) return { id, reason };
    if (state.isFull(day, reason))
      throw tooManyReportsError(
        'reportsPerDay',
        DAY_MS,
        now(),
        'So many reports of this kind have arrived today that no more are stored; write to the operator.',
      );
    const isQuiet = !this.#messages.add(network, MESSAGES_AN_HOUR, now());
    await this.append({ type: 'report', day, id, reason, tag, ...(isQuiet && { isQuiet }) });
    return { id, reason };
  }

  /** @returns the kind, name and title of a record. @throws WorkspaceError not_found, unless it is visible */
  async describe(id: string): Promise<{ kind: string; name: string | null; title: string }> {
    const record = await this.#findVisible(id);
    if ('message' in record)
      return { kind: record.prefix ?? 'message', name: record.name ?? null, title: toTitle(record.message) };
    if ('note' in record) return { kind: 'note', name: record.name, title: toTitle(record.note) };
    return { kind: 'project', name: record.by, title: toTitle(record.title) };
  }

  /** @throws WorkspaceError not_found, unless the record is visible */
  async #findVisible(id: string): Promise<AnyRecord> {
    const record = await findVisible(this.#options.read, id);
    if (record !== undefined) return record;
    throw new WorkspaceError(
      'not_found',
      'There is no visible record with this id; copy the id of the post, note or project unchanged.',
    );
  }

  /** @returns whether it took more than one time slice */
  async #catchUp(): Promise<boolean> {
    const { privateStore, now } = this.#options;
    const day = dayAt(now());
    // Entries expire by day.
    if (day !== this.#day) await this.#state.expire(now());
    this.#day = day;
    let isSliceOver = startSlice();
    let hasPaused = false;
    for await (const { entries, position } of privateStore.read(this.#position)) {
      for (const entry of entries) {
        this.#state.apply(entry);
        if (!isSliceOver()) continue;
        await nextSlice();
        hasPaused = true;
        isSliceOver = startSlice();
      }
      this.#position = position;
    }
    return hasPaused;
  }
}

/** @returns the record with an id of any kind; undefined if it, or the project of a note, is not visible */
export async function findVisible(read: Pick<Reader, 'find'>, id: string) {
  const kind = kindOf(id);
  if (!KINDS.includes(kind)) return undefined;
  const { record } = (await read.find(kind, id)) ?? {};
  if (record === undefined || !('projectId' in record)) return record;
  return (await read.find('project', record.projectId)) === undefined ? undefined : record;
}

/** @param periodMs the limit starts at zero again at each multiple of this time */
function tooManyReportsError(limit: string, periodMs: number, now: number, message: string): WorkspaceError {
  const retryAfterSeconds = toRetrySeconds(periodMs - (now % periodMs));
  return new WorkspaceError('rate_limited', message, { limit, retryAfterSeconds });
}

/** Counts reports by network within an hour of the clock, in this process; the store does not count them. */
class HourlyCounts {
  #hour = 0;
  readonly #counts = new Map<string, number>();

  /** Counts one more, unless the network has reached `max` in this hour. @returns whether it was counted */
  add(network: string, max: number, now: number): boolean {
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) this.#counts.clear();
    this.#hour = hour;
    const count = this.#counts.get(network) ?? 0;
    if (count < max) this.#counts.set(network, count + 1);
    return count < max;
  }
}
