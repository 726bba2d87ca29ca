import { call } from './call.ts';
import type { AnyTool, Context } from './define.ts';
import { KeptAnswers } from './kept-answers.ts';

/** What a tool answered, and as the JSON that every door sends. */
export interface Page {
  readonly output: Record<string, unknown>;
  readonly text: string;
}

const LONGEST_KEY = 200;

/**
 * The answers of reads, made once and shared by every caller of every door for as long as nothing changes. A change is
 * seen by the very next read, also where another process made it.
 */
export class Pages {
  readonly #kept = new KeptAnswers<{ revision: number; size: number; page: Page }>();
  /** What is being made, for others to wait for. */
  readonly #making = new Map<string, Promise<Page>>();

  /** Runs a tool, unless it is a read whose answer is kept. @throws WorkspaceError and nothing else */
  async answer(tool: AnyTool, args: unknown, context: Context): Promise<Page> {
    const { workspace, caller } = context;
    const revision = tool.annotations.readOnlyHint ? await workspace.revision() : undefined;
    const key =
      revision === undefined ? '' : `${tool.name} ${caller.textBudget ?? ''} ${JSON.stringify(args)}`;
    if (revision === undefined || key.length > LONGEST_KEY) return toPage(await call(tool, args, context));
    const kept = this.#kept.find(key, revision);
    if (kept !== undefined) return kept.page;
    const name = `${revision} ${key}`;
    const making =
      this.#making.get(name) ??
      this.#make(name, async () => {
        const page = toPage(await call(tool, args, context));
        this.#kept.keep(key, { revision, size: page.text.length, page });
        return page;
      });
    return making;
  }

  #make(name: string, make: () => Promise<Page>): Promise<Page> {
    const making = make().finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    return making;
  }
}

function toPage(output: Record<string, unknown>): Page {
  return { output, text: JSON.stringify(output) };
}
