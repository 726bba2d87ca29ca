import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { LockHost } from '#store/folder/host.ts';
import type { FolderStoreOptions } from '#store/folder/open-log.ts';
import type { WriteOrigin } from '#store/port/lookups.ts';
import type { CountedRecord } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { testClock, type TestClock } from '../clock.ts';
import { GatedDisk } from './gated-disk.ts';
import { textsOf } from './store-location.ts';
import { addPost } from './writes.ts';

/** One process with the store open. */
export interface Process {
  readonly pid: number;
  readonly disk: GatedDisk;
  readonly store: Store;
  /** Messages logged for the operator. */
  readonly reports: string[];
}

/** One machine with a data folder and clocks, on which a test starts processes. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  readonly clock: TestClock;
  boot = 'boot-1';
  /** Of the monotonic clock, which pauses of processes move on. */
  time = 0;
  /** A pause takes so many times what was asked for: who waits for seconds looks less often. */
  stretch = 1;
  #pauses: { readonly until: number; readonly resolve: () => void }[] = [];
  readonly #alive = new Set<number>();
  readonly #stores: Store[] = [];
  #processes = 0;

  constructor(t: TestContext, clock = testClock('2026-11-21T10:49:32.000Z')) {
    this.clock = clock;
    t.after(() => this.stop());
  }

  /** Opens the store in a new process. @param given options that differ from those of the other processes */
  async start(disk = new GatedDisk(), given: Partial<FolderStoreOptions> = {}): Promise<Process> {
    const reports: string[] = [];
    const options = this.options(disk, reports);
    const store = await openFolderStore({ ...options, ...given });
    this.#stores.push(store);
    return { pid: options.host.pid, disk, store, reports };
  }

  /** Of a new process. */
  options(disk = new GatedDisk(), reports: string[] = []): FolderStoreOptions & { host: LockHost } {
    const pid = (this.#processes += 1);
    this.#alive.add(pid);
    const host: LockHost = {
      pid,
      run: `run-${pid}`,
      boot: this.boot,
      space: 'space',
      isAlive: (other) => this.#alive.has(other),
      now: () => this.time,
      pause: (ms) => this.#pause(ms * this.stretch),
    };
    const report = (message: string): void => {
      reports.push(message);
    };
    return { disk, folder: this.folder, clock: this.clock, report, host };
  }

  /** As SIGKILL. */
  kill(process: Process): void {
    process.disk.kill();
    this.presumeDead(process);
  }

  /** Its locks look dead to the others, while it runs. */
  presumeDead({ pid }: Pick<Process, 'pid'>): void {
    this.#alive.delete(pid);
  }

  /** Pauses end in the order of time, and take none. */
  async #pause(ms: number): Promise<void> {
    const until = this.time + ms;
    const ended = new Promise<void>((resolve) => this.#pauses.push({ until, resolve }));
    await nextTick();
    this.#pauses.sort((a, b) => a.until - b.until);
    const next = this.#pauses.shift();
    this.time = Math.max(this.time, next?.until ?? 0);
    next?.resolve();
    await ended;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  get log(): Buffer {
    return readFileSync(this.path('log.jsonl'));
  }

  set log(bytes: Buffer | string) {
    writeFileSync(this.path('log.jsonl'), bytes);
  }

  /** @returns the bytes of all files by name, without the folder of the keys */
  files(): Record<string, string> {
    const names = readdirSync(this.folder).filter((name) => statSync(this.path(name)).isFile());
    return Object.fromEntries(names.map((name) => [name, readFileSync(this.path(name), 'latin1')]));
  }

  async stop(): Promise<void> {
    // Taken out, for the memory: a test that plays hundreds of schedules keeps every machine to its end.
    const stores = this.#stores.splice(0);
    await Promise.all(stores.map((store) => store.close().catch(() => undefined)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @returns a machine with one process */
export async function startOne(t: TestContext): Promise<[Machine, Process]> {
  const machine = new Machine(t);
  return [machine, await machine.start()];
}

/** @returns a machine with two processes */
export async function startTwo(t: TestContext): Promise<[Machine, Process, Process]> {
  const machine = new Machine(t);
  return [machine, await machine.start(), await machine.start()];
}

/** Appends a first post. */
export function post(
  { store }: Process,
  message: string,
  origin?: WriteOrigin,
): Promise<CountedRecord<'post'>> {
  return addPost(store, message, origin);
}

/** @returns the messages of all visible posts as a process reads them, oldest first */
export function visibleTexts({ store }: Process): Promise<string[]> {
  return textsOf(store);
}
