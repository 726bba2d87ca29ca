import type { Entry, ReportReason, ServiceEvent } from '#private/private-store.ts';

/** So many networks have to report a record again after an operator has kept it. */
const TAGS_AFTER_KEEP = 3;

/** A server that has claimed an event and not sent it in this time has ended. */
const CLAIM_MS = 60_000;

/** Reports of one reason that are stored on one day. */
export const MAX_REPORTS_A_DAY = 10_000;

export type HookEvent = 'illegal' | 'report' | ServiceEvent;

/** An event that no server has told the operator. */
export interface PendingEvent {
  readonly key: string;
  readonly event: HookEvent;
  readonly id?: string | undefined;
  readonly reason?: ReportReason | undefined;
  /** The UTC day. */
  readonly day: string;
  /** Whether it is to be counted only: every report was of a network that had caused its messages. */
  isQuiet?: boolean;
  claim?: { readonly by: string; readonly at: number } | undefined;
}

interface Item {
  readonly id: string;
  /** Networks that have reported it. One that does so on two days counts twice, since its tags differ. */
  networks: number;
  /** The most on one day, each counted once. */
  networksOnADay: number;
  reasons: Map<ReportReason, number>;
  /** UTC days. */
  first: string;
  last: string;
  /** How often an operator has kept it. */
  keeps: number;
  announced: Set<HookEvent>;
  /** Networks that reported it on its last day, and those of them that did so for a grave reason. */
  ofLastDay: { networks: number; grave: number };
}

/** A record that was reported and not judged. */
export type ReportedItem = Readonly<Omit<Item, 'keeps' | 'announced' | 'ofLastDay'>>;

const GRAVE: readonly ReportReason[] = ['illegal', 'private_data'];

/** The service events that follow each other: one of a group counts if another was the last. */
const GROUPS: readonly (readonly ServiceEvent[])[] = [
  ['valve_open', 'valve_closed'],
  ['storage_ok', 'storage_full'],
  ['writes_ok', 'writes_failed'],
];

/** What the entries of the private store come to. A pure function of them; processes agree on it. */
export class ReportState {
  readonly #items = new Map<string, Item>();
  /** What was reported on the newest days, to recognize repetitions. */
  readonly #seen = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();
  readonly #pending = new Map<string, PendingEvent>();
  readonly #lastOfGroup = new Map<number, ServiceEvent>();
  readonly #sent = new Map<string, number>();
  /** When the rule of holds hid a record, in milliseconds since 1970, by its id. */
  readonly #holds = new Map<string, number>();
  readonly #eventKeys = new Set<string>();
  readonly #denials = new Map<string, number>();
  /** Of the last export, in milliseconds since 1970; null if there is none. */
  lastExport: number | null = null;

  apply(entry: Entry): void {
    switch (entry.type) {
      case 'report':
        this.#addReport(entry);
        break;
      case 'keep':
        this.#keep(entry.id);
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
        this.lastExport = Math.max(this.lastExport ?? 0, entry.at);
    }
  }

  /** Whether the network has reported the record for the reason on this day. */
  hasReport(day: string, tag: string, reason: ReportReason): boolean {
    return this.#seen.get(day)?.has(`${tag} ${reason}`) === true;
  }

  isFull(day: string, reason: ReportReason): boolean {
    return (this.#counts.get(`${day} ${reason}`) ?? 0) >= MAX_REPORTS_A_DAY;
  }

  /** The items that wait for a judgement: `illegal` first, then by networks. */
  items(): ReportedItem[] {
    return [...this.#items.values()]
      .filter(isWaiting)
      .sort((a, b) => graveness(b) - graveness(a) || b.networks - a.networks || (a.first < b.first ? -1 : 1));
  }

  item(id: string): ReportedItem | undefined {
    const item = this.#items.get(id);
    return item !== undefined && isWaiting(item) ? item : undefined;
  }

  /** The number of networks that reported the record for a grave reason on a day. */
  graveNetworks(id: string, day: string): number {
    const item = this.#items.get(id);
    return item?.last === day ? item.ofLastDay.grave : 0;
  }

  /** Whether an operator has judged that the record may stay. */
  mayStay(id: string): boolean {
    return (this.#items.get(id)?.keeps ?? 0) > 0;
  }

  hasEvent(key: string): boolean {
    return this.#eventKeys.has(key);
  }

  /**
   * Oldest first, by id: milliseconds since 1970, 0 once the record was kept. A record is held once in its
   * life.
   */
  get holds(): ReadonlyMap<string, number> {
    return this.#holds;
  }

  /** Oldest first. @param since a UTC day */
  pendingEvents(since: string): PendingEvent[] {
    return [...this.#pending.values()].filter(({ day }) => day >= since);
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
    if (this.hasReport(day, tag, reason)) return;
    const seen = this.#seenOn(day);
    const isNewNetwork = !seen.has(tag);
    const isNewGrave = GRAVE.includes(reason) && !GRAVE.some((other) => seen.has(`${tag} ${other}`));
    seen.add(tag).add(`${tag} ${reason}`);
    const count = `${day} ${reason}`;
    this.#counts.set(count, (this.#counts.get(count) ?? 0) + 1);
    const item = this.#requireItem(id, day);
    if (item.last !== day) item.ofLastDay = { networks: 0, grave: 0 };
    const { ofLastDay } = item;
    if (isNewNetwork) item.networks += 1;
    if (isNewNetwork) ofLastDay.networks += 1;
    if (isNewGrave) ofLastDay.grave += 1;
    item.networksOnADay = Math.max(item.networksOnADay, ofLastDay.networks);
    item.reasons.set(reason, (item.reasons.get(reason) ?? 0) + 1);
    if (item.networks === 1 && isNewNetwork) item.first = day;
    item.last = day;
    if (isWaiting(item)) this.#announce(item, day, isQuiet);
  }

  #announce(item: Item, day: string, isQuiet: boolean): void {
    const { id, keeps, announced, reasons } = item;
    const event = reasons.has('illegal') ? 'illegal' : 'report';
    const key = `${event} ${id} ${keeps}`;
    const [reason] = event === 'illegal' ? (['illegal'] as const) : reasons.keys();
    if (!announced.has(event)) this.#pending.set(key, { key, event, id, reason, day, isQuiet });
    announced.add(event);
    const pending = this.#pending.get(key);
    if (pending !== undefined) pending.isQuiet &&= isQuiet;
  }

  #removeSent([first, ...counted]: readonly string[]): void {
    this.#pending.delete(first ?? '');
    for (const key of counted) {
      const { id = '', event } = this.#pending.get(key) ?? {};
      // A further report of a record that was only counted is an event again: nobody can bury a record so.
      if (event !== undefined) this.#items.get(id)?.announced.delete(event);
      this.#pending.delete(key);
    }
  }

  #keep(id: string): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    for (const event of item.announced) this.#pending.delete(`${event} ${id} ${item.keeps}`);
    Object.assign(item, createCounts(), { keeps: item.keeps + 1 });
    if (this.#holds.has(id)) this.#holds.set(id, 0);
  }

  #addEvent({ key, event, id, at }: Entry & { type: 'event' }): void {
    // Several processes may note the same.
    if (this.#eventKeys.has(key)) return;
    this.#eventKeys.add(key);
    if (event === 'hold' && id !== undefined) {
      if (this.mayStay(id)) return;
      this.#holds.set(id, at);
    }
    const group = GROUPS.findIndex((events) => events.includes(event));
    const [first] = GROUPS[group] ?? [];
    if (group >= 0) {
      if ((this.#lastOfGroup.get(group) ?? first) === event) return;
      this.#lastOfGroup.set(group, event);
    }
    if (event !== 'storage_ok')
      this.#pending.set(key, { key, event, id, day: new Date(at).toISOString().slice(0, 10) });
  }

  #claim({ key, by, at }: Entry & { type: 'claim' }): void {
    const event = this.#pending.get(key);
    if (event === undefined) return;
    if (event.claim === undefined || at - event.claim.at > CLAIM_MS) event.claim = { by, at };
  }

  #requireItem(id: string, day: string): Item {
    let item = this.#items.get(id);
    if (item === undefined) {
      item = { id, first: day, last: day, keeps: 0, ...createCounts() };
      this.#items.set(id, item);
    }
    return item;
  }

  /** Two days are enough: clocks of servers differ by less. */
  #seenOn(day: string): Set<string> {
    let seen = this.#seen.get(day);
    if (seen === undefined) {
      this.#seen.set(day, (seen = new Set()));
      for (const old of [...this.#seen.keys()].sort().slice(0, -2)) this.#seen.delete(old);
    }
    return seen;
  }
}

/** What a judgement sets back. */
function createCounts() {
  const ofLastDay = { networks: 0, grave: 0 };
  return { networks: 0, networksOnADay: 0, reasons: new Map(), announced: new Set<HookEvent>(), ofLastDay };
}

/** Whether a claim of the event still counts. */
export function isClaimed({ claim }: PendingEvent, now: number): boolean {
  return claim !== undefined && now - claim.at <= CLAIM_MS;
}

function isWaiting({ networks, keeps }: Item): boolean {
  return networks >= (keeps === 0 ? 1 : TAGS_AFTER_KEEP);
}

const graveness = ({ reasons }: Item): number => (reasons.has('illegal') ? 1 : 0);

function hourKey(name: string, at: number): string {
  return `${name} ${new Date(at).toISOString().slice(0, 13)}`;
}
