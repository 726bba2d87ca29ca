import type { Moderation, Operation } from '#store/engine/operation.ts';
import { isError } from '#store/folder/fs/errors.ts';
import { LogAdapter } from '#store/jsonl/log-adapter.ts';
import { toStored } from '#store/jsonl/log/codec.ts';
import { Mutex } from '#store/folder/mutex.ts';
import { StoreFailure } from '#store/port/store.ts';
import { assertErased } from './check-traces.ts';
import type { MachineModel, Random } from './machine-model.ts';
import { FOLDER, ModelDisk, type Decide } from './model-disk.ts';
import { addOf, moderationOf, NOW } from './model-records.ts';
import type { Outcomes } from './outcomes.ts';

/** What a process is asked to do. Posts of one work are appended together. */
export type Work =
  | { readonly post: readonly string[] }
  | { readonly moderate: Moderation['action']; readonly id: string };

/** What all processes of a run share. */
export interface ModelRun {
  readonly machine: MachineModel;
  readonly random: Random;
  readonly outcomes: Outcomes;
  /** Whether processes write snapshots, and start from them. */
  readonly hasSnapshots: boolean;
  /** Of the moderations so far. */
  moderations: number;
}

const MAX_TRIES = 30;
/** Between two snapshots of a process. */
const PAUSES = 4;

/** A process that opens the store of a model machine, does its works one after the other, and closes. */
export class StoreProcess {
  readonly #disk: ModelDisk;
  readonly #decide: Decide;
  readonly #run: ModelRun;
  readonly #mutex = new Mutex();
  /** Posts of which the caller does not know whether they are stored. */
  readonly #unknown = new Set<string>();

  constructor(run: ModelRun, decide: Decide) {
    this.#disk = new ModelDisk(run.machine, decide, () => run.random() < 0.5);
    this.#decide = decide;
    this.#run = run;
  }

  async run(works: readonly Work[]): Promise<void> {
    const adapter = await this.#open();
    if (adapter === undefined) return;
    const stopping = new AbortController();
    const writing = this.#writeSnapshots(adapter, stopping.signal);
    for (const work of works) await this.#do(adapter, work);
    stopping.abort();
    await writing;
    if (this.#run.random() < 0.5) await orFailure(adapter.prove());
    await adapter.close();
  }

  /** @returns undefined if the disk fails */
  async #open(): Promise<LogAdapter | undefined> {
    const options = {
      disk: this.#disk,
      folder: FOLDER,
      clock: { now: () => NOW },
      report: () => undefined,
      pause: async () => {
        await this.#decide({ name: 'pause', path: '' });
      },
      readsEveryLine: !this.#run.hasSnapshots,
    };
    return orFailure(LogAdapter.open(options, () => undefined));
  }

  /** As a server does: while works are done, and in some processes once more at the end. */
  async #writeSnapshots(adapter: LogAdapter, stopped: AbortSignal): Promise<void> {
    const { hasSnapshots, random } = this.#run;
    if (!hasSnapshots) return;
    const write = async (): Promise<void> => {
      const writing = adapter.writeSnapshot(() => this.#catchUp(adapter));
      await orFailure(writing.catch(passIfRemoved));
    };
    while (!stopped.aborted) {
      await write();
      for (let pauses = PAUSES; pauses > 0 && !stopped.aborted; pauses--)
        await this.#decide({ name: 'pause', path: '' });
    }
    if (random() < 0.5) await write();
  }

  async #catchUp(adapter: LogAdapter): Promise<boolean> {
    await orFailure(this.#mutex.runExclusive(() => adapter.read()));
    return !adapter.hasMoved();
  }

  /** As the write queue of the store: catches up, decides, appends, and decides again if it was displaced. */
  async #do(adapter: LogAdapter, work: Work): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const isDone = await orFailure(
        this.#mutex.runExclusive(async () => {
          await adapter.read();
          await adapter.prepareToAppend();
          return 'post' in work
            ? this.#post(adapter, work.post, tries)
            : this.#moderate(adapter, work.moderate, work.id);
        }),
        (failure) => {
          if (failure.stored === 'unknown' && 'post' in work)
            for (const id of work.post) this.#unknown.add(id);
        },
      );
      if (isDone === true || this.#run.random() < 0.2) return;
    }
  }

  /** @returns whether the caller has an answer for all of the posts */
  async #post(adapter: LogAdapter, post: readonly string[], tries: number): Promise<boolean> {
    const { outcomes, random } = this.#run;
    const missing = post.filter((id) => adapter.index.lineOf(id) === undefined);
    for (const id of post) if (!missing.includes(id)) outcomes.stored.add(id);
    if (missing.length === 0) return true;
    if (tries > 0 && random() < 0.2 && missing.every((id) => !this.#unknown.has(id))) {
      for (const id of missing) outcomes.refused.add(id);
      return true;
    }
    const durable = await append(
      adapter,
      missing.map((id) => addOf(id)),
    );
    for (const id of missing.slice(0, durable)) outcomes.stored.add(id);
    return durable === missing.length;
  }

  async #moderate(adapter: LogAdapter, action: Moderation['action'], id: string): Promise<boolean> {
    const { machine, outcomes } = this.#run;
    if (adapter.index.lineOf(id) === undefined) return true;
    const moderation = moderationOf(action, id, (this.#run.moderations += 1));
    if ((await append(adapter, [moderation])) === 0) return false;
    outcomes.moderated.add(moderation.at);
    if (action !== 'erase') return true;
    outcomes.erased.add(id);
    assertErased(machine, id);
    return true;
  }
}

/** An erase, or another process that writes, has removed what was being written. */
function passIfRemoved(error: unknown): void {
  if (!isError(error, 'ENOENT')) throw error;
}

/** @returns how many are durable */
function append(adapter: LogAdapter, operations: readonly Operation[]): Promise<number> {
  return adapter.append(
    operations.map((operation) => ({ operation, stored: toStored(operation, adapter.keys) })),
  );
}

/**
 * @param onFailure is called with a failure of the store that the disk caused
 * @returns undefined if the model disk failed as planned @throws every other error
 */
async function orFailure<Result>(
  work: Promise<Result>,
  onFailure: (failure: StoreFailure) => void = () => undefined,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreFailure) onFailure(error);
    const cause = error instanceof StoreFailure ? error.cause : error;
    if (cause instanceof Error && 'code' in cause && (cause.code === 'EIO' || cause.code === 'ENOSPC'))
      return undefined;
    throw error;
  }
}
