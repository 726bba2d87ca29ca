import { createHash } from 'node:crypto';
import { Ledger, type Visit } from './ledger.ts';
import type { Addition, Operation } from './operation.ts';
import { kindOf, parentOf, type Kind, type Records, type Stamp } from './records.ts';
import { nextStamp } from './stamp.ts';
import type { State } from './state.ts';
import type { Attempt, Budget, Kept, Trace, Writer } from './store.ts';

/** What works decided that is not durable yet, over the state that is. */
export class Layer {
  readonly operations: Operation[] = [];
  readonly added = new Map<string, Records[Kind]>();
  readonly hidden = new Map<string, boolean>();
  /** How many visible children were won or lost, by their parent's id. */
  readonly children = new Map<string, number>();
  readonly ledger = new Ledger();
  last: Stamp | null = null;

  add(operation: Operation): void {
    this.operations.push(operation);
    if (operation.action === 'add') {
      this.last = operation.record.createdAt;
      this.added.set(operation.record.id, operation.record);
      if (operation.visit !== undefined) this.ledger.add(operation.visit);
    } else {
      this.last = operation.at;
      this.hidden.set(operation.id, operation.action === 'hide');
    }
  }

  count(child: Records[Kind], sign: 1 | -1): void {
    const parent = parentOf(child);
    if (parent !== null) this.#count(parent, sign);
  }

  absorb(other: Layer): void {
    for (const operation of other.operations) this.add(operation);
    for (const [parent, change] of other.children) this.#count(parent, change);
  }

  #count(parent: string, change: number): void {
    this.children.set(parent, (this.children.get(parent) ?? 0) + change);
  }
}

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

  #moderate(action: 'hide' | 'unhide', id: string, reason: string): boolean {
    const record = this.#record(id);
    if (record === undefined || this.#hidden(id) !== (action === 'unhide')) return false;
    this.own.add({ action, id, reason, at: this.#stamp() });
    this.own.count(record, action === 'hide' ? -1 : 1);
    return true;
  }

  #record(id: string): Records[Kind] | undefined {
    return this.own.added.get(id) ?? this.#accepted.added.get(id) ?? this.#state.find(id)?.record;
  }

  #hidden(id: string): boolean | undefined {
    const decided = this.own.hidden.get(id) ?? this.#accepted.hidden.get(id);
    if (decided !== undefined) return decided;
    return this.own.added.has(id) || this.#accepted.added.has(id) ? false : this.#state.find(id)?.hidden;
  }

  #stamp(): Stamp {
    return nextStamp(this.own.last ?? this.#accepted.last ?? this.#state.last, this.#now);
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
