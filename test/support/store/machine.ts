import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { FolderStoreOptions } from '#store/folder/options.ts';
import { isSegmentName } from '#store/jsonl/log/segment-names.ts';
import type { RecordView, Store, WriteOrigin } from '#store/port/store.ts';
import { GatedDisk } from './gated-disk.ts';
import { NO_PROOF_MS } from './proof-delay.ts';
import { writeOutcome } from './write-outcome.ts';
import { testClock, type TestClock } from '../clock.ts';
import { addPost } from './writes.ts';

/** One process with the store open. */
export interface Process {
  readonly disk: GatedDisk;
  readonly store: Store;
  /** Messages logged for the operator. */
  readonly reports: string[];
}

/** One machine with a data folder and a clock, on which a test starts processes. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  /** Synced length of each file by name. */
  readonly durable = new Map<string, number>();
  readonly clock: TestClock;
  readonly #stores: Store[] = [];

  constructor(t: TestContext, clock = testClock('2026-11-21T10:49:32.000Z')) {
    this.clock = clock;
    t.after(() => this.stop());
  }

  /**
   * Opens the store in a new process.
   * @param pause of a process that waits for a proof line or for another process; gives up at once if it is left out
   * @param options that differ from those of the other processes
   */
  async start(
    disk = new GatedDisk(this.durable),
    pause: (ms: number) => Promise<void> = async () => undefined,
    options: Pick<FolderStoreOptions, 'writesSnapshot' | 'readsEveryLine'> = {},
  ): Promise<Process> {
    const reports: string[] = [];
    const store = await openFolderStore({
      disk,
      folder: this.folder,
      clock: this.clock,
      report: (message) => {
        reports.push(message);
      },
      pause,
      proofDelayMs: NO_PROOF_MS,
      ...options,
    });
    this.#stores.push(store);
    return { disk, store, reports };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** @returns the bytes of all files by name, without the folder of the keys */
  files(): Record<string, string> {
    const names = readdirSync(this.folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(names.map(({ name }) => [name, readFileSync(this.path(name), 'latin1')]));
  }

  /** @returns the names of all segments in order */
  segments(): string[] {
    return Object.keys(this.files())
      .filter((name) => name.startsWith('log-'))
      .toSorted();
  }

  async stop(): Promise<void> {
    // Taken out, for the memory: a test that plays hundreds of schedules keeps every machine to its end.
    const stores = this.#stores.splice(0);
    await Promise.all(stores.map((store) => store.close().catch(() => undefined)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Appends a first post. */
export function post({ store }: Process, message: string, origin?: WriteOrigin): Promise<RecordView<'post'>> {
  return addPost(store, message, origin);
}

/**
 * Posts a text whose `fsync` fails while no segment can be begun: its outcome is unknown, and the next write
 * or read of the process begins the next segment with a copy of it.
 */
export async function postWithUnknownOutcome(process: Process, message = 'unknown'): Promise<void> {
  process.disk.failNext('sync', 'EIO', /^log/);
  process.disk.failNext('open', 'EIO', /^\.tmp-\d/);
  assert.equal(await writeOutcome(post(process, message)), 'unknown');
}

/** A write that appends nothing: the process reads what the others appended, and begins a segment if that is not proved. */
export async function settle({ store }: Process): Promise<void> {
  await store.write({}, () => ({ answer: undefined }));
}

/** Posts a text whose `fsync` fails: the process begins the next segment, and the caller does not notice. */
export async function postInNewSegment(process: Process, message = 'in a new segment'): Promise<void> {
  await settle(process);
  process.disk.failNext('sync', 'EIO', /^log/);
  await post(process, message);
}

/** @returns how many files a process has open that has read everything: two for each segment */
export function descriptorsOf(machine: Machine): number {
  return 2 * readdirSync(machine.folder).filter((name) => isSegmentName(name)).length;
}

/** @returns the messages of all visible posts as a process reads them, oldest first */
export async function visibleTexts({ store }: Process): Promise<string[]> {
  const page = await store.read.page('post', { order: 'oldest', limit: 10_000 });
  return page.map(({ record }) => record.message);
}
