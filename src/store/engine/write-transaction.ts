import { createHash } from 'node:crypto';
import type { CommittedState } from './committed-state.ts';
import { Overlay } from './overlay.ts';
import type { WriteHistory, WriteEntry } from './write-history.ts';
import { timestampOf, type AddOperation, type FreezeOperation, type Operation } from './operation.ts';
import { kindOf, type Kind, type Records, type Timestamp } from '#store/records.ts';
import { latest, nextTimestamp } from './timestamp.ts';
import type {
  IdempotentHit,
  LimitScope,
  ExportedRecord,
  RecordView,
  ModerationEntry,
  ImportOutcome,
  WriteOrigin,
  Writer,
} from '#store/store.ts';

/** A record with the changes of the overlays, its child count excepted. */
interface RecordStatus {
  readonly record: Records[Kind];
  readonly hidden: boolean;
  /** Number of durable visible replies or notes. */
  readonly children: number;
}

/**
 * The writer of one transaction. It sees the committed state, the changes of the accepted writes of its
 * batch, and its own changes, in rising precedence.
 */
export class WriteTransaction implements Writer {
  readonly ownChanges = new Overlay();
  readonly #committed: CommittedState;
  readonly #batchChanges: Overlay;
  readonly #now: number;

  /** @param now wall-clock time of the write, milliseconds since 1970 */
  constructor(committed: CommittedState, batchChanges: Overlay, now: number) {
    this.#committed = committed;
    this.#batchChanges = batchChanges;
    this.#now = now;
  }

  async find<K extends Kind>(kind: K, id: string): Promise<RecordView<K> | undefined> {
    if (kindOf(id) !== kind) return undefined;
    const status = await this.#status(id);
    if (status === undefined || status.hidden) return undefined;
    const change = (overlay: Overlay): number => overlay.childCountChanges.get(id) ?? 0;
    const children = status.children + change(this.ownChanges) + change(this.#batchChanges);
    return { record: status.record as Records[K], children };
  }

  async recentWriteAges(
    clientKey: string,
    limitScope: LimitScope,
    windowMs: number,
    limit: number,
  ): Promise<number[]> {
    const query = [clientKey, limitScope, this.#now, windowMs, limit] as const;
    const durable = await this.#committed.writeHistory.recentWrites(...query);
    const pending = this.#overlays().flatMap(
      ({ writeHistory }) => writeHistory?.recentWrites(...query) ?? [],
    );
    return [...pending, ...durable]
      .map((entry) => this.#now - entry.at)
      .sort((a, b) => a - b)
      .slice(0, limit);
  }

  async idempotentHit(kind: Kind, origin: WriteOrigin, windowMs: number): Promise<IdempotentHit | undefined> {
    const { key, clientKey: visitor } = origin;
    if (key === null) return undefined;
    const entry =
      this.#findInOverlays((history) => history.findByKey({ visitor, kind }, key, this.#now, windowMs)) ??
      (await this.#committed.writeHistory.findByKey({ visitor, kind }, key, this.#now, windowMs));
    return entry && { id: entry.id, sameContent: entry.content === hashContent(origin.content) };
  }

  async recentDuplicate(kind: Kind, origin: WriteOrigin, windowMs: number): Promise<string | undefined> {
    const scope = { visitor: origin.clientKey, kind };
    const content = hashContent(origin.content);
    const entry =
      this.#findInOverlays((history) => history.findByContent(scope, content, this.#now, windowMs)) ??
      (await this.#committed.writeHistory.findByContent(scope, content, this.#now, windowMs));
    return entry?.id;
  }

  async append<K extends Kind>(
    kind: K,
    record: Omit<Records[K], 'createdAt'>,
    origin?: WriteOrigin,
  ): Promise<RecordView<K>> {
    const stamped = { ...record, createdAt: this.#nextTimestamp() } as unknown as Records[K];
    const visit = origin && this.#toWriteEntry(kind, stamped.id, origin);
    this.ownChanges.add({ action: 'add', kind, record: stamped, visit } as AddOperation);
    this.ownChanges.countChild(stamped, 1);
    return { record: stamped, children: 0 };
  }

  async hide(id: string, reason: string): Promise<boolean> {
    return this.#setHidden('hide', id, reason);
  }

  async unhide(id: string, reason: string): Promise<boolean> {
    return this.#setHidden('unhide', id, reason);
  }

  async erase(id: string, reason: string): Promise<boolean> {
    const status = await this.#status(id);
    if (status === undefined && !(await this.#isErased(id))) return false;
    if (status?.hidden === false) this.ownChanges.countChild(status.record, -1);
    this.ownChanges.add({ action: 'erase', id, reason, at: this.#nextTimestamp() });
    return true;
  }

  async restore(entries: readonly (ExportedRecord | ModerationEntry)[]): Promise<ImportOutcome[]> {
    // Starts all queries at once. The PostgreSQL engine caches their results, which the loop below then finds.
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
        this.#isErased(entry.record.id),
        this.#committed.hasTimestamp(entry.kind, entry.record.createdAt),
      ]);
  }

  async #restore(entry: ExportedRecord | ModerationEntry): Promise<ImportOutcome> {
    if ('action' in entry) {
      if (this.#hasOperationAt(entry.at, ({ action }) => action !== 'add')) return 'known';
      if ((await this.#committed.moderationAt(entry.at)) !== undefined) return 'known';
      this.ownChanges.add(entry);
      return 'stored';
    }
    const { kind, record } = entry;
    if ((await this.#status(record.id)) !== undefined || (await this.#isErased(record.id))) return 'known';
    const isTaken =
      this.#hasOperationAt(record.createdAt, (added) => added.action === 'add' && added.kind === kind) ||
      (await this.#committed.hasTimestamp(kind, record.createdAt));
    if (isTaken) return 'taken';
    this.ownChanges.add({ action: 'add', kind, record } as AddOperation);
    this.ownChanges.countChild(record, 1);
    return 'stored';
  }

  async frozen(): Promise<boolean> {
    return this.ownChanges.frozen ?? this.#batchChanges.frozen ?? this.#committed.frozen;
  }

  async setFrozen(action: FreezeOperation['action']): Promise<boolean> {
    if ((await this.frozen()) === (action === 'freeze')) return false;
    this.ownChanges.add({ action, at: this.#nextTimestamp() });
    return true;
  }

  /** In falling precedence. */
  #overlays(): Overlay[] {
    return [this.ownChanges, this.#batchChanges];
  }

  #hasOperationAt(at: Timestamp, matches: (operation: Operation) => boolean): boolean {
    return this.#overlays().some(({ operations }) =>
      operations.some((operation) => timestampOf(operation) === at && matches(operation)),
    );
  }

  async #isErased(id: string): Promise<boolean> {
    return this.#overlays().some(({ erasedIds }) => erasedIds.has(id)) || this.#committed.isErased(id);
  }

  async #setHidden(action: 'hide' | 'unhide', id: string, reason: string): Promise<boolean> {
    const status = await this.#status(id);
    if (status?.hidden !== (action === 'unhide')) return false;
    this.ownChanges.add({ action, id, reason, at: this.#nextTimestamp() });
    this.ownChanges.countChild(status.record, action === 'hide' ? -1 : 1);
    return true;
  }

  /** @returns undefined for an unknown or erased record */
  async #status(id: string): Promise<RecordStatus | undefined> {
    const { ownChanges } = this;
    const batchChanges = this.#batchChanges;
    if (ownChanges.erasedIds.has(id) || batchChanges.erasedIds.has(id)) return undefined;
    const added = ownChanges.addedRecords.get(id) ?? batchChanges.addedRecords.get(id);
    const found =
      added === undefined ? await this.#committed.find(id) : { record: added, hidden: false, children: 0 };
    return (
      found && { ...found, hidden: ownChanges.hidden.get(id) ?? batchChanges.hidden.get(id) ?? found.hidden }
    );
  }

  #nextTimestamp(): Timestamp {
    return nextTimestamp(
      latest(
        latest(this.ownChanges.lastTimestamp, this.#batchChanges.lastTimestamp),
        this.#committed.lastTimestamp,
      ),
      this.#now,
    );
  }

  #toWriteEntry(kind: Kind, id: string, { clientKey, limitScope, key, content }: WriteOrigin): WriteEntry {
    return {
      visitor: clientKey,
      budget: limitScope,
      at: this.#now,
      kind,
      id,
      key,
      content: hashContent(content),
    };
  }

  #findInOverlays(find: (history: WriteHistory) => WriteEntry | undefined): WriteEntry | undefined {
    for (const { writeHistory } of this.#overlays()) {
      const entry = writeHistory && find(writeHistory);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}

/**
 * @returns SHA-256 in base64url. Engines persist it in place of the content, to recognize a repeated write.
 */
export function hashContent(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}
