import assert from 'node:assert/strict';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { LockHost } from '#store/folder/host.ts';
import type { FolderStoreOptions } from '#store/folder/open-log.ts';
import { CorruptionError } from '#store/folder/fs/disk.ts';
import { repairFolder } from '#store/folder/failed-sync.ts';
import type { ModerationEntry } from '#store/port/records.ts';
import { StoreFailure, type Decision, type Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { moderate } from '#workspace/moderation/operator-writes.ts';
import { START, type MachineModel, type Random } from './machine-model.ts';
import { FOLDER, ModelDisk, type Decide } from './model-disk.ts';
import { idOf, importedPost, isLimited, LIMIT, originOf, postOf } from './model-records.ts';
import { assertErased, type Outcomes } from './outcomes.ts';

/** What somebody does to the folder by hand while no process writes. */
export type Intervention = 'none' | 'older log' | 'mark removed' | 'flipped byte';

/** What all processes of a run share. */
export interface ModelRun {
  readonly machine: MachineModel;
  readonly random: Random;
  readonly outcomes: Outcomes;
  /** Locks of living processes look dead: two of them may hold it at once. */
  readonly ignoresLocks: boolean;
  /** What processes know of the boot of their machine: all of them, some of them, or not the same. */
  readonly boots: 'known' | 'partly hidden' | 'different';
  /** Whether some clocks are 60 days off. */
  readonly hasWrongClocks: boolean;
  readonly intervention: Intervention;
  /** Processes wait for it in the middle of their calls. */
  readonly half: Promise<void>;
  /** The post of which a byte has flipped. */
  flipped: string | undefined;
  /** Imported posts with the number of imports that have tried each. */
  readonly imports: Map<number, number>;
  /** Imported hides and unhides; others have the record and the time of one of them. */
  readonly hides: Pick<ModerationEntry, 'action' | 'id' | 'at'>[];
  /** What an import has stored: a record, or a moderation with its time. */
  readonly imported: Set<string>;
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
const MAX_BATCH = 5;
const CLOCK_OFFSETS = [0, 0, 60, -60].map((days) => days * 24 * 3_600_000);
class LimitReached extends Error {}

/** A process on a model machine. */
export class StoreProcess {
  readonly #run: ModelRun;
  readonly #disk: ModelDisk;
  readonly #options: ReturnType<typeof storeOptions>;
  /** What the machine knows the process by, as long as it runs. */
  readonly #name: string;
  #store: Store | undefined;
  #isRepairing = false;
  /** Whether it had the folder open when somebody intervened. */
  #isOutdated = false;

  constructor(run: ModelRun, decide: Decide) {
    this.#run = run;
    this.#disk = new ModelDisk(run.machine, decide, run.random);
    const { machine, random } = run;
    const space = random() < 0.8 ? 'space-1' : 'space-2';
    let pid = 1;
    while (machine.processes.has(`${space} ${pid}`)) pid += 1;
    this.#name = `${space} ${pid}`;
    machine.processes.add(this.#name);
    const offset = run.hasWrongClocks ? this.#oneOf(CLOCK_OFFSETS) : 0;
    this.#options = storeOptions(machine, this.#disk, this.#hostOf(space, pid), offset);
  }

  /** Opens the store, makes some calls, and closes it. */
  async serve(): Promise<void> {
    const store = await this.#orFailure(openFolderStore(this.#options));
    if (store === undefined) return;
    this.#store = store;
    await this.#makeCalls(store);
    await this.#run.half;
    if (this.#run.intervention !== 'none') await this.#makeCalls(store);
    await this.#orFailure(store.close());
  }

  async repair(): Promise<void> {
    this.#isRepairing = true;
    await this.#orFailure(repairFolder(this.#options));
  }

  /** Looks at the folder once somebody has intervened: a process with readers does so within milliseconds. */
  look(): void {
    if (this.#store === undefined) return;
    this.#isOutdated = true;
    void this.#orFailure(this.#store.read.totals());
  }

  /** It was killed, or has ended. */
  end(): void {
    this.#run.machine.processes.delete(this.#name);
  }

  #hostOf(space: string, pid: number): LockHost {
    const { machine, random, ignoresLocks, boots } = this.#run;
    const boot = `boot-${machine.boot}`;
    let ahead = 0;
    return {
      pid,
      run: `run-${Math.floor(random() * 2 ** 30)}`,
      boot: { known: boot, 'partly hidden': this.#oneOf([boot, '']), different: `${boot}-${pid}` }[boots],
      space,
      isAlive: (other) => machine.processes.has(`${space} ${other}`) && !(ignoresLocks && random() < 0.5),
      now: () => {
        if (ignoresLocks && random() < 0.02) ahead += 5000;
        return machine.time - START + ahead;
      },
      pause: (ms) => this.#disk.pause(ms),
    };
  }

  async #makeCalls(store: Store): Promise<void> {
    await Promise.all(
      Array.from({ length: 1 + this.#below(STARTED_AT_ONCE) }, async () => {
        for (let calls = 1 + this.#below(3); calls > 0; calls--) await this.#call(store);
      }),
    );
  }

  async #call(store: Store): Promise<void> {
    const draw = this.#run.random();
    if (draw < 0.2) await this.#read(store);
    else if (draw < 0.4) await this.#change(store);
    else if (draw < 0.8) await this.#batch(store);
    else await Promise.all([this.#batch(store), store.health(), this.#change(store)]);
  }

  /** Starts up to five changes at once, which share one write. */
  async #batch(store: Store): Promise<void> {
    await Promise.all(Array.from({ length: 1 + this.#below(MAX_BATCH) }, () => this.#change(store)));
  }

  #change(store: Store): Promise<void> {
    const draw = this.#run.random();
    if (draw < 0.4) return this.#post(store);
    if (draw < 0.6) return this.#import(store);
    if (draw < 0.7) return this.#importHide(store);
    return this.#moderate(store, draw < 0.9 ? 'erase' : draw < 0.96 ? 'hide' : 'unhide');
  }

  async #read(store: Store): Promise<void> {
    const { machine, outcomes, moderated, flipped } = this.#run;
    // A text of which a byte has flipped cannot be shown.
    if (flipped !== undefined) return;
    // A look of before a stop shows nothing that was stored meanwhile.
    const stored = this.#disk.isLate ? [] : [...outcomes.stored];
    const page = (await this.#orFailure(store.read.page('post', { order: 'oldest', limit: 1000 }))) ?? [];
    // What the process had read before is no longer in the folder.
    if (this.#isOutdated) return;
    const shown = new Set(page.map(({ record }) => record.id));
    if (!this.#disk.isMisled) for (const id of shown) outcomes.shown.add(id);
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
        if (!this.#isPlanned(error)) throw error;
        if (!(error instanceof StoreFailure) || error.stored === 'nothing') run.outcomes.refused.add(id);
        if (error instanceof LimitReached || run.random() < 0.3) return;
      }
    }
  }

  /** Imports some posts, of which other processes may import some too. */
  async #import(store: Store): Promise<void> {
    const { imports, outcomes, random } = this.#run;
    const numbers = Array.from({ length: 1 + this.#below(4) }, () => {
      const known = [...imports.keys()];
      return known.length > 0 && random() < 0.5 ? this.#oneOf(known) : (this.#run.posts += 1);
    });
    await Promise.all(
      numbers.map(async (number) => {
        const tries = (imports.get(number) ?? 0) + 1;
        imports.set(number, tries);
        const id = idOf(number);
        outcomes.refused.delete(id);
        const outcome = await this.#orFailure(importEntry(store, importedPost(number)), (failure) => {
          if (failure.stored === 'nothing' && imports.get(number) === 1) outcomes.refused.add(id);
        });
        if (outcome !== 'stored') return;
        this.#countImported(id);
        outcomes.stored.add(id);
      }),
    );
  }

  /** Imports a hide or unhide, of which other processes may import one with the same record and time. */
  async #importHide(store: Store): Promise<void> {
    const { hides, outcomes, moderated, random } = this.#run;
    if (hides.length === 0 || random() < 0.5)
      hides.push({
        action: this.#oneOf(['hide', 'unhide'] as const),
        id: idOf(1 + this.#below(this.#run.posts)),
        at: `2026-11-20T12:00:00.00000${this.#below(3)}Z`,
      });
    const hide = this.#oneOf(hides);
    const reason = `import ${(this.#run.moderations += 1)}`;
    moderated.add(hide.id);
    const outcome = await this.#orFailure(importEntry(store, { ...hide, reason }));
    if (outcome !== 'stored') return;
    this.#countImported(`${hide.action} ${hide.id} ${hide.at}`);
    outcomes.moderated.add(reason);
  }

  #countImported(what: string): void {
    const { imported } = this.#run;
    assert.ok(!imported.has(what), `two imports have stored ${what}`);
    imported.add(what);
  }

  async #moderate(store: Store, action: 'erase' | 'hide' | 'unhide'): Promise<void> {
    const { machine, outcomes, random, flipped } = this.#run;
    const isOfFlipped = flipped !== undefined && random() < 0.5;
    const id = isOfFlipped ? flipped : idOf(1 + this.#below(this.#run.posts));
    this.#run.moderated.add(id);
    const reason = `${action} ${(this.#run.moderations += 1)}`;
    const isDone = await this.#orFailure(moderate(store, action, id, reason));
    if (isDone !== true) return;
    if (action !== 'erase') outcomes.moderated.add(reason);
    // A blank whose write-back failed may be in memory alone, and a misled process takes it for stored.
    else if (!machine.hasMisled) {
      outcomes.erased.add(id);
      assertErased(machine, [id]);
    }
  }

  #below(bound: number): number {
    return Math.floor(this.#run.random() * bound);
  }

  #oneOf<Member>(members: readonly Member[]): Member {
    return members[this.#below(members.length)] as Member;
  }

  /**
   * @param onFailure is called with a failure of the store
   * @returns undefined if the model caused the failure @throws every other error
   */
  async #orFailure<Result>(
    work: Promise<Result>,
    onFailure: (failure: StoreFailure) => void = () => undefined,
  ): Promise<Result | undefined> {
    try {
      return await work;
    } catch (error) {
      if (!this.#isPlanned(error)) throw error;
      if (error instanceof StoreFailure) onFailure(error);
      return undefined;
    }
  }

  /**
   * Whether the model caused it: the limit, a failed call, a lock that others kept for too long, or what
   * somebody did to the folder.
   */
  #isPlanned(error: unknown): boolean {
    if (error instanceof LimitReached) return true;
    const { machine, flipped } = this.#run;
    if (error instanceof CorruptionError)
      return (
        this.#isOutdated ||
        flipped !== undefined ||
        machine.hasMisled ||
        // The system has dropped what a failed write-back lost, since this process read it.
        (machine.hasFailed && error.message.includes('was overwritten'))
      );
    const cause = error instanceof StoreFailure ? error.cause : error;
    if (cause === undefined) return error instanceof StoreFailure;
    if (cause instanceof StoreFailure || cause instanceof CorruptionError) return this.#isPlanned(cause);
    if (!(cause instanceof Error && 'code' in cause)) return false;
    // A process whose clock is ahead, and the next one that repairs, take what this one is about to put in
    // place for what a crash has left.
    if (cause.code === 'ENOENT') return this.#run.hasWrongClocks || this.#isRepairing;
    return cause.code === 'EIO' || cause.code === 'ENOSPC';
  }
}

export const storeOptions = (
  machine: MachineModel,
  disk: ModelDisk,
  host: LockHost,
  clockOffset = 0,
): FolderStoreOptions & { host: LockHost } => ({
  disk,
  folder: FOLDER,
  clock: { now: () => Math.floor(machine.time) + clockOffset },
  report: () => undefined,
  host,
  // No timer of a dead process stays behind.
  isCommand: true,
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
    if (hit !== undefined) return { result: { id: hit.id, createdAt: undefined } };
    if (ages !== undefined && ages.length >= LIMIT.limit) throw new LimitReached();
    const record = { ...post, createdAt };
    return { result: { id: post.id, createdAt }, operation: { action: 'add', kind: 'post', record, origin } };
  });
}
