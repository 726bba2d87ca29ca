import { createHash } from 'node:crypto';
import type { Durable } from './committed-state.ts';
import { Layer } from './overlay.ts';
import type { Ledger, Visit } from './write-history.ts';
import { stampOf, type Addition, type Freezing, type Operation } from './operation.ts';
import { kindOf, type Kind, type Records, type Stamp } from '#store/records.ts';
import { latest, nextStamp } from './timestamp.ts';
import type { Attempt, Budget, Entry, Kept, ModerationEntry, Restored, Trace, Writer } from '#store/store.ts';

/** What a work finds at an id: the durable record or one that was decided, hidden or not. */
interface Sight {
  readonly record: Records[Kind];
  readonly hidden: boolean;
  /** Visible replies or notes that are durable. */
  readonly children: number;
}

/** The writer of one work: it sees what is durable, the works accepted before it, and its own decisions. */
export class Draft implements Writer {
  readonly own = new Layer();
  readonly #durable: Durable;
  readonly #accepted: Layer;
  readonly #now: number;

  /** @param now wall-clock time of the work, milliseconds since 1970 */
  constructor(durable: Durable, accepted: Layer, now: number) {
    this.#durable = durable;
    this.#accepted = accepted;
    this.#now = now;
  }

  async find<K extends Kind>(kind: K, id: string): Promise<Kept<K> | undefined> {
    if (kindOf(id) !== kind) return undefined;
    const sight = await this.#look(id);
    if (sight === undefined || sight.hidden) return undefined;
    const decided = (this.own.children.get(id) ?? 0) + (this.#accepted.children.get(id) ?? 0);
    return { record: sight.record as Records[K], children: sight.children + decided };
  }

  async window(visitor: string, budget: Budget, span: number, limit: number): Promise<number[]> {
    const durable = await this.#durable.ledger.window(visitor, budget, this.#now, span, limit);
    const decided = this.#layers().flatMap(
      ({ ledger }) => ledger?.window(visitor, budget, this.#now, span, limit) ?? [],
    );
    return [...decided, ...durable]
      .map((visit) => this.#now - visit.at)
      .sort((a, b) => a - b)
      .slice(0, limit);
  }

  async attempt(kind: Kind, trace: Trace, span: number): Promise<Attempt | undefined> {
    const { key, visitor } = trace;
    if (key === null) return undefined;
    const visit =
      this.#decided((ledger) => ledger.withKey({ visitor, kind }, key, this.#now, span)) ??
      (await this.#durable.ledger.withKey({ visitor, kind }, key, this.#now, span));
    return visit && { id: visit.id, sameContent: visit.content === hashOf(trace.content) };
  }

  async twin(kind: Kind, trace: Trace, span: number): Promise<string | undefined> {
    const scope = { visitor: trace.visitor, kind };
    const content = hashOf(trace.content);
    const visit =
      this.#decided((ledger) => ledger.withContent(scope, content, this.#now, span)) ??
      (await this.#durable.ledger.withContent(scope, content, this.#now, span));
    return visit?.id;
  }

  async append<K extends Kind>(
    kind: K,
    record: Omit<Records[K], 'createdAt'>,
    trace?: Trace,
  ): Promise<Kept<K>> {
    const stamped = { ...record, createdAt: this.#stamp() } as unknown as Records[K];
    const visit = trace && this.#visit(kind, stamped.id, trace);
    this.own.add({ action: 'add', kind, record: stamped, visit } as Addition);
    this.own.count(stamped, 1);
    return { record: stamped, children: 0 };
  }

  async hide(id: string, reason: string): Promise<boolean> {
    return this.#moderate('hide', id, reason);
  }

  async unhide(id: string, reason: string): Promise<boolean> {
    return this.#moderate('unhide', id, reason);
  }

  async erase(id: string, reason: string): Promise<boolean> {
    const sight = await this.#look(id);
    if (sight === undefined && !(await this.#erased(id))) return false;
    if (sight?.hidden === false) this.own.count(sight.record, -1);
    this.own.add({ action: 'erase', id, reason, at: this.#stamp() });
    return true;
  }

  async restore(entries: readonly (Entry | ModerationEntry)[]): Promise<Restored[]> {
    // Together, since every question may be a way to a database and back; asked again they are answered at once.
    await Promise.all(entries.map((entry) => this.#foresee(entry)));
    const outcomes: Restored[] = [];
    for (const entry of entries) outcomes.push(await this.#restore(entry));
    return outcomes;
  }

  async #foresee(entry: Entry | ModerationEntry): Promise<void> {
    if ('action' in entry) await this.#durable.moderatedAt(entry.at);
    else
      await Promise.all([
        this.#look(entry.record.id),
        this.#erased(entry.record.id),
        this.#durable.taken(entry.kind, entry.record.createdAt),
      ]);
  }

  async #restore(entry: Entry | ModerationEntry): Promise<Restored> {
    if ('action' in entry) {
      if (this.#operationAt(entry.at, (one) => one.action !== 'add')) return 'known';
      if ((await this.#durable.moderatedAt(entry.at)) !== undefined) return 'known';
      this.own.add(entry);
      return 'kept';
    }
    const { kind, record } = entry;
    if ((await this.#look(record.id)) !== undefined || (await this.#erased(record.id))) return 'known';
    const isTaken =
      this.#operationAt(record.createdAt, (one) => one.action === 'add' && one.kind === kind) ||
      (await this.#durable.taken(kind, record.createdAt));
    if (isTaken) return 'taken';
    this.own.add({ action: 'add', kind, record } as Addition);
    this.own.count(record, 1);
    return 'kept';
  }

  async frozen(): Promise<boolean> {
    return this.own.frozen ?? this.#accepted.frozen ?? this.#durable.frozen;
  }

  async turn(action: Freezing['action']): Promise<boolean> {
    if ((await this.frozen()) === (action === 'freeze')) return false;
    this.own.add({ action, at: this.#stamp() });
    return true;
  }

  #layers(): Layer[] {
    return [this.own, this.#accepted];
  }

  #operationAt(at: Stamp, fits: (operation: Operation) => boolean): boolean {
    return this.#layers().some(({ operations }) =>
      operations.some((one) => stampOf(one) === at && fits(one)),
    );
  }

  async #erased(id: string): Promise<boolean> {
    return this.#layers().some(({ erased }) => erased.has(id)) || this.#durable.erased(id);
  }

  async #moderate(action: 'hide' | 'unhide', id: string, reason: string): Promise<boolean> {
    const sight = await this.#look(id);
    if (sight?.hidden !== (action === 'unhide')) return false;
    this.own.add({ action, id, reason, at: this.#stamp() });
    this.own.count(sight.record, action === 'hide' ? -1 : 1);
    return true;
  }

  async #look(id: string): Promise<Sight | undefined> {
    const { own } = this;
    const accepted = this.#accepted;
    if (own.erased.has(id) || accepted.erased.has(id)) return undefined;
    const added = own.added.get(id) ?? accepted.added.get(id);
    const found =
      added === undefined ? await this.#durable.find(id) : { record: added, hidden: false, children: 0 };
    return found && { ...found, hidden: own.hidden.get(id) ?? accepted.hidden.get(id) ?? found.hidden };
  }

  #stamp(): Stamp {
    return nextStamp(latest(latest(this.own.last, this.#accepted.last), this.#durable.last), this.#now);
  }

  #visit(kind: Kind, id: string, { visitor, budget, key, content }: Trace): Visit {
    return { visitor, budget, at: this.#now, kind, id, key, content: hashOf(content) };
  }

  #decided(ask: (ledger: Ledger) => Visit | undefined): Visit | undefined {
    for (const { ledger } of this.#layers()) {
      const visit = ledger && ask(ledger);
      if (visit !== undefined) return visit;
    }
    return undefined;
  }
}

/** @returns what is kept of the content of a write, to tell a repeated one. */
export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}
