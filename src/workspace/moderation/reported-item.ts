import { REASONS, type ReportReason } from '#private/private-store.ts';
import { DAY_MS, dayAt } from '#workspace/text/time.ts';

/** How many networks must report a record again before it waits again after an operator has kept it. */
const NETWORKS_AFTER_KEEP = 3;

/** A report is one number with the day, the reason and two flags, because a full journal has 1.8 million. */
const PER_DAY = 64;
const PER_REASON = 4;
const NEW_NETWORK = 2;
const NEW_GRAVE = 1;

export interface CountedReport {
  /** UTC. */
  readonly day: string;
  readonly reason: ReportReason;
  /** Whether it is the first report of the network about the record on the day. */
  readonly isNewNetwork: boolean;
  /** Whether it is the first report of the network for a grave reason on the day. */
  readonly isNewGrave: boolean;
}

const dayNumber = (day: string): number => Date.parse(day) / DAY_MS;
const numberOf = (report: number): number => Math.floor(report / PER_DAY);
const dayOf = (report = 0): string => dayAt(numberOf(report) * DAY_MS);
const reasonOf = (report: number): ReportReason =>
  REASONS[Math.floor((report % PER_DAY) / PER_REASON)] ?? 'other';

/** A record that was reported, with its reports since an operator judged it. */
export class ReportedItem {
  readonly id: string;
  /** Whether an event about the record was sent or is pending. */
  readonly announced = { report: false, illegal: false };
  /** In the order of arrival. */
  #reports: number[] = [];
  /** The days on which an operator has kept it. */
  #keeps: readonly string[] | undefined;
  #networks = 0;
  #networksOnADay = 0;
  #networksOnLastDay = 0;
  #graveOnLastDay = 0;
  #illegal = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** The number of networks that reported it. A network counts again on another day, with another tag. */
  get networks(): number {
    return this.#networks;
  }

  /** The largest number of networks that reported it on one day. */
  get networksOnADay(): number {
    return this.#networksOnADay;
  }

  /** The number of reports by reason, in the order of the first report. */
  get reasons(): ReadonlyMap<ReportReason, number> {
    const counts = new Map<ReportReason, number>();
    for (const report of this.#reports) {
      const reason = reasonOf(report);
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    return counts;
  }

  get firstReason(): ReportReason {
    return reasonOf(this.#reports[0] ?? 0);
  }

  /** UTC days. */
  get first(): string {
    return dayOf(this.#reports[0]);
  }

  get last(): string {
    return dayOf(this.#reports.at(-1));
  }

  get isIllegal(): boolean {
    return this.#illegal > 0;
  }

  /** Compares the days of the first reports; negative if this record was reported before the other. */
  compareFirst(other: ReportedItem): number {
    return numberOf(this.#reports[0] ?? 0) - numberOf(other.#reports[0] ?? 0);
  }

  /** How often an operator has kept it. */
  get keeps(): number {
    return this.#keeps?.length ?? 0;
  }

  /** Whether it waits for a judgement. */
  get isWaiting(): boolean {
    return this.#networks >= (this.keeps === 0 ? 1 : NETWORKS_AFTER_KEEP);
  }

  /** The number of networks that reported it for a grave reason on a day. */
  graveNetworks(day: string): number {
    // Compares numbers, because this runs for every record every two seconds.
    if (this.#graveOnLastDay === 0) return 0;
    return numberOf(this.#reports.at(-1) ?? 0) === dayNumber(day) ? this.#graveOnLastDay : 0;
  }

  add({ day, reason, isNewNetwork, isNewGrave }: CountedReport): void {
    const flags = (isNewNetwork ? NEW_NETWORK : 0) + (isNewGrave ? NEW_GRAVE : 0);
    this.#count(dayNumber(day) * PER_DAY + REASONS.indexOf(reason) * PER_REASON + flags);
  }

  /** Removes the reports after an operator has judged the record. */
  keep(day: string): void {
    this.#keeps = [...(this.#keeps ?? []), day];
    this.#countAnew([]);
  }

  /** Removes what happened before a day. @returns whether nothing is left */
  expire(oldest: string): boolean {
    const least = dayNumber(oldest) * PER_DAY;
    this.#keeps = this.#keeps?.filter((day) => day >= oldest);
    if ((this.#reports[0] ?? least) < least)
      this.#countAnew(this.#reports.filter((report) => report >= least));
    return this.#reports.length === 0 && this.keeps === 0;
  }

  #countAnew(reports: readonly number[]): void {
    if (reports.length === 0) Object.assign(this.announced, { report: false, illegal: false });
    this.#reports = [];
    this.#networks = 0;
    this.#networksOnADay = 0;
    this.#networksOnLastDay = 0;
    this.#graveOnLastDay = 0;
    this.#illegal = 0;
    for (const report of reports) this.#count(report);
  }

  #count(report: number): void {
    if (numberOf(this.#reports.at(-1) ?? 0) !== numberOf(report)) {
      this.#networksOnLastDay = 0;
      this.#graveOnLastDay = 0;
    }
    this.#reports.push(report);
    if ((report & NEW_NETWORK) !== 0) {
      this.#networks += 1;
      this.#networksOnLastDay += 1;
      this.#networksOnADay = Math.max(this.#networksOnADay, this.#networksOnLastDay);
    }
    if ((report & NEW_GRAVE) !== 0) this.#graveOnLastDay += 1;
    if (reasonOf(report) === 'illegal') this.#illegal += 1;
  }
}
