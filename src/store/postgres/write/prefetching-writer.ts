import { hashOf, type Draft } from '#store/engine/write-transaction.ts';
import type { Freezing } from '#store/engine/operation.ts';
import type { Kind, Records } from '#store/records.ts';
import type { Attempt, Budget, Entry, Kept, ModerationEntry, Restored, Trace, Writer } from '#store/store.ts';
import type { Questions } from './query-batcher.ts';

/**
 * The writer of a work that is started before its turn: its first question is on its way while the works before it are
 * being decided, and answered once they are.
 */
export class EarlyWriter implements Writer {
  readonly #questions: Questions;
  readonly #draft: Promise<Draft>;

  /** @param draft what the work is decided on, once it is its turn */
  constructor(questions: Questions, draft: Promise<Draft>) {
    this.#questions = questions;
    this.#draft = draft;
  }

  async find<K extends Kind>(kind: K, id: string): Promise<Kept<K> | undefined> {
    this.#ahead(this.#questions.find(id));
    return (await this.#draft).find(kind, id);
  }

  async window(visitor: string, budget: Budget, span: number, limit: number): Promise<number[]> {
    return (await this.#draft).window(visitor, budget, span, limit);
  }

  async attempt(kind: Kind, trace: Trace, span: number): Promise<Attempt | undefined> {
    this.#questions.foresee({ ...trace, kind, content: hashOf(trace.content) });
    return (await this.#draft).attempt(kind, trace, span);
  }

  async twin(kind: Kind, trace: Trace, span: number): Promise<string | undefined> {
    return (await this.#draft).twin(kind, trace, span);
  }

  async append<K extends Kind>(
    kind: K,
    record: Omit<Records[K], 'createdAt'>,
    trace?: Trace,
  ): Promise<Kept<K>> {
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

  async restore(entries: readonly (Entry | ModerationEntry)[]): Promise<Restored[]> {
    return (await this.#draft).restore(entries);
  }

  async frozen(): Promise<boolean> {
    return (await this.#draft).frozen();
  }

  async turn(action: Freezing['action']): Promise<boolean> {
    return (await this.#draft).turn(action);
  }

  /** What fails here fails again for who waits for it. */
  #ahead(answer: Promise<unknown>): void {
    answer.catch(() => undefined);
  }
}
