import assert from 'node:assert/strict';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { FolderStoreOptions, LockHost } from '#store/folder/options.ts';
import { repairFolder } from '#store/folder/repair.ts';
import { StoreFailure, type Decision, type Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { moderate } from '#workspace/publishing/operator-writes.ts';
import { START, type MachineModel, type Random } from './machine-model.ts';
import { FOLDER, ModelDisk, type Decide } from './model-disk.ts';
import { idOf, importedPost, isLimited, LIMIT, originOf, postOf } from './model-records.ts';
import { assertErased, type Outcomes } from './outcomes.ts';

/** What all processes of a run share. */
export interface ModelRun {
  readonly machine: MachineModel;
  readonly random: Random;
  readonly outcomes: Outcomes;
  /** Locks of living processes look dead: two of them may hold it at once. */
  readonly ignoresLocks: boolean;
  /** The number of the first call that a post repeats; imports have none. */
  readonly firstOf: Map<number, number>;
  /** Of the posts so far. */
  posts: number;
  moderations: number;
  /** Posts that somebody has tried to hide or erase. */
  readonly moderated: Set<string>;
  /** Of the last acknowledged post. */
  lastTimestamp: string;
}

const TRIES = 3;
const STARTED_AT_ONCE = 3;
class LimitReached extends Error {}

/** A process on a model machine. */
export class StoreProcess {
  readonly #run: ModelRun;
  readonly #disk: ModelDisk;
  readonly #options: ReturnType<typeof storeOptions>;
  /** What the machine knows the process by, as long as it runs. */
  readonly #name: string;

  constructor(run: ModelRun, decide: Decide) {
    this.#run = run;
    this.#disk = new ModelDisk(run.machine, decide, run.random);
    const { machine, random } = run;
    const space = random() < 0.8 ? 'space-1' : 'space-2';
    let pid = 1;
    while (machine.processes.has(`${space} ${pid}`)) pid += 1;
    this.#name = `${space} ${pid}`;
    machine.processes.add(this.#name);
    this.#options = storeOptions(machine, this.#disk, this.#hostOf(space, pid));
  }

  /** Opens the store, makes some calls, and closes it. */
  async serve(): Promise<void> {
    const store = await orFailure(openFolderStore(this.#options));
    if (store === undefined) return;
    const { random } = this.#run;
    await Promise.all(
      Array.from({ length: 1 + Math.floor(random() * STARTED_AT_ONCE) }, async () => {
        for (let calls = 1 + Math.floor(random() * 3); calls > 0; calls--) await this.#call(store);
      }),
    );
    await orFailure(store.close());
  }

  async repair(): Promise<void> {
    await orFailure(repairFolder(this.#options));
  }

  /** It was killed, or has ended. */
  end(): void {
    this.#run.machine.processes.delete(this.#name);
  }

  #hostOf(space: string, pid: number): LockHost {
    const { machine, random, ignoresLocks } = this.#run;
    let ahead = 0;
    return {
      pid,
      run: `run-${Math.floor(random() * 2 ** 30)}`,
      boot: `boot-${machine.boot}`,
      space,
      isAlive: (other) => machine.processes.has(`${space} ${other}`) && !(ignoresLocks && random() < 0.5),
      now: () => {
        if (ignoresLocks && random() < 0.02) ahead += 5000;
        return machine.time - START + ahead;
      },
      pause: (ms) => this.#disk.pause(ms),
    };
  }

  #call(store: Store): Promise<unknown> {
    const { random } = this.#run;
    const draw = random();
    if (draw < 0.2) return this.#read(store);
    if (draw < 0.5) return this.#post(store);
    if (draw < 0.6) return Promise.all([this.#post(store), this.#post(store), this.#post(store)]);
    if (draw < 0.7) return this.#import(store);
    return this.#moderate(store, draw < 0.9 ? 'erase' : draw < 0.96 ? 'hide' : 'unhide');
  }

  async #read(store: Store): Promise<void> {
    const { machine, outcomes, moderated, ignoresLocks } = this.#run;
    const stored = [...outcomes.stored];
    const page = (await orFailure(store.read.page('post', { order: 'oldest', limit: 1000 }))) ?? [];
    const shown = new Set(page.map(({ record }) => record.id));
    // Without locks, what others have not synced yet is read too.
    if (!ignoresLocks && !this.#disk.isMisled) for (const id of shown) outcomes.shown.add(id);
    // Whoever cannot read the disk shows what it has read before.
    if (machine.hasFailed) return;
    for (const id of stored) assert.ok(shown.has(id) || moderated.has(id), `a read does not show ${id}`);
  }

  /** Repeats the call under the same idempotency key if its outcome is unknown. */
  async #post(store: Store): Promise<void> {
    const run = this.#run;
    const first = run.posts + 1;
    for (let tries = 0; tries < TRIES; tries++) {
      const number = (run.posts += 1);
      run.firstOf.set(number, first);
      const [before, id] = [run.lastTimestamp, idOf(number)];
      try {
        const stored = await add(store, number, first);
        run.outcomes.stored.add(stored.id);
        if (stored.id !== id) run.outcomes.refused.add(id);
        if (stored.createdAt === undefined) return;
        assert.ok(stored.createdAt > before, 'a post is earlier than one that was acknowledged before');
        if (stored.createdAt > run.lastTimestamp) run.lastTimestamp = stored.createdAt;
        return;
      } catch (error) {
        if (!isPlanned(error)) throw error;
        if (!(error instanceof StoreFailure) || error.stored === 'nothing') run.outcomes.refused.add(id);
        if (error instanceof LimitReached || run.random() < 0.3) return;
      }
    }
  }

  async #import(store: Store): Promise<void> {
    const numbers = Array.from({ length: 1 + Math.floor(this.#run.random() * 4) }, () => {
      return (this.#run.posts += 1);
    });
    await Promise.all(
      numbers.map(async (number) => {
        const outcome = await orFailure(importEntry(store, importedPost(number)), (failure) => {
          if (failure.stored === 'nothing') this.#run.outcomes.refused.add(idOf(number));
        });
        if (outcome === 'stored') this.#run.outcomes.stored.add(idOf(number));
      }),
    );
  }

  async #moderate(store: Store, action: 'erase' | 'hide' | 'unhide'): Promise<void> {
    const { machine, outcomes, random } = this.#run;
    const id = idOf(1 + Math.floor(random() * this.#run.posts));
    this.#run.moderated.add(id);
    const reason = `${action} ${(this.#run.moderations += 1)}`;
    const isDone = await orFailure(moderate(store, action, id, reason));
    if (isDone !== true) return;
    if (action !== 'erase') outcomes.moderated.add(reason);
    else {
      outcomes.erased.add(id);
      assertErased(machine, [id]);
    }
  }
}

export const storeOptions = (
  machine: MachineModel,
  disk: ModelDisk,
  host: LockHost,
): FolderStoreOptions & { host: LockHost } => ({
  disk,
  folder: FOLDER,
  clock: { now: () => Math.floor(machine.time) },
  report: () => undefined,
  host,
  // No timer of a dead process stays behind.
  keepsKeys: true,
});

interface Stored {
  readonly id: string;
  /** Undefined if an earlier call stored it. */
  readonly createdAt: string | undefined;
}

/** @returns the post that was stored, by this call or by the one that it repeats */
function add(store: Store, number: number, first: number): Promise<Stored> {
  const post = postOf(number);
  const origin = originOf(first);
  const parent = post.parentId === null ? undefined : ({ type: 'record', id: post.parentId } as const);
  const lookups = {
    added: { type: 'record', id: post.id },
    parent,
    hit: { type: 'idempotentHit', kind: 'post', origin, windowMs: LIMIT.windowMs },
    ages: isLimited(first) ? ({ type: 'recentWriteAges', by: origin, ...LIMIT } as const) : undefined,
  } as const;
  return store.write(lookups, ({ hit, ages, timestamp: createdAt }): Decision<Stored> => {
    if (hit !== undefined) return { answer: { id: hit.id, createdAt: undefined } };
    if (ages !== undefined && ages.length >= LIMIT.limit) throw new LimitReached();
    const record = { ...post, createdAt };
    return { answer: { id: post.id, createdAt }, operation: { action: 'add', kind: 'post', record, origin } };
  });
}

/** Whether the model caused it: the limit, a failed call, or a lock that others kept for too long. */
function isPlanned(error: unknown): boolean {
  if (error instanceof LimitReached) return true;
  const cause = error instanceof StoreFailure ? error.cause : error;
  if (cause === undefined) return error instanceof StoreFailure;
  if (cause instanceof StoreFailure) return isPlanned(cause);
  return cause instanceof Error && 'code' in cause && (cause.code === 'EIO' || cause.code === 'ENOSPC');
}

/**
 * @param onFailure is called with a failure of the store
 * @returns undefined if the model caused the failure @throws every other error
 */
async function orFailure<Result>(
  work: Promise<Result>,
  onFailure: (failure: StoreFailure) => void = () => undefined,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isPlanned(error)) throw error;
    if (error instanceof StoreFailure) onFailure(error);
    return undefined;
  }
}
