import { join } from 'node:path';
import type { Adapter } from 'lowdb';
import type { Operation } from '#store/engine/operation.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import { StoreFailure, type Change } from '#store/store.ts';
import { decodeOperations, lacksKey } from './log/codec.ts';
import { CorruptionError } from './corruption.ts';
import { expiryTime } from './expiry-time.ts';
import { DayKeys } from './visitor-keys.ts';
import type { Disk } from './fs/disk.ts';
import { openCurrent, openNamed, settle } from './log/current.ts';
import type { Seal, WorkLine } from './log/record.ts';
import { load, type Loaded } from './log/replay.ts';
import { START, type Appended, type Log, type Position } from './log/log.ts';
import { renew } from './log/rotate.ts';

/** What one work decided, on its way into the log. */
export interface Pending {
  readonly operations: readonly Operation[];
  readonly body: string;
  /** In the log, synced, and part of the state. Otherwise it was displaced, and is to be decided anew. */
  stands: boolean;
}

/** What lowdb holds: all that is durable, and what is to become so. */
export interface Kept {
  state: RecordIndex;
  pending: readonly Pending[];
}

/** Where the engine works, and on what. */
export interface JsonlStoreOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly clock: { now: () => number };
  /** Where keys are made, outside of backups of the folder; `keys` in the folder where it is left out. */
  readonly keysFolder?: string | undefined;
  /** For whoever works on a store and would not make one. */
  readonly mustExist?: boolean;
  /** Told what an operator should know; never a text or an address. */
  readonly report: (what: string) => void;
}

/**
 * lowdb's way to the disk: `read` catches the state up with what others appended, `write` appends what is pending.
 * The caller sees to it that one of them runs at a time.
 */
export class LogAdapter implements Adapter<Kept> {
  readonly keys: DayKeys;
  /** What lowdb holds too. */
  readonly kept: Kept = { state: new RecordIndex(), pending: [] };
  readonly #ground: JsonlStoreOptions;
  readonly #notify: (change: Change) => void;
  #log: Log;
  #at: Position = START;
  #busy: Promise<void> | undefined;
  /** The size of the log with lines of ours that are not synced yet. */
  #inFlight: number | undefined;
  /** Nobody knows what the file holds since a sync failed, or it holds what must go. The next write begins a new one. */
  #distrusted = false;
  #damage: CorruptionError | undefined;
  /** How often the state has become another. */
  #revision = 0;

  private constructor(ground: JsonlStoreOptions, keys: DayKeys, log: Log, notify: (change: Change) => void) {
    this.#ground = ground;
    this.keys = keys;
    this.#log = log;
    this.#notify = notify;
  }

  /** @throws Damage where the folder holds something else than a whole store, or nothing. */
  static async open(ground: JsonlStoreOptions, notify: (change: Change) => void): Promise<LogAdapter> {
    const ownKeys = join(ground.folder, 'keys');
    const keys = new DayKeys(ground.disk, ground.keysFolder ?? ownKeys, ownKeys);
    const log = await openCurrent(ground.disk, ground.folder, ground.mustExist !== true);
    const adapter = new LogAdapter(ground, keys, log, notify);
    try {
      await adapter.#enter(log, await load(log, keys, ground.clock.now()));
      await keys.destroy(expiryTime(ground.clock.now(), adapter.kept.state.lastTimestamp));
    } catch (error) {
      await adapter.close();
      throw error;
    }
    const torn = adapter.#at.seen - adapter.#at.offset;
    if (torn > 0)
      ground.report(`passed over ${torn} bytes at the end of the log, of a write that was cut off`);
    return adapter;
  }

  /** To be awaited before `moved` can tell: a reading, or a write that the disk has not answered yet. */
  get busy(): Promise<void> | undefined {
    return this.#busy;
  }

  /** Undefined while somebody may have appended what is not read yet. One system call tells. */
  get revision(): number | undefined {
    return this.#busy !== undefined || this.moved() ? undefined : this.#revision;
  }

  /** The length of the log in bytes, as of the last read or write. Other files of the folder stay small. */
  get size(): number {
    return this.#inFlight ?? this.#at.seen;
  }

  /** One system call tells whether a reader of the state has to wait for `read`. */
  moved(): boolean {
    if (this.#distrusted || this.#damage !== undefined) return false;
    return (
      this.#at.seal !== undefined || this.#log.moved({ ...this.#at, seen: this.#inFlight ?? this.#at.seen })
    );
  }

  /** @throws StoreFailure where there is nothing that can be built on. */
  async read(): Promise<Kept> {
    try {
      if (this.#damage !== undefined) throw this.#damage;
      await this.#whileBusy(() =>
        this.#distrusted ? this.#renew('a write to the old one could not be made sure') : this.#catchUp(),
      );
      this.kept.pending = [];
      return this.kept;
    } catch (error) {
      if (error instanceof CorruptionError) this.#damage = error;
      throw failureOf('nothing', error);
    }
  }

  /**
   * With nothing pending it tries whether the disk takes a write.
   * @throws StoreFailure where none of what is pending was kept, or nobody knows
   */
  async write({ pending }: Kept): Promise<void> {
    const { standing, position, failure } = await this.#append(pending.map(({ body }) => body));
    if (standing === 0 && failure !== undefined) throw failureOf('nothing', failure);
    if (standing === 0 && pending.length > 0) return;
    try {
      await this.#sync();
    } catch (error) {
      throw failureOf('unknown', error);
    } finally {
      this.#inFlight = undefined;
    }
    this.#at = position;
    for (const work of pending.slice(0, standing)) {
      work.stands = true;
      this.#apply(work.operations);
    }
    if (
      pending.some(({ stands, operations }) => stands && operations.some(({ action }) => action === 'erase'))
    ) {
      await this.#forsake();
    }
  }

  /** Leaves the log, which holds a text that was erased, for one that does not. */
  async #forsake(): Promise<void> {
    this.#distrusted = true;
    try {
      await this.#whileBusy(() => this.#renew('the old one held what was erased'));
    } catch (error) {
      throw failureOf('unknown', error);
    }
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async #append(bodies: readonly string[]): Promise<Appended> {
    try {
      return await this.#whileBusy(async () => {
        const appended = await this.#log.append(this.#at, bodies);
        if (appended.standing > 0 || bodies.length === 0) this.#inFlight = appended.position.seen;
        return appended;
      });
    } catch (error) {
      this.#distrusted = true;
      throw failureOf('unknown', error);
    }
  }

  async #sync(): Promise<void> {
    try {
      await this.#log.sync();
    } catch (error) {
      this.#distrusted = true;
      throw error;
    }
  }

  /** Syncs what it has read: nothing is shown, or built on, that a power cut could take back. */
  async #catchUp(): Promise<void> {
    if (this.#log.moved(this.#at)) {
      const news: WorkLine[] = [];
      const at = await this.#log.read(this.#at, (line) => news.push(line));
      await this.#sync();
      const operations = await this.#decode(news);
      this.#at = at;
      this.#apply(operations);
    }
    if (this.#at.seal !== undefined) await this.#follow(this.#log, this.#at.seal);
  }

  async #decode(news: readonly WorkLine[]): Promise<Operation[]> {
    if (news.some((line) => lacksKey(line.do, this.keys))) await this.keys.load();
    return news.flatMap((line) => decodeOperations(line.do, this.keys));
  }

  #apply(operations: readonly Operation[]): void {
    this.#revision += 1;
    const now = expiryTime(this.#ground.clock.now(), this.kept.state.lastTimestamp);
    for (const operation of operations) {
      const change = this.kept.state.apply(operation, now);
      if (change !== undefined) this.#notify(change);
    }
  }

  async #renew(why: string): Promise<void> {
    const { disk, folder, report } = this.#ground;
    const [old, at, operations] = [this.#log, this.#at, this.kept.state.operations()];
    await this.#follow(old, await renew({ disk, folder, keys: this.keys, old, at, operations }));
    report(`went on in a new log, since ${why}`);
  }

  async #follow(from: Log, seal: Seal): Promise<void> {
    const { disk, folder, clock } = this.#ground;
    const next = await openNamed(disk, folder, seal.log);
    try {
      const loaded = await load(next, this.keys, clock.now(), this.kept.state.lastTimestamp ?? '');
      await settle(disk, folder, from.name, seal);
      await this.#enter(next, loaded);
    } finally {
      if (this.#log !== next) await next.close();
    }
  }

  /** Goes on in a log that was read, or where it leads. */
  async #enter(log: Log, { at, state, news }: Loaded): Promise<void> {
    if (at.seal !== undefined) {
      await this.#follow(log, at.seal);
      return;
    }
    const old = this.#log;
    [this.#log, this.#at, this.#distrusted] = [log, at, false];
    this.kept.state = state;
    this.#revision += 1;
    news.forEach(this.#notify);
    if (old !== log) await old.close();
  }

  async #whileBusy<Result>(job: () => Promise<Result>): Promise<Result> {
    const running = job();
    this.#busy = running.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await running;
    } finally {
      this.#busy = undefined;
    }
  }
}

function failureOf(kept: StoreFailure['stored'], cause: unknown): StoreFailure {
  const reason = cause instanceof Error ? cause.message : 'the disk failed';
  return new StoreFailure(kept, reason, { cause });
}
