import { visitInSlices } from '#runtime/slice.ts';
import type { Entry, ReportReason, ServiceEvent } from '#private/private-store.ts';
import type { ReportedItem } from './reported-item.ts';

/** A server that claims an event and does not send it within this time has probably stopped. */
const CLAIM_MS = 60_000;

type ReportEvent = keyof ReportedItem['announced'];

/** The maximum number of pending quiet events of one kind, which limits the cost of a flood of reports. */
const MAX_QUIET = 2000;

export type HookEvent = ReportEvent | ServiceEvent;

/** An event that no server has sent to the operator yet. */
export interface PendingEvent {
  readonly key: string;
  readonly event: HookEvent;
  readonly id?: string | undefined;
  readonly reason?: ReportReason | undefined;
  /** The UTC day. */
  readonly day: string;
  /** Whether the next message only counts it: all reports are from networks without messages left this hour. */
  isQuiet?: boolean;
  claim?: { readonly by: string; readonly at: number } | undefined;
}

/** Groups of service events. An event counts only if it differs from the previous one in its group. */
const GROUPS: readonly (readonly ServiceEvent[])[] = [
  ['valve_open', 'valve_closed'],
  ['storage_ok', 'storage_full'],
  ['writes_ok', 'writes_failed'],
];

/**
 * The events that no server has sent to the operator yet, and the number of messages sent in each hour.
 * @example
 *   // post_1 is reported: `since` has the event `report post_1 0`. A server claims it for a minute and sends
 *   // a message: then `since` is empty, and further reports of post_1 cause no event until it is judged.
 */
export class PendingEvents {
  readonly #pending = new Map<string, PendingEvent>();
  /** The number of pending events that are quiet. */
  readonly #quiet = { report: 0, illegal: 0 };
  /** Yesterday in UTC. Events of earlier days are no longer pending. */
  #yesterday = '';
  readonly #lastOfGroup = new Map<number, ServiceEvent>();
  /** The number of messages, by class and hour. */
  readonly #sent = new Map<string, number>();

  /** Oldest first. @param day UTC */
  since(day: string): PendingEvent[] {
    return [...this.#pending.values()].filter((event) => event.day >= day);
  }

  find(key: string): PendingEvent | undefined {
    return this.#pending.get(key);
  }

  /** The number of messages of a class in the UTC hour of a time. */
  sentInHour(name: string, at: number): number {
    return this.#sent.get(hourKey(name, at)) ?? 0;
  }

  /** Removes events before `yesterday` and messages before `oldest`, both UTC days, in time slices. */
  async expire(yesterday: string, oldest: string): Promise<void> {
    this.#yesterday = yesterday;
    await visitInSlices(this.#pending, ([key, event]) => {
      if (event.day < yesterday && this.#pending.get(key) === event) this.#remove(key);
    });
    for (const key of this.#sent.keys()) if (hourOf(key) < oldest) this.#sent.delete(key);
  }

  /** Adds an event of the service, unless it equals the previous one in its group. */
  add({
    key,
    event,
    id,
    day,
  }: Pick<PendingEvent, 'key' | 'id' | 'day'> & { readonly event: ServiceEvent }): void {
    const group = GROUPS.findIndex((events) => events.includes(event));
    const [first] = GROUPS[group] ?? [];
    if (group >= 0) {
      if ((this.#lastOfGroup.get(group) ?? first) === event) return;
      this.#lastOfGroup.set(group, event);
    }
    if (event !== 'storage_ok' && day >= this.#yesterday) this.#pending.set(key, { key, event, id, day });
  }

  /** Adds the event of a report, unless the operator was notified about the record or a notice is pending. */
  announce(item: ReportedItem, day: string, isQuiet: boolean): void {
    const { id, announced, isIllegal } = item;
    const event = isIllegal ? 'illegal' : 'report';
    const key = reportKey(event, item);
    if (announced[event]) {
      const pending = this.#pending.get(key);
      if (pending?.isQuiet === true && !isQuiet) {
        pending.isQuiet = false;
        this.#quiet[event] -= 1;
      }
      return;
    }
    const isOld = day < this.#yesterday;
    // The next report of the record causes an event again.
    if (isQuiet && (isOld || this.#quiet[event] >= MAX_QUIET)) return;
    announced[event] = true;
    if (isOld) return;
    if (isQuiet) this.#quiet[event] += 1;
    const reason = isIllegal ? 'illegal' : item.firstReason;
    this.#pending.set(key, { key, event, id, reason, day, isQuiet });
  }

  #remove(key: string): void {
    const { event, isQuiet } = this.#pending.get(key) ?? {};
    if (isQuiet === true && (event === 'report' || event === 'illegal')) this.#quiet[event] -= 1;
    this.#pending.delete(key);
  }

  /** Removes the events of a record that an operator has kept. */
  remove(item: ReportedItem): void {
    for (const event of ['report', 'illegal'] as const) this.#remove(reportKey(event, item));
  }

  claim({ key, by, at }: Entry & { type: 'claim' }): void {
    const event = this.#pending.get(key);
    if (event === undefined) return;
    if (event.claim === undefined || at - event.claim.at > CLAIM_MS) event.claim = { by, at };
  }

  /** Removes the event of a message, and the events that the message counts. */
  markSent(
    { keys: [first = '', ...counted], class: name, at }: Entry & { type: 'sent' },
    items: ReadonlyMap<string, ReportedItem>,
  ): void {
    this.#sent.set(hourKey(name, at), this.sentInHour(name, at) + 1);
    this.#remove(first);
    for (const key of counted) {
      this.#remove(key);
      const [event, id = ''] = key.split(' ');
      const item = items.get(id);
      if (item === undefined || (event !== 'report' && event !== 'illegal')) continue;
      // The message only counted the event, so the next report of the record causes an event again. No number
      // of reports can hide a record from the operator.
      if (reportKey(event, item) === key) item.announced[event] = false;
    }
  }
}

/** Whether a claim of the event still counts. */
export function isClaimed({ claim }: PendingEvent, now: number): boolean {
  return claim !== undefined && now - claim.at <= CLAIM_MS;
}

const reportKey = (event: ReportEvent, { id, keeps }: ReportedItem): string => `${event} ${id} ${keeps}`;

const hourKey = (name: string, at: number): string => `${name} ${new Date(at).toISOString().slice(0, 13)}`;

/** @param key from `hourKey` */
const hourOf = (key: string): string => key.slice(key.lastIndexOf(' ') + 1);
