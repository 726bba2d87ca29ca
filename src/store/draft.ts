import { createHash } from 'node:crypto';
import { Layer } from './layer.ts';
import type { Ledger, Visit } from './ledger.ts';
import { stampOf, type Addition, type Freezing, type Operation } from './operation.ts';
import { kindOf, type Kind, type Records, type Stamp } from './records.ts';
import { latest, nextStamp } from './stamp.ts';
import type { State } from './state.ts';
import type { Attempt, Budget, Entry, Kept, ModerationEntry, Trace, Writer } from './store.ts';

/** The writer of one work: it sees the durable state, the works accepted before it, and its own decisions. */
export class Draft implements Writer {
  readonly own = new Layer();
  readonly #state: State;
  readonly #accepted: Layer;
  readonly #now: number;

  /** @param now wall-clock time of the work, milliseconds since 1970 */
  constructor(state: State, accepted: Layer, now: number) {
    this.#state = state;
    this.#accepted = accepted;
    this.#now = now;
  }

  async find<K extends Kind>(kind: K, id: string): Promise<Kept<K> | undefined> {
    if (kindOf(id) !== kind || this.#hidden(id) !== false) return undefined;
    const durable = this.#state.find(id)?.children ?? 0;
    const decided = (this.own.children.get(id) ?? 0) + (this.#accepted.children.get(id) ?? 0);
    return { record: this.#record(id) as Records[K], children: durable + decided };
  }

  async window(visitor: string, budget: Budget, span: number, limit: number): Promise<number[]> {
    return this.#ledgers()
      .flatMap((ledger) => ledger.window(visitor, budget, this.#now, span, limit))
      .map((visit) => this.#now - visit.at)
      .sort((a, b) => a - b)
      .slice(0, limit);
  }

  async attempt(kind: Kind, trace: Trace, span: number): Promise<Attempt | undefined> {
    const { key, visitor } = trace;
    if (key === null) return undefined;
    const visit = this.#first((ledger) => ledger.withKey({ visitor, kind }, key, this.#now, span));
    return visit && { id: visit.id, sameContent: visit.content === hashOf(trace.content) };
  }

  async twin(kind: Kind, { visitor, content }: Trace, span: number): Promise<string | undefined> {
    return this.#first((ledger) => ledger.withContent({ visitor, kind }, hashOf(content), this.#now, span))?.id;
  }

  async append<K extends Kind>(kind: K, record: Omit<Records[K], 'createdAt'>, trace?: Trace): Promise<Kept<K>> {
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
    const record = this.#record(id);
    if (record === undefined && !this.#erased(id)) return false;
    if (this.#hidden(id) === false && record !== undefined) this.own.count(record, -1);
    this.own.add({ action: 'erase', id, reason, at: this.#stamp() });
    return true;
  }

  async restore(entry: Entry | ModerationEntry): Promise<'kept' | 'known' | 'taken'> {
    if ('action' in entry) {
      if (this.#operationAt(entry.at, (one) => one.action !== 'add')) return 'known';
      if (this.#state.moderatedAt(entry.at) !== undefined) return 'known';
      this.own.add(entry);
      return 'kept';
    }
    const { kind, record } = entry;
    if (this.#record(record.id) !== undefined || this.#erased(record.id)) return 'known';
    const isTaken = this.#state.taken(kind, record.createdAt)
      || this.#operationAt(record.createdAt, (one) => one.action === 'add' && one.kind === kind);
    if (isTaken) return 'taken';
    this.own.add({ action: 'add', kind, record } as Addition);
    this.own.count(record, 1);
    return 'kept';
  }

  async frozen(): Promise<boolean> {
    return this.own.frozen ?? this.#accepted.frozen ?? this.#state.frozen;
  }

  async turn(action: Freezing['action']): Promise<boolean> {
    if (await this.frozen() === (action === 'freeze')) return false;
    this.own.add({ action, at: this.#stamp() });
    return true;
  }

  #operationAt(at: Stamp, fits: (operation: Operation) => boolean): boolean {
    return [this.own, this.#accepted].some(({ operations }) => operations.some((one) => stampOf(one) === at && fits(one)));
  }

  #erased(id: string): boolean {
    return this.own.erased.has(id) || this.#accepted.erased.has(id) || this.#state.erased(id);
  }

  #moderate(action: 'hide' | 'unhide', id: string, reason: string): boolean {
    const record = this.#record(id);
    if (record === undefined || this.#hidden(id) !== (action === 'unhide')) return false;
    this.own.add({ action, id, reason, at: this.#stamp() });
    this.own.count(record, action === 'hide' ? -1 : 1);
    return true;
  }

  #record(id: string): Records[Kind] | undefined {
    if (this.#erased(id)) return undefined;
    return this.own.added.get(id) ?? this.#accepted.added.get(id) ?? this.#state.find(id)?.record;
  }

  #hidden(id: string): boolean | undefined {
    if (this.#erased(id)) return undefined;
    const decided = this.own.hidden.get(id) ?? this.#accepted.hidden.get(id);
    if (decided !== undefined) return decided;
    return this.own.added.has(id) || this.#accepted.added.has(id) ? false : this.#state.find(id)?.hidden;
  }

  #stamp(): Stamp {
    return nextStamp(latest(latest(this.own.last, this.#accepted.last), this.#state.last), this.#now);
  }

  #visit(kind: Kind, id: string, { visitor, budget, key, content }: Trace): Visit {
    return { visitor, budget, at: this.#now, kind, id, key, content: hashOf(content) };
  }

  #ledgers(): Ledger[] {
    return [this.own.ledger, this.#accepted.ledger, this.#state.ledger];
  }

  #first(ask: (ledger: Ledger) => Visit | undefined): Visit | undefined {
    for (const ledger of this.#ledgers()) {
      const visit = ask(ledger);
      if (visit !== undefined) return visit;
    }
    return undefined;
  }
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}
