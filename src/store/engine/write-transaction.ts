import { createHash } from 'node:crypto';
import type { CommittedState } from './committed-state.ts';
import { Overlay } from './overlay.ts';
import type { WriteHistory, WriteEntry } from './write-history.ts';
import { timestampOf, type Addition, type FreezeOperation, type Operation } from './operation.ts';
import { kindOf, type Kind, type Records, type Stamp } from '#store/records.ts';
import { latest, nextTimestamp } from './timestamp.ts';
import type {
  IdempotentHit,
  Budget,
  ExportedRecord,
  RecordView,
  ModerationEntry,
  ImportOutcome,
  WriteOrigin,
  Writer,
} from '#store/store.ts';

/** What a work finds at an id: the durable record or one that was decided, hidden or not. */
interface RecordStatus {
  readonly record: Records[Kind];
  readonly hidden: boolean;
  /** Visible replies or notes that are durable. */
  readonly children: number;
}

/** The writer of one work: it sees what is durable, the works accepted before it, and its own decisions. */
export class WriteTransaction implements Writer {
  readonly ownChanges = new Overlay();
  readonly #committed: CommittedState;
  readonly #batchChanges: Overlay;
  readonly #now: number;

  /** @param now wall-clock time of the work, milliseconds since 1970 */
  constructor(durable: CommittedState, accepted: Overlay, now: number) {
    this.#committed = durable;
    this.#batchChanges = accepted;
    this.#now = now;
  }

  async find<K extends Kind>(kind: K, id: string): Promise<RecordView<K> | undefined> {
    if (kindOf(id) !== kind) return undefined;
    const sight = await this.#status(id);
    if (sight === undefined || sight.hidden) return undefined;
    const decided = (this.ownChanges.children.get(id) ?? 0) + (this.#batchChanges.children.get(id) ?? 0);
    return { record: sight.record as Records[K], children: sight.children + decided };
  }

  async recentWriteAges(visitor: string, budget: Budget, span: number, limit: number): Promise<number[]> {
    const durable = await this.#committed.history.recentWrites(visitor, budget, this.#now, span, limit);
    const decided = this.#overlays().flatMap(
      ({ history }) => history?.recentWrites(visitor, budget, this.#now, span, limit) ?? [],
    );
    return [...decided, ...durable]
      .map((visit) => this.#now - visit.at)
      .sort((a, b) => a - b)
      .slice(0, limit);
  }

  async idempotentHit(kind: Kind, trace: WriteOrigin, span: number): Promise<IdempotentHit | undefined> {
    const { key, visitor } = trace;
    if (key === null) return undefined;
    const visit =
      this.#findInOverlays((ledger) => ledger.withKey({ visitor, kind }, key, this.#now, span)) ??
      (await this.#committed.history.withKey({ visitor, kind }, key, this.#now, span));
    return visit && { id: visit.id, sameContent: visit.content === hashContent(trace.content) };
  }

  async recentDuplicate(kind: Kind, trace: WriteOrigin, span: number): Promise<string | undefined> {
    const scope = { visitor: trace.visitor, kind };
    const content = hashContent(trace.content);
    const visit =
      this.#findInOverlays((ledger) => ledger.withContent(scope, content, this.#now, span)) ??
      (await this.#committed.history.withContent(scope, content, this.#now, span));
    return visit?.id;
  }

  async append<K extends Kind>(
    kind: K,
    record: Omit<Records[K], 'createdAt'>,
    trace?: WriteOrigin,
  ): Promise<RecordView<K>> {
    const stamped = { ...record, createdAt: this.#stamp() } as unknown as Records[K];
    const visit = trace && this.#toWriteEntry(kind, stamped.id, trace);
    this.ownChanges.add({ action: 'add', kind, record: stamped, visit } as Addition);
    this.ownChanges.count(stamped, 1);
    return { record: stamped, children: 0 };
  }

  async hide(id: string, reason: string): Promise<boolean> {
    return this.#moderate('hide', id, reason);
  }

  async unhide(id: string, reason: string): Promise<boolean> {
    return this.#moderate('unhide', id, reason);
  }

  async erase(id: string, reason: string): Promise<boolean> {
    const sight = await this.#status(id);
    if (sight === undefined && !(await this.#erased(id))) return false;
    if (sight?.hidden === false) this.ownChanges.count(sight.record, -1);
    this.ownChanges.add({ action: 'erase', id, reason, at: this.#stamp() });
    return true;
  }

  async restore(entries: readonly (ExportedRecord | ModerationEntry)[]): Promise<ImportOutcome[]> {
    // Together, since every question may be a way to a database and back; asked again they are answered at once.
    await Promise.all(entries.map((entry) => this.#prefetch(entry)));
    const outcomes: ImportOutcome[] = [];
    for (const entry of entries) outcomes.push(await this.#restore(entry));
    return outcomes;
  }

  async #prefetch(entry: ExportedRecord | ModerationEntry): Promise<void> {
    if ('action' in entry) await this.#committed.moderationAt(entry.at);
    else
      await Promise.all([
        this.#status(entry.record.id),
        this.#erased(entry.record.id),
        this.#committed.hasTimestamp(entry.kind, entry.record.createdAt),
      ]);
  }

  async #restore(entry: ExportedRecord | ModerationEntry): Promise<ImportOutcome> {
    if ('action' in entry) {
      if (this.#operationAt(entry.at, (one) => one.action !== 'add')) return 'known';
      if ((await this.#committed.moderationAt(entry.at)) !== undefined) return 'known';
      this.ownChanges.add(entry);
      return 'kept';
    }
    const { kind, record } = entry;
    if ((await this.#status(record.id)) !== undefined || (await this.#erased(record.id))) return 'known';
    const isTaken =
      this.#operationAt(record.createdAt, (one) => one.action === 'add' && one.kind === kind) ||
      (await this.#committed.hasTimestamp(kind, record.createdAt));
    if (isTaken) return 'taken';
    this.ownChanges.add({ action: 'add', kind, record } as Addition);
    this.ownChanges.count(record, 1);
    return 'kept';
  }

  async frozenError(): Promise<boolean> {
    return this.ownChanges.frozen ?? this.#batchChanges.frozen ?? this.#committed.frozen;
  }

  async setFrozen(action: FreezeOperation['action']): Promise<boolean> {
    if ((await this.frozenError()) === (action === 'freeze')) return false;
    this.ownChanges.add({ action, at: this.#stamp() });
    return true;
  }

  #overlays(): Overlay[] {
    return [this.ownChanges, this.#batchChanges];
  }

  #operationAt(at: Stamp, fits: (operation: Operation) => boolean): boolean {
    return this.#overlays().some(({ operations }) =>
      operations.some((one) => timestampOf(one) === at && fits(one)),
    );
  }

  async #erased(id: string): Promise<boolean> {
    return this.#overlays().some(({ erased }) => erased.has(id)) || this.#committed.erased(id);
  }

  async #moderate(action: 'hide' | 'unhide', id: string, reason: string): Promise<boolean> {
    const sight = await this.#status(id);
    if (sight?.hidden !== (action === 'unhide')) return false;
    this.ownChanges.add({ action, id, reason, at: this.#stamp() });
    this.ownChanges.count(sight.record, action === 'hide' ? -1 : 1);
    return true;
  }

  async #status(id: string): Promise<RecordStatus | undefined> {
    const { ownChanges } = this;
    const accepted = this.#batchChanges;
    if (ownChanges.erased.has(id) || accepted.erased.has(id)) return undefined;
    const added = ownChanges.added.get(id) ?? accepted.added.get(id);
    const found =
      added === undefined ? await this.#committed.find(id) : { record: added, hidden: false, children: 0 };
    return (
      found && { ...found, hidden: ownChanges.hidden.get(id) ?? accepted.hidden.get(id) ?? found.hidden }
    );
  }

  #stamp(): Stamp {
    return nextTimestamp(
      latest(
        latest(this.ownChanges.lastTimestamp, this.#batchChanges.lastTimestamp),
        this.#committed.lastTimestamp,
      ),
      this.#now,
    );
  }

  #toWriteEntry(kind: Kind, id: string, { visitor, budget, key, content }: WriteOrigin): WriteEntry {
    return { visitor, budget, at: this.#now, kind, id, key, content: hashContent(content) };
  }

  #findInOverlays(ask: (ledger: WriteHistory) => WriteEntry | undefined): WriteEntry | undefined {
    for (const { history } of this.#overlays()) {
      const visit = history && ask(history);
      if (visit !== undefined) return visit;
    }
    return undefined;
  }
}

/** @returns what is kept of the content of a write, to tell a repeated one. */
export function hashContent(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}
