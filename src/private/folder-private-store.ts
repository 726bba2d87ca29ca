import { createHmac } from 'node:crypto';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk, DiskFile } from '#store/folder/fs/disk.ts';
import { describeDiskError, isError } from '#store/folder/fs/errors.ts';
import { readWhole, removeFile, replaceFileBy, TEMPORARY, writeAll } from '#store/folder/fs/atomic-files.ts';
import { DayKeys } from '#store/folder/day-keys.ts';
import { KeyFolder } from '#store/folder/key-folder.ts';
import { Lock, MAX_WAIT_MS, thisHost, Mutex } from '#store/folder/lock.ts';
import { readPieces, type Piece } from '#store/folder/pieces.ts';
import { toDay } from '#store/engine/timestamp.ts';
import { toBits, widenNetwork } from '#store/port/network.ts';
import { kindOf } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import { DenialData, type Denial } from './denial.ts';
import {
  Entry,
  oldestDay,
  parseMirrorPosition,
  parseStored,
  type EntryBatch,
  type MirrorPosition,
  SERVER_RETENTION_MS,
  type Position,
  type PrivateStore,
} from './private-store.ts';
import { ServerState } from './server-state.ts';

const FOLDER = 'private';
const FOLDER_MODE = 0o700;

const MIRROR = 'mirror.json';

/** The entries that were appended on one UTC day. */
const JOURNAL = /^(\d{4}-\d\d-\d\d)\.jsonl$/;

const SERVER = /^server-[0-9a-f-]{36}\.json$/;

/** With the number of the denial, and its time, by which the name is never used again. */
const DENIAL = /^(\d{1,9})-\d+\.json$/;

const TAG_BYTES = 16;
/** Of a journal: the lines of one step are garbage before a collector moves them to the old ones. */
const STEP_BYTES = 32 * 1024;

export interface FolderPrivateStoreOptions {
  readonly disk: Disk;
  readonly folder: string;
  /** As of the store. */
  readonly keysFolder?: string | undefined;
  /** Wall-clock time in milliseconds since 1970. */
  readonly clock: { now: () => number };
}

/** The folder `private` of a data folder. Nothing is read or made until it is used. */
export function createFolderPrivateStore(options: FolderPrivateStoreOptions): PrivateStore {
  return new FolderPrivateStore(options);
}

class FolderPrivateStore implements PrivateStore {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #denialsPath: string;
  readonly #keys: KeyFolder;
  readonly #keyFolders: readonly [path: string, earlierPath: string];
  readonly #clock: FolderPrivateStoreOptions['clock'];
  readonly #mutex = new Mutex();
  readonly #lock: Lock;
  /** The journal whose name this process has made durable. */
  #journal = '';
  /** By name of their files; undefined for a damaged one. */
  #knownDenials = new Map<string, Denial | undefined>();
  #denials: readonly Denial[] = [];

  constructor({ disk, folder, keysFolder = join(folder, 'keys'), clock }: FolderPrivateStoreOptions) {
    this.#disk = disk;
    this.#path = join(folder, FOLDER);
    this.#denialsPath = join(this.#path, 'denials');
    this.#keys = new KeyFolder(disk, keysFolder);
    this.#keyFolders = [keysFolder, join(folder, 'keys')];
    this.#clock = clock;
    this.#lock = new Lock(disk, this.#path, thisHost);
  }

  append(entry: Entry): Promise<void> {
    return this.#exclusively(async () => {
      const name = `${toDay(this.#clock.now())}.jsonl`;
      const path = join(this.#path, name);
      const mode = (await this.#disk.status(path)) === undefined ? 'create' : 'append';
      const file = await this.#disk.open(path, mode);
      try {
        // Another process may have ended between creating the file and syncing its name.
        if (name !== this.#journal) await this.#disk.syncFolder(this.#path);
        this.#journal = name;
        // A line break comes first too, since a crash may have left a part of a line.
        const bytes = Buffer.from(`\n${JSON.stringify(entry)}\n`);
        if ((await file.append(bytes)) < bytes.length) throw new StoreFailure('nothing', 'the disk is full');
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  async *read(from: Position = {}): AsyncIterable<EntryBatch> {
    try {
      const names = await this.#list(JOURNAL);
      let position: Position = Object.fromEntries(names.map((name) => [name, from[name] ?? 0]));
      for (const name of names) {
        const file = await this.#disk.open(join(this.#path, name), 'read');
        try {
          for await (const { lines, end } of readLines(file, position[name] ?? 0))
            yield { entries: parseEntries(lines), position: (position = { ...position, [name]: end }) };
        } finally {
          await file.close();
        }
      }
    } catch (error) {
      throw toFailure(error);
    }
  }

  reportTag(id: string, network: string): Promise<string> {
    return explained(async () => {
      const day = toDay(this.#clock.now());
      const key = (await this.#keys.read(day)) ?? (await this.#keys.make(day));
      const input = JSON.stringify(['report', id, network]);
      return createHmac('sha256', key).update(input).digest().toString('base64url', 0, TAG_BYTES);
    });
  }

  denials(): Promise<readonly Denial[]> {
    return explained(async () => {
      const known = this.#knownDenials;
      const files = await this.#denialFiles();
      if (files.length === known.size && files.every(([, name]) => known.has(name))) return this.#denials;
      const found = new Map<string, Denial | undefined>();
      // Keys of expired days stay in no memory.
      let keys: DayKeys | undefined;
      for (const [n, name] of files) {
        found.set(name, known.get(name));
        if (known.has(name)) continue;
        const bytes = await readWhole(this.#disk, join(this.#denialsPath, name));
        const data = bytes && parseStored(DenialData, bytes.toString());
        if (data?.behind !== undefined) keys ??= await this.#loadKeys();
        found.set(name, data && { ...data, n, mark: toMark(data, keys) });
      }
      this.#knownDenials = found;
      this.#denials = [...found.values()].filter((denial) => denial !== undefined);
      return this.#denials;
    });
  }

  addDenial(denial: DenialData): Promise<number> {
    return this.#exclusively(async () => {
      await this.#disk.makeFolder(this.#denialsPath);
      const [last] = (await this.#denialFiles()).at(-1) ?? [0];
      await this.#replace(this.#denialsPath, `${last + 1}-${denial.at}.json`, denial);
      return last + 1;
    });
  }

  removeDenial(n: number): Promise<boolean> {
    return explained(async () => {
      const [, name] = (await this.#denialFiles()).find(([number]) => number === n) ?? [];
      if (name === undefined) return false;
      await removeFile(this.#disk, join(this.#denialsPath, name));
      await this.#disk.syncFolder(this.#denialsPath);
      return true;
    });
  }

  readMirrorPosition(): Promise<MirrorPosition | undefined> {
    return explained(async () => {
      const path = join(this.#path, MIRROR);
      const bytes = await readWhole(this.#disk, path);
      return bytes && parseMirrorPosition(bytes.toString(), path);
    });
  }

  writeMirrorPosition(position: MirrorPosition): Promise<void> {
    return explained(async () => {
      await this.#prepareFolder();
      await this.#replace(this.#path, MIRROR, position);
    });
  }

  prune(): Promise<void> {
    return explained(async () => {
      const now = this.#clock.now();
      for (const { n, until } of await this.denials()) if (until <= now) await this.removeDenial(n);
      const oldest = oldestDay(now);
      for (const name of await this.#list(JOURNAL))
        if (name < oldest) await removeFile(this.#disk, join(this.#path, name));
      for (const { id, at } of await this.servers())
        if (at < now - SERVER_RETENTION_MS) await this.removeServer(id);
    });
  }

  putServer(state: ServerState): Promise<void> {
    return explained(async () => {
      await this.#prepareFolder();
      const path = join(this.#path, `server-${state.id}.json`);
      // A crash may have left it. The numbers are not synced: a lost file is written again.
      const temporary = join(this.#path, `${TEMPORARY}server-${state.id}`);
      await removeFile(this.#disk, temporary);
      const file = await this.#disk.open(temporary, 'create');
      try {
        await writeAll(file, Buffer.from(JSON.stringify(state)));
      } finally {
        await file.close();
      }
      await this.#disk.rename(temporary, path);
    });
  }

  removeServer(id: string): Promise<void> {
    return explained(() => removeFile(this.#disk, join(this.#path, `server-${id}.json`)));
  }

  servers(): Promise<ServerState[]> {
    return explained(async () => {
      const states: ServerState[] = [];
      for (const name of await this.#list(SERVER)) {
        const bytes = await readWhole(this.#disk, join(this.#path, name));
        const state = bytes && parseStored(ServerState, bytes.toString());
        if (state !== undefined) states.push(state);
      }
      return states;
    });
  }

  async close(): Promise<void> {
    // The next process removes a lock that cannot be removed now.
    await this.#lock.release().catch(() => undefined);
  }

  /** Writes while no other process does. */
  #exclusively<Result>(job: () => Promise<Result>): Promise<Result> {
    return this.#mutex.runExclusive(() =>
      explained(async () => {
        await this.#prepareFolder();
        await this.#lock.take(thisHost.now() + MAX_WAIT_MS);
        try {
          return await job();
        } finally {
          await this.#lock.leave().catch(() => undefined);
        }
      }),
    );
  }

  async #replace(folder: string, name: string, value: unknown): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(value));
    await replaceFileBy(this.#disk, folder, name, (file) => writeAll(file, bytes));
  }

  async #loadKeys(): Promise<DayKeys> {
    const keys = new DayKeys(this.#disk, ...this.#keyFolders);
    await keys.load();
    return keys;
  }

  /** @returns their numbers and names, in the order of the numbers */
  async #denialFiles(): Promise<[n: number, name: string][]> {
    const names = await this.#list(DENIAL, this.#denialsPath);
    return names
      .map((name): [number, string] => [Number(DENIAL.exec(name)?.[1]), name])
      .sort(([a], [b]) => a - b);
  }

  /** @returns the sorted names of such files; empty if there is no folder */
  async #list(pattern: RegExp, path = this.#path): Promise<string[]> {
    try {
      return (await this.#disk.list(path)).filter((name) => pattern.test(name)).sort();
    } catch (error) {
      if (isError(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** Creates the folder if it is missing, and removes the access rights of group and others. */
  async #prepareFolder(): Promise<void> {
    await this.#disk.makeFolder(this.#path);
    const { mode } = await stat(this.#path);
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') await chmod(this.#path, FOLDER_MODE);
  }
}

/** The complete lines of a journal, and the offset behind them. */
async function* readLines(file: DiskFile, from: number): AsyncIterable<{ lines: Piece[]; end: number }> {
  const size = file.size();
  // A file that is shorter than before was replaced, and is read from its start.
  for (let start = from > size ? 0 : from; start < size; ) {
    let { pieces, end } = await readPieces(file, start, Math.min(size, start + STEP_BYTES));
    // A longer line.
    if (end === start) ({ pieces, end } = await readPieces(file, start, size));
    if (end === start) return;
    yield { lines: pieces, end };
    start = end;
  }
}

function* parseEntries(lines: readonly Piece[]): Iterable<Entry> {
  for (const { bytes } of lines) {
    const entry = bytes && parseStored(Entry, bytes.toString());
    if (entry !== undefined) yield entry;
  }
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): StoreFailure {
  if (error instanceof StoreFailure) return error;
  return new StoreFailure('nothing', describeDiskError(error), { cause: error });
}

/** @returns as `Denial.mark` */
function toMark({ range, behind }: DenialData, keys: DayKeys | undefined): string | undefined {
  if (range !== undefined) return toBits(range);
  const clientKey = behind && keys?.open(behind.sealed, kindOf(behind.id), behind.id)?.clientKey;
  return clientKey && toBits(behind.isWide ? widenNetwork(clientKey) : clientKey);
}
