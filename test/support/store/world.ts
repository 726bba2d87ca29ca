import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { RecordView, Store, WriteOrigin, Writer } from '#store/store.ts';
import { GatedDisk } from './gated-disk.ts';
import { writeOutcome } from './faults.ts';
import { addPost, clockAt, type Clock } from './records.ts';

/** One process that has the store open. */
export interface Process {
  readonly disk: GatedDisk;
  readonly store: Store;
  /** What the operator was told. */
  readonly reports: string[];
}

/** One machine with one data folder and one clock, on which processes come and go. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  /** How many bytes of each file no power cut can take back. */
  readonly durable = new Map<string, number>();
  readonly clock: Clock;
  readonly #stores: Store[] = [];

  constructor(t: TestContext, clock = clockAt('2026-11-21T10:49:32.000Z')) {
    this.clock = clock;
    t.after(() => this.stop());
  }

  /** @param disk for the first start; afterwards the process has it */
  async start(disk = new GatedDisk(this.durable)): Promise<Process> {
    const reports: string[] = [];
    const store = await openJsonlStore({
      disk,
      folder: this.folder,
      clock: this.clock,
      report: (what) => {
        reports.push(what);
      },
    });
    this.#stores.push(store);
    return { disk, store, reports };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** @returns the names and bytes of all files, those of the keys left out. */
  files(): Record<string, string> {
    const names = readdirSync(this.folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(names.map(({ name }) => [name, readFileSync(this.path(name), 'latin1')]));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close().catch(() => undefined)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Posts a text that serves as its name. */
export function post({ store }: Process, message: string, trace?: WriteOrigin): Promise<RecordView<'post'>> {
  return store.write((writer: Writer) => addPost(writer, message, trace));
}

/** Makes a process lose its trust in the log: nobody knows about the text, and its next write begins a new log. */
export async function postWithFailedSync(process: Process, message = 'unknown'): Promise<void> {
  process.disk.failNext('sync', 'EIO', /^log/);
  assert.equal(await writeOutcome(post(process, message)), 'unknown');
}

/** Writes a text into a new log, behind one that was unknown. */
export async function postAfterRotation(process: Process, message = 'renewed'): Promise<void> {
  await visibleTexts(process);
  await postWithFailedSync(process);
  await post(process, message);
}

/** @returns the texts that a process shows, oldest first. */
export async function visibleTexts({ store }: Process): Promise<string[]> {
  const page = await store.read.page('post', { order: 'oldest', limit: 10_000 });
  return page.map(({ record }) => record.message);
}
