import { REASONS, RETENTION_DAYS, type Entry, type ReportReason } from '#private/private-store.ts';
import { visitInSlices } from '#runtime/slice.ts';
import { PendingEvents } from './pending-events.ts';
import { ReportedItem } from './reported-item.ts';
import { DAY_MS, dayAt, HOUR_MS } from '#workspace/text/time.ts';

/** How long a hold hides a record. */
export const HOLD_MS = DAY_MS;
/** How many records reports can hold at once, and how many links can. More would suggest abuse. */
export const MAX_HELD = 20;
/** How long a link can be used. */
const LINK_MS = 6 * HOUR_MS;

/** Times in milliseconds since 1970. */
export interface Hold {
  readonly at: number;
  /** 0 after the record was kept. */
  readonly until: number;
  readonly byOperator: boolean;
}

export interface OperatorLink {
  readonly id: string;
  readonly until: number;
}

/** The maximum number of reports for one reason that are stored on one day. */
export const MAX_REPORTS_A_DAY = 10_000;

/** The reports of one day, to recognize repetitions. */
interface ReportsOfDay {
  /** The reasons as bits, by the tag of a network for a record. */
  readonly reasonsByTag: Map<string, number>;
  readonly counts: Map<ReportReason, number>;
}

const bitOf = (reason: ReportReason): number => 1 << REASONS.indexOf(reason);
const GRAVE = bitOf('illegal') | bitOf('private_data');

/**
 * The reports, holds and links, computed from the entries of the private store. All processes compute the
 * same state.
 * @example
 *   // A report of post_1, then an event `hold` of it, then a keep:
 *   // it waits in `items`, it is in `holds` for 24 hours, and then neither waits nor is held.
 */
export class ReportState {
  readonly events = new PendingEvents();
  readonly #items = new Map<string, ReportedItem>();
  /** By UTC day, for the newest two days. */
  readonly #days = new Map<string, ReportsOfDay>();
  /** Yesterday in UTC. Links of earlier days cannot be used. */
  #yesterday = '';
  /** By the id of the record. */
  readonly #holds = new Map<string, Hold>();
  /** By the hash of the secret. */
  readonly #links = new Map<string, OperatorLink>();
  /** Until when no report can hold a record that was kept with a link, by its id. */
  readonly #stays = new Map<string, number>();
  /** The events of the journal, by key. */
  readonly #known = new Map<string, { readonly day: string; readonly id: string | undefined }>();
  readonly #denials = new Map<string, number>();
  #lastExport: number | null = null;

  /** The time of the last export, in milliseconds since 1970; null without one. */
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
        this.events.claim(entry);
        break;
      case 'sent':
        this.events.markSent(entry, this.#items);
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

  /** Removes what has expired, in time slices. */
  async expire(now: number): Promise<void> {
    this.#yesterday = dayAt(now - DAY_MS);
    const oldest = dayAt(now - RETENTION_DAYS * DAY_MS);
    await visitInSlices(this.#items.values(), (item) => {
      if (this.#items.get(item.id) === item && item.expire(oldest)) this.#items.delete(item.id);
    });
    await this.events.expire(this.#yesterday, oldest);
    for (const [key, { day, id = '' }] of this.#known) {
      if (day >= oldest) continue;
      this.#known.delete(key);
      this.#holds.delete(id);
    }
    for (const [hash, { until }] of this.#links) if (until <= now) this.#links.delete(hash);
    for (const [id, until] of this.#stays) if (until <= now) this.#stays.delete(id);
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

  /** @yields the items that wait for a judgement, in the order of their first reports */
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

  /** Whether an operator has kept the record with a command. */
  isKept(id: string): boolean {
    return (this.#items.get(id)?.keeps ?? 0) > 0;
  }

  /** Whether reports cannot hold the record at a time. */
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
    return this.#known.has(key);
  }

  /** The holds by the id of the record, oldest first. Reports hold a record only once. */
  get holds(): ReadonlyMap<string, Hold> {
    return this.#holds;
  }

  /** @returns the denials by UTC day, newest first */
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
    if (item.isWaiting) this.events.announce(item, day, isQuiet);
  }

  #keep({ id, at }: Entry & { type: 'keep' }): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.events.remove(item);
    item.keep(dayAt(at));
    this.#endHold(id);
  }

  /** Uses up every link of the record. It leaves a record unchanged that an operator has kept. */
  #judge({ at, key, id, hash, hides }: Entry & { type: 'verdict' }): void {
    if (this.link(hash, at)?.id !== id || this.isKept(id)) return;
    if (hides && this.heldByLinks(at) >= MAX_HELD) return;
    for (const [other, link] of this.#links) if (link.id === id) this.#links.delete(other);
    this.#known.set(key, { day: dayAt(at), id });
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
    // Several processes may have appended the same event.
    if (this.#known.has(key)) return;
    const day = dayAt(at);
    this.#known.set(key, { day, id });
    if (event === 'hold' && id !== undefined) {
      if (this.mayStay(id, at)) return;
      this.#holds.set(id, { at, until: at + HOLD_MS, byOperator: false });
    }
    this.events.add({ key, event, id, day });
  }

  /** Keeps two days: the clocks of servers differ by less. */
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
