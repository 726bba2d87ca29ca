import { Log } from '#store/jsonl/log/log.ts';
import { segmentName } from '#store/jsonl/log/segment-names.ts';
import { StoreFailure } from '#store/store.ts';
import { LogView } from './log-view.ts';
import type { MachineModel, Random } from './machine-model.ts';
import { ModelDisk, type Decide } from './model-disk.ts';
import { addOf, eraseOf, FOLDER, type Outcomes } from './outcomes.ts';

/** What a process is asked to do. Posts of one work are appended together. */
export type Work = { readonly post: readonly string[] } | { readonly erase: string };

const MAX_TRIES = 30;

/** A process that opens the log of a model machine, does its works one after the other, and closes. */
export class LogProcess {
  readonly #disk: ModelDisk;
  readonly #decide: Decide;
  readonly #random: Random;
  readonly #outcomes: Outcomes;
  readonly #view = new LogView();
  /** Posts of which the caller does not know whether they are stored. */
  readonly #unknown = new Set<string>();
  #erasures = 0;

  constructor(machine: MachineModel, decide: Decide, random: Random, outcomes: Outcomes) {
    this.#disk = new ModelDisk(machine, decide, () => random() < 0.5);
    this.#decide = decide;
    this.#random = random;
    this.#outcomes = outcomes;
  }

  async run(works: readonly Work[]): Promise<void> {
    const log = await this.#open();
    if (log === undefined) return;
    for (const work of works) await this.#do(log, work);
    if (this.#random() < 0.5) await orFailure(log.prove());
    await log.close();
  }

  /** @returns undefined if the disk fails */
  async #open(): Promise<Log | undefined> {
    const context = {
      disk: this.#disk,
      folder: FOLDER,
      report: () => undefined,
      pause: async () => {
        await this.#decide({ name: 'pause', path: '' });
      },
      visitor: this.#view,
      rows: undefined,
    };
    return orFailure(Log.open(context, segmentName(1)));
  }

  /** As the write queue of the store: catches up, decides, appends, and decides again if it was displaced. */
  async #do(log: Log, work: Work): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const isDone = await orFailure(
        (async () => {
          await log.catchUp();
          await log.prepareToAppend();
          return 'post' in work ? this.#post(log, work.post, tries) : this.#erase(log, work.erase);
        })().catch((error: unknown) => {
          if (error instanceof StoreFailure && error.stored === 'unknown' && 'post' in work)
            for (const id of work.post) this.#unknown.add(id);
          throw error;
        }),
      );
      if (isDone === true || this.#random() < 0.2) return;
    }
  }

  /** @returns whether the caller has an answer for all of the posts */
  async #post(log: Log, post: readonly string[], tries: number): Promise<boolean> {
    const { posts } = this.#view;
    const missing = post.filter((id) => !posts.has(id));
    for (const id of post) if (posts.has(id)) this.#outcomes.stored.add(id);
    if (missing.length === 0) return true;
    if (tries > 0 && this.#random() < 0.2 && missing.every((id) => !this.#unknown.has(id))) {
      for (const id of missing) this.#outcomes.refused.add(id);
      return true;
    }
    const first = log.seq + 1;
    const durable = await log.append(missing.map((id) => ({ stored: addOf(id) })));
    missing.slice(0, durable).forEach((id, index) => {
      if (!posts.has(id)) posts.set(id, { seq: first + index, text: undefined });
      this.#outcomes.stored.add(id);
    });
    return durable === missing.length;
  }

  async #erase(log: Log, id: string): Promise<boolean> {
    const post = this.#view.posts.get(id);
    if (post === undefined) return true;
    const line = { stored: eraseOf(id, this.#erasures++), erases: post.seq };
    if ((await log.append([line])) === 0) return false;
    this.#view.erased.add(id);
    await log.finishErasures();
    this.#outcomes.erased.add(id);
    return true;
  }
}

/** @returns undefined if the model disk failed as planned @throws every other error */
async function orFailure<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const cause = error instanceof StoreFailure ? error.cause : error;
    if (cause instanceof Error && 'code' in cause && (cause.code === 'EIO' || cause.code === 'ENOSPC'))
      return undefined;
    throw error;
  }
}
