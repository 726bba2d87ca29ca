import { call } from './call.ts';
import type { AnyTool, Context } from './define.ts';

/** What a tool answered, and as the JSON that every door sends. */
export interface Page {
  readonly output: Record<string, unknown>;
  readonly text: string;
}

/** In characters; enough for what is asked for again and again. */
const MOST_TEXT = 16_000_000;
const LONGEST_KEY = 200;

/**
 * The answers of reads, made once and shared by every caller of every door for as long as nothing changes. A change is
 * seen by the very next read, also where another process made it.
 */
export class Pages {
  readonly #kept = new Map<string, Page>();
  #size = 0;
  /** Of the pages that are kept. */
  #revision: number | undefined;

  /** Runs a tool, unless it is a read whose answer is kept. @throws WorkspaceError and nothing else */
  async answer(tool: AnyTool, args: unknown, context: Context): Promise<Page> {
    const { workspace, caller } = context;
    const before = tool.annotations.readOnlyHint ? workspace.revision() : undefined;
    const key = before === undefined ? '' : `${tool.name} ${caller.textBudget ?? ''} ${JSON.stringify(args)}`;
    if (before === undefined || key.length > LONGEST_KEY) return toPage(await call(tool, args, context));
    const kept = this.#at(before).get(key);
    if (kept !== undefined) return kept;
    const page = toPage(await call(tool, args, context));
    if (workspace.revision() === before) this.#keep(before, key, page);
    return page;
  }

  #at(revision: number): Map<string, Page> {
    if (this.#revision !== revision) {
      this.#kept.clear();
      this.#size = 0;
    }
    this.#revision = revision;
    return this.#kept;
  }

  #keep(revision: number, key: string, page: Page): void {
    const pages = this.#at(revision);
    this.#size += page.text.length - (pages.get(key)?.text.length ?? 0);
    pages.set(key, page);
    for (const [oldest, { text }] of pages) {
      if (this.#size <= MOST_TEXT) break;
      pages.delete(oldest);
      this.#size -= text.length;
    }
  }
}

function toPage(output: Record<string, unknown>): Page {
  return { output, text: JSON.stringify(output) };
}
