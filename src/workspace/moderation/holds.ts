import { HOLD_PREFIX, type ModerationEntry } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { findLatestModerations, readLatestModerations } from '#workspace/moderation/operator-writes.ts';
import { MAX_HELD, type Hold } from './report-state.ts';
import { findVisible, type Reports } from './reports.ts';
import { dayAt, DAY_MS } from '#workspace/text/time.ts';

/** Older records are not held, because their readers have already judged them. */
const MAX_AGE_MS = 7 * DAY_MS;
const HOLD_ENDED = 'the hold has ended';
/** The reason of a hold that the operator made with a link. */
export const BY_OPERATOR = 'held by the operator';
/** The interval between scans for expired holds that the journal lacks. */
const SCAN_MS = 5 * 60_000;

interface HoldsOptions {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly reports: Pick<Reports, 'state' | 'append'>;
  /** How many networks must report a record: REPORTS_TO_HOLD; Infinity if it is off. */
  readonly needed: number;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Whether an operator has hidden or shown a record. @param latest its latest moderation */
export function isJudged(latest: ModerationEntry | undefined): boolean {
  return latest !== undefined && !latest.reason.startsWith(HOLD_PREFIX) && latest.reason !== HOLD_ENDED;
}

/**
 * Hides a new post or note for 24 hours once enough networks have reported it for a grave reason on one UTC
 * day, and any record for which the operator has used a link, unless an operator has judged it. Any number of
 * servers may do so at the same time: the journal says which records were held, and each step is decided in
 * one write. A hold that the journal lacks, for example after a restore, ends at the time in its reason.
 */
export class Holds {
  readonly #options: HoldsOptions;
  /** The keys of the holds that this process has applied, and of those that it has ended. */
  readonly #applied = new Set<string>();
  readonly #ended = new Set<string>();
  #nextScan = -Infinity;

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  /** Hides and shows records as the rule now requires. @throws StoreFailure */
  async update(): Promise<void> {
    const { store, reports, now } = this.#options;
    await this.#addHolds();
    const time = now();
    const due: string[] = [];
    const { holds } = await reports.state();
    for (const [id, hold] of holds) {
      const [key, isDue] = [keyOf(id, hold), time >= hold.until];
      if (isDue && !this.#ended.has(key)) due.push(key);
      if (!isDue && !this.#applied.has(key)) await this.#apply(id, hold);
    }
    if (due.length === 0 && time < this.#nextScan) return;
    this.#nextScan = time + SCAN_MS;
    for await (const moderation of readLatestModerations(store.read)) {
      const { until } = holds.get(moderation.id) ?? {};
      // A record that an operator has kept is shown early.
      const isOver = endOfHold(moderation) <= (until === 0 ? Infinity : time);
      if (isOver && time >= (until ?? 0)) await release(store, moderation);
    }
    for (const key of due) this.#ended.add(key);
  }

  /** Writes to the journal first, so that a record is held only once, even if this process stops. */
  async #addHolds(): Promise<void> {
    const { store, reports, needed, now } = this.#options;
    const state = await reports.state();
    const time = now();
    const today = dayAt(time);
    for (const { id } of state.items((item) => item.graveNetworks(today) >= needed)) {
      if (state.holds.has(id) || state.mayStay(id, time)) continue;
      const record = await findVisible(store.read, id);
      if (record === undefined || id.startsWith('project_')) continue;
      if (time - Date.parse(record.createdAt) > MAX_AGE_MS) continue;
      if ((await findLatestModerations(store.read, [id])).has(id)) continue;
      const isFull = (await this.#countHeld(state.holds, time)) >= MAX_HELD;
      const [event, key] = isFull
        ? (['holds_used_up', `holds_used_up ${today}`] as const)
        : (['hold', `hold ${id}`] as const);
      if (state.hasEvent(key)) return;
      await reports.append({ type: 'event', at: time, key, event, ...(!isFull && { id }) });
      if (isFull) return;
      // Another process may have added it earlier, or an operator may have kept the record.
      const hold = (await reports.state()).holds.get(id);
      if (hold !== undefined && hold.until > time) await this.#apply(id, hold);
    }
  }

  /** Counts the records that reports currently hide. */
  async #countHeld(holds: ReadonlyMap<string, Hold>, time: number): Promise<number> {
    let count = 0;
    for (const [id, { until, byOperator }] of holds)
      if (!byOperator && time < until && (await findVisible(this.#options.store.read, id)) === undefined)
        count += 1;
    return count;
  }

  /**
   * Hides the record, unless it was hidden or shown since. A hold by the operator also replaces one that
   * reports caused.
   */
  async #apply(id: string, hold: Hold): Promise<void> {
    const { store } = this.#options;
    const by = hold.byOperator ? BY_OPERATOR : 'several networks reported it';
    const reason = `${HOLD_PREFIX} ${new Date(hold.until).toISOString().slice(0, 16)}Z: ${by}`;
    const latest = hold.byOperator ? (await findLatestModerations(store.read, [id])).get(id) : undefined;
    const isDone = latest?.reason === reason || isJudged(latest);
    const before = latest?.at ?? null;
    await store.write({ record: { type: 'record', id } }, ({ record, timestamp }) => {
      const isSubject = record?.status === 'visible' || (record?.status === 'hidden' && hold.byOperator);
      return !isDone && isSubject && record.moderatedAt === before
        ? { result: undefined, operation: { action: 'hide', id, at: timestamp, reason } }
        : { result: undefined };
    });
    this.#applied.add(keyOf(id, hold));
  }
}

/** @returns the end of a hold, such as `2026-11-21T10:49Z`, and its cause; nothing for any other reason */
export const parseHold = (reason: string): string[] =>
  reason.startsWith(HOLD_PREFIX) ? reason.slice(HOLD_PREFIX.length + 1).split(': ') : [];

/** @returns milliseconds since 1970; NaN unless the moderation is a hold */
const endOfHold = ({ action, reason }: ModerationEntry): number =>
  action === 'hide' ? Date.parse(parseHold(reason)[0] ?? '') : NaN;

const keyOf = (id: string, { at }: Hold): string => `${id} ${at}`;

async function release({ write }: Pick<Store, 'write'>, { id, at }: ModerationEntry): Promise<void> {
  await write({ record: { type: 'record', id } }, ({ record, timestamp }) =>
    record?.status === 'hidden' && record.moderatedAt === at
      ? {
          result: undefined,
          operation: { action: 'unhide', id, at: timestamp, reason: HOLD_ENDED },
        }
      : { result: undefined },
  );
}
