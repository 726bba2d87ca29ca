import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk, type Disk } from '#store/folder/fs/disk.ts';
import type { FolderStoreOptions } from '#store/folder/options.ts';
import { LogAdapter } from '#store/jsonl/log-adapter.ts';
import { decodeSnapshot, type Snapshot } from '#store/jsonl/log/snapshot.ts';

/** A process that writes the snapshot whenever a test says so, and nothing else. */
export class SnapshotProcess {
  readonly #adapter: LogAdapter;

  private constructor(adapter: LogAdapter) {
    this.#adapter = adapter;
  }

  static async start(
    { folder, clock }: Pick<FolderStoreOptions, 'folder' | 'clock'>,
    disk: Disk = nodeDisk,
  ): Promise<SnapshotProcess> {
    const options = { disk, folder, clock, report: () => undefined, keepsKeys: true };
    return new SnapshotProcess(await LogAdapter.open(options, () => undefined));
  }

  /** As `LogAdapter.writeSnapshot`. */
  write(): Promise<boolean> {
    return this.#adapter.writeSnapshot(async () => {
      await this.#adapter.read();
      return !this.#adapter.hasMoved();
    });
  }

  close(): Promise<void> {
    return this.#adapter.close();
  }
}

/** @returns whether the snapshot of a folder was written */
export async function writeSnapshot(place: Pick<FolderStoreOptions, 'folder' | 'clock'>): Promise<boolean> {
  const process = await SnapshotProcess.start(place);
  const isWritten = await process.write();
  await process.close();
  return isWritten;
}

/** @returns the names of the snapshot and of those that are being written */
export function snapshotNames(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.includes('snapshot'));
}

export function readSnapshotFile(folder: string, name = 'snapshot'): Snapshot {
  const snapshot = decodeSnapshot(readFileSync(join(folder, name)));
  if (snapshot === undefined) throw new Error(`${name} is damaged`);
  return snapshot;
}

/** @returns the names of the snapshots that say something of the record of a line */
export function snapshotsDescribing(folder: string, line: number): string[] {
  return snapshotNames(folder).filter((name) => {
    const snapshot = readSnapshotFile(folder, name);
    return line <= snapshot.head.count && snapshot.part(0).id[line - 1] !== -1;
  });
}
