import type { LogVisitor } from '#store/jsonl/log/log-state.ts';
import type { Row } from '#store/jsonl/log/row.ts';

/** The posts of a log, as one process has read them. */
export class LogView implements LogVisitor {
  /** By id; `text` is undefined once the line is blank. */
  readonly posts = new Map<string, { readonly seq: number; readonly text: string | undefined }>();
  readonly erased = new Set<string>();
  /** Ids of posts that count more than once. */
  readonly repeated: string[] = [];

  row({ seq, do: stored }: Row): void {
    if ('add' in stored) {
      if (this.posts.has(stored.record.id)) this.repeated.push(stored.record.id);
      this.posts.set(stored.record.id, { seq, text: stored.record['message'] as string | undefined });
    } else if ('moderate' in stored) this.erased.add(stored.id);
  }

  isRecent(): boolean {
    return true;
  }

  restore(): never {
    throw new Error('the model has no folder of rows');
  }

  loaded(): void {
    // A process of the model does nothing while it loads.
  }

  async reset(): Promise<void> {
    this.posts.clear();
    this.erased.clear();
  }
}
