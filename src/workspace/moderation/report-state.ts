import {
  REASONS,
  RETENTION_DAYS,
  type Entry,
  type ReportReason,
  type ServiceEvent,
} from '#private/private-store.ts';
import { visitInSlices } from '#runtime/slice.ts';
import { ReportedItem } from './reported-item.ts';
import { DAY_MS, dayAt, HOUR_MS } from '#workspace/text/time.ts';

/** The time for which a hold hides a record. */
export const HOLD_MS = DAY_MS;
/** Records that links hold at once. */
export const MAX_HELD_BY_LINKS = 20;
/** How long a link can be used. */
const LINK_MS = 6 * HOUR_MS;

/** Times in milliseconds since 1970. */
export interface Hold {
  readonly at: number;
  /** 0 once the record was kept. */
  readonly until: number;
  readonly byOperator: boolean;
}

export interface OperatorLink {
  readonly id: string;
  readonly until: number;
}

/** A server that has claimed an event and not sent it in this time has ended. */
const CLAIM_MS = 60_000;

/** Reports of one reason that are stored on one day. */
export const MAX_REPORTS_A_DAY = 10_000;

type ReportEvent = keyof ReportedItem['announced'];

/** Most pending quiet events of one kind, so that a flood of reports costs servers little. */
const MAX_QUIET = 2000;

export type HookEvent = ReportEvent | ServiceEvent;

/** An event of which no server has notified the operator. */
export interface PendingEvent {
  readonly key: string;
  readonly event: HookEvent;
  readonly id?: string | undefined;
  readonly reason?: ReportReason | undefined;
  /** The UTC day. */
  readonly day: string;
  /**
   * Whether it causes no message by itself, since each of its reports came from a network that had caused its
   * messages of the hour. The next message counts it.
   */
  isQuiet?: boolean;
  claim?: { readonly by: string; readonly at: number } | undefined;
}

/** What was reported on one day, to recognize repetitions. */
interface ReportsOfDay {
  /** The bits of the reasons by the tag of a network and record. */
  readonly reasonsByTag: Map<string, number>;
  readonly counts: Map<ReportReason, number>;
}

const bitOf = (reason: ReportReason): number => 1 << REASONS.indexOf(reason);
const GRAVE = bitOf('illegal') | bitOf('private_data');

/** Groups of service events. An event counts only if the last one of its group was another one. */
const GROUPS: readonly (readonly ServiceEvent[])[] = [
  ['valve_open', 'valve_closed'],
  ['storage_ok', 'storage_full'],
  ['writes_ok', 'writes_failed'],
];

/** The state that follows from the entries of the private store. All processes compute the same state. */
export class ReportState {
  readonly #items = new Map<string, ReportedItem>();
  /** By UTC day, of the newest two days. */
  readonly #days = new Map<string, ReportsOfDay>();
  readonly #pending = new Map<string, PendingEvent>();
  /** The number of pending events that are quiet. */
  readonly #quiet = { report: 0, illegal: 0 };
  /** The UTC day before today. Events of earlier days are no longer pending. */
  #yesterday = '';
  readonly #lastOfGroup = new Map<number, ServiceEvent>();
  /** By class and hour, the number of messages. */
  readonly #sent = new Map<string, number>();
  /** By the id of the record. */
  readonly #holds = new Map<string, Hold>();
  /** By the hash of the secret. */
  readonly #links = new Map<string, OperatorLink>();
  /** Until when no report holds a record, by its id, since a link was used to keep it. */
  readonly #stays = new Map<string, number>();
  /** By key. */
  readonly #events = new Map<string, { readonly day: string; readonly id: string | undefined }>();
  readonly #denials = new Map<string, number>();
  #lastExport: number | null = null;

  /** The time of the last export in milliseconds since 1970; null if there is none. */
  get lastExport(): number | null {
    return this.#lastExport;
  }

  apply(entry: Entry): void {
    switch (entry.type) {
      case 'report':
        this.#addReport(entry);
        break;
      case 'keep':
        this.#keep(entry);
        break;
      case 'event':
        this.#addEvent(entry);
        break;
      case 'claim':
        this.#claim(entry);
        break;
      case 'sent':
        this.#removeSent(entry.keys);
        this.#sent.set(hourKey(entry.class, entry.at), this.sentInHour(entry.class, entry.at) + 1);
        break;
      case 'denied':
        this.#denials.set(entry.day, (this.#denials.get(entry.day) ?? 0) + 1);
        break;
      case 'exported':
        this.#lastExport = Math.max(this.#lastExport ?? 0, entry.at);
        break;
      case 'link':
        if (dayAt(entry.at) >= this.#yesterday)
          this.#links.set(entry.hash, { id: entry.id, until: entry.at + LINK_MS });
        break;
      case 'verdict':
        this.#judge(entry);
    }
  }

  /** Forgets what has expired, in slices. */
  async expire(now: number): Promise<void> {
    this.#yesterday = dayAt(now - DAY_MS);
    const oldest = dayAt(now - RETENTION_DAYS * DAY_MS);
    await visitInSlices(this.#items.values(), (item) => {
      if (item.expire(oldest)) this.#items.delete(item.id);
    });
    await visitInSlices(this.#pending, ([key, { day }]) => {
      if (day < this.#yesterday) this.#removePending(key);
    });
    for (const [key, { day, id = '' }] of this.#events) {
      if (day >= oldest) continue;
      this.#events.delete(key);
      this.#holds.delete(id);
    }
    for (const [hash, { until }] of this.#links) if (until <= now) this.#links.delete(hash);
    for (const [id, until] of this.#stays) if (until <= now) this.#stays.delete(id);
    for (const key of this.#sent.keys()) if (hourOf(key) < oldest) this.#sent.delete(key);
    for (const day of this.#denials.keys()) if (day < oldest) this.#denials.delete(day);
    if (this.#lastExport !== null && dayAt(this.#lastExport) < oldest) this.#lastExport = null;
  }

  /** Whether the network has reported the record for the reason on this day. */
  hasReport(day: string, tag: string, reason: ReportReason): boolean {
    return ((this.#days.get(day)?.reasonsByTag.get(tag) ?? 0) & bitOf(reason)) !== 0;
  }

  isFull(day: string, reason: ReportReason): boolean {
    return (this.#days.get(day)?.counts.get(reason) ?? 0) >= MAX_REPORTS_A_DAY;
  }

  /** The items that wait for a judgement, in the order of their first reports. */
  *waiting(): Iterable<ReportedItem> {
    for (const item of this.#items.values()) if (item.isWaiting) yield item;
  }

  /** The waiting items that `isWanted` accepts: `illegal` first, then by number of networks. */
  items(isWanted: (item: ReportedItem) => boolean = () => true): ReportedItem[] {
    return [...this.waiting()]
      .filter(isWanted)
      .sort(
        (a, b) => Number(b.isIllegal) - Number(a.isIllegal) || b.networks - a.networks || a.compareFirst(b),
      );
  }

  item(id: string): ReportedItem | undefined {
    const item = this.#items.get(id);
    return item?.isWaiting === true ? item : undefined;
  }

  /** Whether an operator has judged by a command that the record may stay. */
  isKept(id: string): boolean {
    return (this.#items.get(id)?.keeps ?? 0) > 0;
  }

  /** Whether reports may not hold the record at a time. */
  mayStay(id: string, at: number): boolean {
    return this.isKept(id) || at < (this.#stays.get(id) ?? 0);
  }

  /** @returns undefined for an unknown link, and for one that was used or has expired */
  link(hash: string, at: number): OperatorLink | undefined {
    const link = this.#links.get(hash);
    return link !== undefined && at < link.until ? link : undefined;
  }

  heldByLinks(at: number): number {
    return [...this.#holds.values()].filter(({ byOperator, until }) => byOperator && at < until).length;
  }

  hasEvent(key: string): boolean {
    return this.#events.has(key);
  }

  /** By the id of the record, oldest first. Reports hold a record only once. */
  get holds(): ReadonlyMap<string, Hold> {
    return this.#holds;
  }

  /** Oldest first. @param since a UTC day */
  pendingEvents(since: string): PendingEvent[] {
    return [...this.#pending.values()].filter(({ day }) => day >= since);
  }

  pendingEvent(key: string): PendingEvent | undefined {
    return this.#pending.get(key);
  }

  /** Messages of a class in the UTC hour of a time. */
  sentInHour(name: string, at: number): number {
    return this.#sent.get(hourKey(name, at)) ?? 0;
  }

  /** Denials by UTC day, newest first. */
  denials(): { day: string; count: number }[] {
    return [...this.#denials]
      .map(([day, count]) => ({ day, count }))
      .sort((a, b) => (a.day < b.day ? 1 : -1));
  }

  #addReport({ day, id, reason, tag, isQuiet = false }: Entry & { type: 'report' }): void {
    const { reasonsByTag, counts } = this.#reportsOn(day);
    const seen = reasonsByTag.get(tag) ?? 0;
    if ((seen & bitOf(reason)) !== 0) return;
    reasonsByTag.set(tag, seen | bitOf(reason));
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    let item = this.#items.get(id);
    if (item === undefined) this.#items.set(id, (item = new ReportedItem(id)));
    const isNewGrave = (bitOf(reason) & GRAVE) !== 0 && (seen & GRAVE) === 0;
    item.add({ day, reason, isNewNetwork: seen === 0, isNewGrave });
    if (item.isWaiting) this.#announce(item, day, isQuiet);
  }

  #announce(item: ReportedItem, day: string, isQuiet: boolean): void {
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
    // The next report of the record is an event again.
    if (isQuiet && (isOld || this.#quiet[event] >= MAX_QUIET)) return;
    announced[event] = true;
    if (isOld) return;
    if (isQuiet) this.#quiet[event] += 1;
    const reason = isIllegal ? 'illegal' : item.firstReason;
    this.#pending.set(key, { key, event, id, reason, day, isQuiet });
  }

  #removePending(key: string): void {
    const { event, isQuiet } = this.#pending.get(key) ?? {};
    if (isQuiet === true && (event === 'report' || event === 'illegal')) this.#quiet[event] -= 1;
    this.#pending.delete(key);
  }

  #removeSent([first, ...counted]: readonly string[]): void {
    this.#removePending(first ?? '');
    for (const key of counted) {
      this.#removePending(key);
      const [event, id = ''] = key.split(' ');
      const item = this.#items.get(id);
      if (item === undefined || (event !== 'report' && event !== 'illegal')) continue;
      // The next report of a record whose event was only counted is an event again, so that no number
      // of reports buries a record.
      if (reportKey(event, item) === key) item.announced[event] = false;
    }
  }

  #keep({ id, at }: Entry & { type: 'keep' }): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    for (const event of ['report', 'illegal'] as const) this.#removePending(reportKey(event, item));
    item.keep(dayAt(at));
    this.#endHold(id);
  }

  /** Every link of the record is used up then. What an operator has kept stays as it is. */
  #judge({ at, key, id, hash, hides }: Entry & { type: 'verdict' }): void {
    if (this.link(hash, at)?.id !== id || this.isKept(id)) return;
    if (hides && this.heldByLinks(at) >= MAX_HELD_BY_LINKS) return;
    for (const [other, link] of this.#links) if (link.id === id) this.#links.delete(other);
    this.#events.set(key, { day: dayAt(at), id });
    if (hides) {
      this.#holds.set(id, { at, until: at + HOLD_MS, byOperator: true });
      return;
    }
    this.#stays.set(id, at + HOLD_MS);
    this.#endHold(id);
  }

  #endHold(id: string): void {
    const hold = this.#holds.get(id);
    if (hold !== undefined) this.#holds.set(id, { ...hold, until: 0 });
  }

  #addEvent({ key, event, id, at }: Entry & { type: 'event' }): void {
    // Several processes may have noted the same event.
    if (this.#events.has(key)) return;
    const day = dayAt(at);
    this.#events.set(key, { day, id });
    if (event === 'hold' && id !== undefined) {
      if (this.mayStay(id, at)) return;
      this.#holds.set(id, { at, until: at + HOLD_MS, byOperator: false });
    }
    const group = GROUPS.findIndex((events) => events.includes(event));
    const [first] = GROUPS[group] ?? [];
    if (group >= 0) {
      if ((this.#lastOfGroup.get(group) ?? first) === event) return;
      this.#lastOfGroup.set(group, event);
    }
    if (event !== 'storage_ok' && day >= this.#yesterday) this.#pending.set(key, { key, event, id, day });
  }

  #claim({ key, by, at }: Entry & { type: 'claim' }): void {
    const event = this.#pending.get(key);
    if (event === undefined) return;
    if (event.claim === undefined || at - event.claim.at > CLAIM_MS) event.claim = { by, at };
  }

  /** Keeps two days, since the clocks of servers differ by less. */
  #reportsOn(day: string): ReportsOfDay {
    let reports = this.#days.get(day);
    if (reports !== undefined) return reports;
    const [oldest = day] = [...this.#days.keys()].sort();
    if (this.#days.size === 2) this.#days.delete(oldest);
    reports = { reasonsByTag: new Map(), counts: new Map() };
    this.#days.set(day, reports);
    return reports;
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
