import type { JsonlStoreOptions } from '#store/jsonl/jsonl-options.ts';
import type { LogAdapter } from '#store/jsonl/log-adapter.ts';

/** How often files are looked for that can be written: an agent may start a server for a moment only. */
const INTERVAL_MS = 5000;
/** Between two files, each of which keeps the event loop for some milliseconds. */
const PAUSE_MS = 50;

/** Writes the folder `rows` in the background. */
export class RowsWriter {
  readonly #adapter: Pick<LogAdapter, 'writeRows'>;
  readonly #catchUp: () => Promise<boolean>;
  readonly #report: (message: string) => void;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isStopped = false;

  /** @param catchUp as of `writeMissingRows` */
  constructor(
    adapter: Pick<LogAdapter, 'writeRows'>,
    catchUp: () => Promise<boolean>,
    { report, rows }: Pick<JsonlStoreOptions, 'report' | 'rows'>,
  ) {
    this.#adapter = adapter;
    this.#catchUp = catchUp;
    this.#report = report;
    this.#intervalMs = rows?.intervalMs ?? INTERVAL_MS;
    this.#schedule(this.#intervalMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
  }

  #schedule(delay: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#write();
    }, delay).unref();
  }

  async #write(): Promise<void> {
    let delay = this.#intervalMs;
    try {
      if (await this.#adapter.writeRows(this.#catchUp)) delay = Math.min(PAUSE_MS, delay);
    } catch (error) {
      this.#report(`the folder rows may hold more than it should: ${String(error)}`);
    }
    this.#schedule(delay);
  }
}
