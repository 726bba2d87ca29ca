import { HOLD_PREFIX, type ModerationEntry } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { findLatestModerations } from '#workspace/publishing/operator-writes.ts';
import { findVisible, type Reports } from './reports.ts';
import { dayAt, DAY_MS } from '#workspace/text/time.ts';

/** The time for which a hold hides a record. */
export const HOLD_MS = DAY_MS;
/** Older records are not held, since their readers have judged them. */
const MAX_AGE_MS = 7 * DAY_MS;
/** Maximum held at once; more suggests abuse. */
export const MAX_HELD = 20;

interface HoldsOptions {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly reports: Pick<Reports, 'state' | 'append'>;
  /** REPORTS_TO_HOLD */
  readonly needed: number;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Hides a new post or note for 24 hours once enough networks have reported it for a grave reason on one UTC
 * day, unless an operator has judged it. Any number of servers may do so at the same time: the journal says
 * which records were held, and each step is decided in one write.
 */
export class Holds {
  readonly #options: HoldsOptions;
  /** Holds that this process has applied. */
  readonly #applied = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  /** Hides and shows records as the rule requires now. @throws StoreFailure */
  async update(): Promise<void> {
    const { reports, now } = this.#options;
    await this.#addHolds();
    const time = now();
    const due: string[] = [];
    for (const [id, at] of (await reports.state()).holds) {
      if (time - at >= HOLD_MS) due.push(id);
      else if (!this.#applied.has(id)) await this.#apply(id, at);
    }
    await this.#release(due.filter((id) => !this.#ended.has(id)));
  }

  /**
   * Writes to the journal first, so that a record is held only once, even if this process ends in between.
   */
  async #addHolds(): Promise<void> {
    const { store, reports, needed, now } = this.#options;
    const state = await reports.state();
    const time = now();
    const today = dayAt(time);
    for (const { id } of state.items((item) => item.graveNetworks(today) >= needed)) {
      if (state.holds.has(id) || state.mayStay(id)) continue;
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
      // Read again, since another process may have noted it earlier, or an operator may have kept the record.
      const at = (await reports.state()).holds.get(id) ?? 0;
      if (at > 0) await this.#apply(id, at);
    }
  }

  /** Counts the records that the rule hides now. */
  async #countHeld(holds: ReadonlyMap<string, number>, time: number): Promise<number> {
    let count = 0;
    for (const [id, at] of holds)
      if (time - at < HOLD_MS && (await findVisible(this.#options.store.read, id)) === undefined) count += 1;
    return count;
  }

  /** Hides the record, unless it was hidden or shown again before. */
  async #apply(id: string, at: number): Promise<void> {
    const until = new Date(at + HOLD_MS).toISOString().slice(0, 16);
    const reason = `${HOLD_PREFIX} ${until}Z: several networks reported it`;
    await this.#options.store.write({ record: { type: 'record', id } }, ({ record, timestamp }) => {
      return record?.status === 'visible' && record.moderatedAt === null
        ? { answer: undefined, operation: { action: 'hide', id, at: timestamp, reason } }
        : { answer: undefined };
    });
    this.#applied.add(id);
  }

  /** Shows the records again that only their hold hides. */
  async #release(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { store } = this.#options;
    const latest = await findLatestModerations(store.read, ids);
    for (const id of ids) {
      const hold = latest.get(id);
      if (hold?.action === 'hide' && hold.reason.startsWith(HOLD_PREFIX)) await release(store, hold);
      this.#ended.add(id);
    }
  }
}

async function release({ write }: Pick<Store, 'write'>, { id, at }: ModerationEntry): Promise<void> {
  await write({ record: { type: 'record', id } }, ({ record, timestamp }) =>
    record?.status === 'hidden' && record.moderatedAt === at
      ? {
          answer: undefined,
          operation: { action: 'unhide', id, at: timestamp, reason: 'the hold has ended' },
        }
      : { answer: undefined },
  );
}
