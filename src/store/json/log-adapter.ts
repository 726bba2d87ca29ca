import type { Adapter } from 'lowdb';
import type { Operation } from '#store/operation.ts';
import { State } from '#store/state.ts';
import { StoreFailure, type Change } from '#store/store.ts';
import { decodeOperations, lacksKey } from './codec.ts';
import { Damage } from './damage.ts';
import { DayKeys } from './day-keys.ts';
import type { Disk } from './disk.ts';
import { openCurrent, openNamed, settle } from './generations.ts';
import type { Seal, WorkLine } from './line.ts';
import { START, type Appended, type Log, type Position } from './log.ts';
import { renew } from './renewal.ts';

/** What one work decided, on its way into the log. */
export interface Pending {
  readonly operations: readonly Operation[];
  readonly body: string;
  /** In the log, synced, and part of the state. Otherwise it was displaced, and is to be decided anew. */
  stands: boolean;
}

/** What lowdb holds: all that is durable, and what is to become so. */
export interface Kept {
  readonly state: State;
  pending: readonly Pending[];
}

/** Where the engine works, and on what. */
export interface Ground {
  readonly disk: Disk;
  readonly folder: string;
  readonly clock: { now: () => number };
  /** Told what an operator should know; never a text or an address. */
  readonly report: (what: string) => void;
}

/**
 * lowdb's way to the disk: `read` catches the state up with what others appended, `write` appends what is pending.
 * The caller sees to it that one of them runs at a time.
 */
export class LogAdapter implements Adapter<Kept> {
  readonly keys: DayKeys;
  readonly #ground: Ground;
  readonly #notify: (change: Change) => void;
  #log: Log;
  #at: Position = START;
  #state = new State();
  /** The size of the log with lines of ours that are not synced yet. */
  #inFlight: number | undefined;
  /** A sync failed, so nobody knows what the file holds. The next write begins a new one. */
  #distrusted = false;
  #damage: Damage | undefined;
  #unsettled: { from: string; seal: Seal } | undefined;

  private constructor(ground: Ground, keys: DayKeys, log: Log, notify: (change: Change) => void) {
    this.#ground = ground;
    this.keys = keys;
    this.#log = log;
    this.#notify = notify;
  }

  /** @throws Damage where the folder holds something else than a whole store, or nothing. */
  static async open(ground: Ground, notify: (change: Change) => void): Promise<LogAdapter> {
    const keys = new DayKeys(ground.disk, ground.folder);
    const adapter = new LogAdapter(ground, keys, await openCurrent(ground.disk, ground.folder), notify);
    try {
      await keys.destroy(ground.clock.now());
      await adapter.#load(adapter.#log, Infinity);
    } catch (error) {
      await adapter.close();
      throw error;
    }
    const torn = adapter.#at.seen - adapter.#at.offset;
    if (torn > 0) ground.report(`passed over ${torn} bytes at the end of the log, of a write that was cut off`);
    return adapter;
  }

  /** One system call tells whether a reader of the state has to wait for `read`. */
  moved(): boolean {
    if (this.#distrusted || this.#damage !== undefined) return false;
    return this.#at.seal !== undefined || this.#log.moved({ ...this.#at, seen: this.#inFlight ?? this.#at.seen });
  }

  /** @throws StoreFailure where there is nothing that can be built on. */
  async read(): Promise<Kept> {
    try {
      if (this.#damage !== undefined) throw this.#damage;
      await this.#settle();
      if (this.#distrusted) await this.#renew();
      else await this.#catchUp();
      return { state: this.#state, pending: [] };
    } catch (error) {
      if (error instanceof Damage) this.#damage = error;
      throw failureOf('nothing', error);
    }
  }

  /**
   * With nothing pending it tries whether the disk takes a write.
   * @throws StoreFailure where none of what is pending was kept, or nobody knows
   */
  async write({ pending }: Kept): Promise<void> {
    const { standing, position, failure } = await this.#append(pending.map(({ body }) => body));
    if (standing < pending.length && standing === 0) {
      if (failure === undefined) return;
      throw failureOf('nothing', failure);
    }
    this.#inFlight = position.seen;
    try {
      await this.#log.sync();
    } catch (error) {
      this.#distrusted = true;
      throw failureOf('unknown', error);
    } finally {
      this.#inFlight = undefined;
    }
    this.#at = position;
    for (const work of pending.slice(0, standing)) {
      work.stands = true;
      this.#apply(work.operations);
    }
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async #append(bodies: readonly string[]): Promise<Appended> {
    try {
      return await this.#log.append(this.#at, bodies);
    } catch (error) {
      this.#distrusted = true;
      throw failureOf('unknown', error);
    }
  }

  /** Syncs what it is going to read: nothing is shown, or built on, that a power cut could take back. */
  async #catchUp(): Promise<void> {
    if (this.#log.moved(this.#at)) {
      await this.#log.sync().catch((error: unknown) => {
        this.#distrusted = true;
        throw error;
      });
      const news: WorkLine[] = [];
      this.#at = await this.#log.read(this.#at, (line) => news.push(line));
      await this.#take(news);
    }
    if (this.#at.seal !== undefined) await this.#follow(this.#at.seal);
  }

  async #take(news: readonly WorkLine[]): Promise<void> {
    const now = this.#ground.clock.now();
    if (news.some((line) => lacksKey(line.do, this.keys, now))) await this.keys.load();
    for (const line of news) this.#apply(decodeOperations(line.do, this.keys));
  }

  #apply(operations: readonly Operation[]): void {
    const now = this.#ground.clock.now();
    for (const operation of operations) this.#notify(this.#state.apply(operation, now));
  }

  async #renew(): Promise<void> {
    const { disk, folder, report } = this.#ground;
    const [old, at, operations] = [this.#log, this.#at, this.#state.operations()];
    const renewed = await renew({ disk, folder, keys: this.keys, old, at, operations });
    if ('overtakenBy' in renewed) {
      await this.#follow(renewed.overtakenBy);
      return;
    }
    this.#unsettled = { from: old.name, seal: renewed.seal };
    await this.#goOn(renewed.log, renewed.position, this.#state);
    await this.#take(renewed.carried);
    await this.#settle();
    report('began a new log, since a write to the old one could not be made sure');
  }

  async #settle(): Promise<void> {
    if (this.#unsettled === undefined) return;
    await settle(this.#ground.disk, this.#ground.folder, this.#unsettled.from, this.#unsettled.seal);
    this.#unsettled = undefined;
  }

  async #follow(seal: Seal): Promise<void> {
    const { disk, folder } = this.#ground;
    const next = await openNamed(disk, folder, seal.log);
    try {
      await settle(disk, folder, this.#log.name, seal);
      await this.#load(next, seal.seq);
    } catch (error) {
      if (this.#log !== next) await next.close();
      throw error;
    }
  }

  /** Reads a whole log into a new state, and goes on from there. @param known lines up to this number are no news */
  async #load(log: Log, known: number): Promise<void> {
    const now = this.#ground.clock.now();
    const state = new State();
    const news: Change[] = [];
    await this.keys.load();
    await log.sync();
    const at = await log.read(START, (line) => {
      const changes = decodeOperations(line.do, this.keys).map((operation) => state.apply(operation, now));
      if (line.seq > known) news.push(...changes);
    });
    await this.#goOn(log, at, state);
    news.forEach(this.#notify);
    if (at.seal !== undefined) await this.#follow(at.seal);
  }

  async #goOn(log: Log, at: Position, state: State): Promise<void> {
    const old = this.#log;
    [this.#log, this.#at, this.#state, this.#distrusted] = [log, at, state, false];
    if (old !== log) await old.close();
  }
}

function failureOf(kept: StoreFailure['kept'], cause: unknown): StoreFailure {
  const reason = cause instanceof Error ? cause.message : 'the disk failed';
  return new StoreFailure(kept, reason, { cause });
}
