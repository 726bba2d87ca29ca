import { hashContent, type WriteTransaction } from '#store/engine/write-transaction.ts';
import type { FreezeOperation } from '#store/engine/operation.ts';
import type { Kind, Records } from '#store/records.ts';
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
import type { Questions } from './query-batcher.ts';

/**
 * The writer of a work that is started before its turn: its first question is on its way while the works before it are
 * being decided, and answered once they are.
 */
export class EarlyWriter implements Writer {
  readonly #questions: Questions;
  readonly #draft: Promise<WriteTransaction>;

  /** @param draft what the work is decided on, once it is its turn */
  constructor(questions: Questions, draft: Promise<WriteTransaction>) {
    this.#questions = questions;
    this.#draft = draft;
  }

  async find<K extends Kind>(kind: K, id: string): Promise<RecordView<K> | undefined> {
    this.#ahead(this.#questions.find(id));
    return (await this.#draft).find(kind, id);
  }

  async recentWriteAges(visitor: string, budget: LimitScope, span: number, limit: number): Promise<number[]> {
    return (await this.#draft).recentWriteAges(visitor, budget, span, limit);
  }

  async idempotentHit(kind: Kind, trace: WriteOrigin, span: number): Promise<IdempotentHit | undefined> {
    const { clientKey: visitor, limitScope: budget, key, content } = trace;
    this.#questions.foresee({ visitor, budget, key, kind, content: hashContent(content) });
    return (await this.#draft).idempotentHit(kind, trace, span);
  }

  async recentDuplicate(kind: Kind, trace: WriteOrigin, span: number): Promise<string | undefined> {
    return (await this.#draft).recentDuplicate(kind, trace, span);
  }

  async append<K extends Kind>(
    kind: K,
    record: Omit<Records[K], 'createdAt'>,
    trace?: WriteOrigin,
  ): Promise<RecordView<K>> {
    return (await this.#draft).append(kind, record, trace);
  }

  async hide(id: string, reason: string): Promise<boolean> {
    return (await this.#draft).hide(id, reason);
  }

  async unhide(id: string, reason: string): Promise<boolean> {
    return (await this.#draft).unhide(id, reason);
  }

  async erase(id: string, reason: string): Promise<boolean> {
    return (await this.#draft).erase(id, reason);
  }

  async restore(entries: readonly (ExportedRecord | ModerationEntry)[]): Promise<ImportOutcome[]> {
    return (await this.#draft).restore(entries);
  }

  async frozen(): Promise<boolean> {
    return (await this.#draft).frozen();
  }

  async setFrozen(action: FreezeOperation['action']): Promise<boolean> {
    return (await this.#draft).setFrozen(action);
  }

  /** What fails here fails again for who waits for it. */
  #ahead(answer: Promise<unknown>): void {
    answer.catch(() => undefined);
  }
}
