import { createHmac } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Disk, DiskFile } from '#store/folder/fs/disk.ts';
import { describeDiskError, isError } from '#store/folder/fs/errors.ts';
import {
  placeFile,
  readWhole,
  removeFile,
  replaceFileBy,
  TEMPORARY,
  writeAll,
} from '#store/folder/fs/atomic-files.ts';
import { DayKeys } from '#store/folder/day-keys.ts';
import { KeyFolder } from '#store/folder/key-folder.ts';
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

/** Some file systems note times to two seconds. */
const COARSEST_TIME_MS = 2_500;

const TAG_BYTES = 16;
const PIECE_BYTES = 1024 * 1024;
/** A line that is longer is damaged. */
const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

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
  /** By name of their files; undefined for a damaged one. */
  #knownDenials = new Map<string, Denial | undefined>();
  #denials: readonly Denial[] = [];
  /** When their folder was changed last; when this process saw that first, and when it read them. */
  #denialsRead = { changedAt: 0, seenAt: 0, readAt: 0 };

  constructor({ disk, folder, keysFolder = join(folder, 'keys'), clock }: FolderPrivateStoreOptions) {
    this.#disk = disk;
    this.#path = join(folder, FOLDER);
    this.#denialsPath = join(this.#path, 'denials');
    this.#keys = new KeyFolder(disk, keysFolder);
    this.#keyFolders = [keysFolder, join(folder, 'keys')];
    this.#clock = clock;
  }

  append(entry: Entry): Promise<void> {
    return explained(async () => {
      await this.#prepareFolder();
      const file = await this.#openJournal(`${toDay(this.#clock.now())}.jsonl`);
      try {
        // A line break comes first too, since a crash may have left a part of a line.
        const bytes = Buffer.from(`\n${JSON.stringify(entry)}\n`);
        if ((await file.append(bytes)) < bytes.length) throw new StoreFailure('nothing', 'the disk is full');
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  read(from: Position = {}): Promise<{ entries: Entry[]; position: Position }> {
    return explained(async () => {
      const entries: Entry[] = [];
      const position: Record<string, number> = {};
      for (const name of await this.#list(JOURNAL)) {
        const file = await this.#disk.open(join(this.#path, name), 'read');
        try {
          const size = file.size();
          const start = from[name] ?? 0;
          // A file that is shorter than before was replaced, and is read from its start.
          position[name] = await readEntries(file, start > size ? 0 : start, size, entries);
        } finally {
          await file.close();
        }
      }
      return { entries, position };
    });
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
      const { mtimeMs: changedAt = 0 } = statSync(this.#denialsPath, { throwIfNoEntry: false }) ?? {};
      const readAt = performance.now();
      const before = this.#denialsRead;
      const seenAt = changedAt === before.changedAt ? before.seenAt : readAt;
      // A change within the resolution of the times of the file system leaves the time as it is.
      if (before.readAt - seenAt > COARSEST_TIME_MS) return this.#denials;
      const files = await this.#denialFiles();
      const known = this.#knownDenials;
      const found = new Map<string, Denial | undefined>();
      // Keys of expired days stay in no memory.
      const keys = new DayKeys(this.#disk, ...this.#keyFolders);
      let hasKeys = false;
      for (const [n, name] of files) {
        found.set(name, known.get(name));
        if (known.has(name)) continue;
        const bytes = await readWhole(this.#disk, join(this.#denialsPath, name));
        const data = bytes && parseStored(DenialData, bytes.toString());
        if (data?.behind !== undefined && !hasKeys) await keys.load();
        hasKeys ||= data?.behind !== undefined;
        found.set(name, data && { ...data, n, mark: toMark(data, keys) });
      }
      this.#denialsRead = { changedAt, seenAt, readAt };
      if (files.length === known.size && files.every(([, name]) => known.has(name))) return this.#denials;
      this.#knownDenials = found;
      this.#denials = [...found.values()].filter((denial) => denial !== undefined);
      return this.#denials;
    });
  }

  addDenial(denial: DenialData): Promise<number> {
    return explained(async () => {
      await this.#prepareFolder();
      await this.#disk.makeFolder(this.#denialsPath);
      const bytes = Buffer.from(JSON.stringify(denial));
      const [last] = (await this.#denialFiles()).at(-1) ?? [0];
      for (let n = last + 1; ; n++) {
        const name = `${n}-${denial.at}.json`;
        if (!(await placeFile(this.#disk, this.#denialsPath, name, bytes))) continue;
        if ((await this.#denialFiles()).filter(([other]) => other === n).length === 1) return n;
        // Another process has taken the same number.
        await removeFile(this.#disk, join(this.#denialsPath, name));
      }
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
      const bytes = Buffer.from(JSON.stringify(position));
      await replaceFileBy(this.#disk, this.#path, MIRROR, (file) => writeAll(file, bytes));
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
        if (at < this.#clock.now() - SERVER_RETENTION_MS) await this.removeServer(id);
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
    // No file stays open.
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

  async #openJournal(name: string): Promise<DiskFile> {
    const path = join(this.#path, name);
    try {
      return await this.#disk.open(path, 'append');
    } catch (error) {
      if (!isError(error, 'ENOENT')) throw error;
    }
    try {
      const file = await this.#disk.open(path, 'create');
      await this.#disk.syncFolder(dirname(path));
      return file;
    } catch (error) {
      // Another process has just made it.
      if (isError(error, 'EEXIST')) return this.#disk.open(path, 'append');
      throw error;
    }
  }
}

/** Adds the entries of the complete lines of a file. @returns the offset behind the last one */
async function readEntries(file: DiskFile, start: number, end: number, entries: Entry[]): Promise<number> {
  let rest = Buffer.alloc(0);
  let offset = start;
  while (offset + rest.length < end) {
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, end - offset - rest.length));
    const length = await file.read(piece, offset + rest.length);
    if (length === 0) break;
    const bytes = Buffer.concat([rest, piece.subarray(0, length)]);
    const last = bytes.lastIndexOf(NEWLINE);
    for (const line of bytes.toString('utf8', 0, last + 1).split('\n')) {
      const entry = line === '' ? undefined : parseStored(Entry, line);
      if (entry !== undefined) entries.push(entry);
    }
    const isTooLong = last < 0 && bytes.length > MAX_LINE_BYTES;
    offset += isTooLong ? bytes.length : last + 1;
    rest = isTooLong ? Buffer.alloc(0) : bytes.subarray(last + 1);
  }
  return offset;
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFailure) throw error;
    throw new StoreFailure('nothing', describeDiskError(error), { cause: error });
  }
}

/** @returns as `Denial.mark` */
function toMark({ range, behind }: DenialData, keys: DayKeys): string | undefined {
  if (range !== undefined) return toBits(range);
  const clientKey = behind && keys.open(behind.sealed, kindOf(behind.id), behind.id)?.clientKey;
  return clientKey && toBits(behind.isWide ? widenNetwork(clientKey) : clientKey);
}
