import { parseJson } from '#runtime/json.ts';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type * as z from 'zod';
import { CorruptionError, describeDiskError, type Disk } from '#store/folder/fs/disk.ts';
import { listNames, readWhole, removeFile, replaceJson } from '#store/folder/fs/atomic-files.ts';
import { KeyFolder } from '#store/folder/fs/key-folder.ts';
import { DayKeys } from '#store/folder/day-keys.ts';
import { readExpiryClock } from '#store/folder/expiry-clock.ts';
import { thisHost } from '#store/folder/host.ts';
import { type Piece, readPieces } from '#store/folder/line.ts';
import { Lock } from '#store/folder/lock.ts';
import { removeLeftovers, type FolderStoreOptions } from '#store/folder/open-log.ts';
import { DAY_MS, toDay } from '#store/engine/timestamp.ts';
import { toBits, widenNetwork } from '#store/port/network.ts';
import { StoreFailure } from '#store/port/store.ts';
import {
  DenialData,
  Entry,
  explainBy,
  oldestDay,
  parseMirrorPosition,
  ServerState,
  type Denial,
  type EntryBatch,
  type MirrorPosition,
  type Position,
  type PrivateStore,
} from './private-store.ts';

const FOLDER = 'private';
const MIRROR = 'mirror.json';
const JOURNAL = /^\d{4}-\d\d-\d\d\.jsonl$/;
const SERVER = /^server-[0-9a-f-]{36}\.json$/;
/** The number and the time of the denial, so that no name is used twice. */
const DENIAL = /^(\d{1,9})-\d+\.json$/;
const TAG_BYTES = 16;

type FolderPrivateStoreOptions = Pick<FolderStoreOptions, 'disk' | 'folder' | 'keysFolder' | 'clock'>;

/** The folder `private` of a data folder. It is neither read nor created before the first call. */
export class FolderPrivateStore implements PrivateStore {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  readonly #denialsPath: string;
  readonly #keysPaths: readonly [path: string, earlierPath: string];
  readonly #clock: FolderPrivateStoreOptions['clock'];
  readonly #lock: Lock;
  /** By file name; undefined for a damaged file. */
  #cachedDenials = new Map<string, Denial | undefined>();
  #denials: readonly Denial[] = [];

  constructor({ disk, folder, keysFolder = join(folder, 'keys'), clock }: FolderPrivateStoreOptions) {
    this.#disk = disk;
    this.#folder = folder;
    this.#path = join(folder, FOLDER);
    this.#denialsPath = join(this.#path, 'denials');
    this.#keysPaths = [keysFolder, join(folder, 'keys')];
    this.#clock = clock;
    this.#lock = new Lock(disk, this.#path, thisHost);
  }

  append(entry: Entry): Promise<void> {
    return this.#exclusively(async () => {
      const path = join(this.#path, `${toDay(this.#clock.now())}.jsonl`);
      const isNew = (await this.#disk.status(path)) === undefined;
      const file = await this.#disk.open(path, isNew ? 'create' : 'append');
      try {
        // A line break also comes first, since a crash may have left part of a line.
        const bytes = Buffer.from(`\n${JSON.stringify(entry)}\n`);
        const missing = bytes.length - (await file.append(bytes));
        // If only the last line feed is missing, the entry can be read, so its outcome is unknown.
        if (missing > 0) throw new StoreFailure(missing > 1 ? 'nothing' : 'unknown', 'the disk is full');
        await file.sync().catch((error: unknown) => {
          throw new StoreFailure('unknown', describeDiskError(error), { cause: error });
        });
      } finally {
        await file.close();
      }
      // Also for an existing file, since the process that created it may have crashed before its sync.
      await this.#disk.syncFolder(this.#path);
    });
  }

  async *read(from: Position = {}): AsyncIterable<EntryBatch> {
    try {
      const names = await this.#list(JOURNAL);
      let position: Position = Object.fromEntries(names.map((name) => [name, from[name] ?? 0]));
      for (const name of names)
        for await (const { pieces, end } of this.#readJournal(name, from[name] ?? 0))
          yield { entries: parseEntries(pieces), position: (position = { ...position, [name]: end }) };
    } catch (error) {
      throw toFailure(error);
    }
  }

  reportTag(id: string, network: string): Promise<string> {
    return explained(async () => {
      const day = toDay(this.#clock.now());
      const key = await new KeyFolder(this.#disk, this.#keysPaths[0]).make(day);
      const input = JSON.stringify(['report', id, network]);
      return createHmac('sha256', key).update(input).digest().toString('base64url', 0, TAG_BYTES);
    });
  }

  denials(): Promise<readonly Denial[]> {
    return explained(async () => {
      const cached = this.#cachedDenials;
      const files = await this.#denialFiles();
      if (files.length === cached.size && files.every(([, name]) => cached.has(name))) return this.#denials;
      const found = new Map<string, Denial | undefined>();
      // Loaded anew each time, so that no key of an expired day stays in memory.
      const keys = new DayKeys(this.#disk, ...this.#keysPaths);
      let hasKeys = false;
      for (const [n, name] of files) {
        const data = cached.has(name) ? undefined : await this.#readFile(this.#denialsPath, name, DenialData);
        // Keys are loaded only if needed, since a damaged key must not hide the denials of ranges.
        if (data?.behind != null && !hasKeys) await keys.load();
        hasKeys ||= data?.behind != null;
        found.set(name, data === undefined ? cached.get(name) : { ...data, n, denied: toDenied(data, keys) });
      }
      this.#cachedDenials = found;
      this.#denials = [...found.values()].filter((denial) => denial !== undefined);
      return this.#denials;
    });
  }

  addDenial(denial: DenialData): Promise<number> {
    return this.#exclusively(async () => {
      await this.#disk.makeFolder(this.#denialsPath);
      for (;;) {
        const [last] = (await this.#denialFiles()).at(-1) ?? [0];
        const name = `${last + 1}-${denial.at}.json`;
        await replaceJson(this.#disk, this.#denialsPath, name, denial);
        // A process that was suspended while it held the lock may have used the same number.
        const files = await this.#denialFiles();
        if (files.every(([n, other]) => n !== last + 1 || other === name)) return last + 1;
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
    return this.#inFolder(() => replaceJson(this.#disk, this.#path, MIRROR, position));
  }

  prune(): Promise<void> {
    return explained(async () => {
      const now = this.#clock.now();
      for (const { id, at } of await this.servers()) if (at < now - DAY_MS) await this.removeServer(id);
      const expiry = await readExpiryClock(this.#disk, this.#folder, now);
      for (const { n, until } of await this.denials()) if (until <= expiry) await this.removeDenial(n);
      for (const name of await this.#list(JOURNAL))
        if (name < oldestDay(expiry)) await removeFile(this.#disk, join(this.#path, name));
      for (const folder of [this.#path, this.#denialsPath]) {
        const [failure] = await removeLeftovers(this.#disk, folder, expiry - DAY_MS);
        if (failure !== undefined) throw failure;
      }
    });
  }

  putServer(state: ServerState): Promise<void> {
    return this.#inFolder(() => replaceJson(this.#disk, this.#path, `server-${state.id}.json`, state));
  }

  removeServer(id: string): Promise<void> {
    return explained(() => removeFile(this.#disk, join(this.#path, `server-${id}.json`)));
  }

  servers(): Promise<ServerState[]> {
    return explained(async () => {
      const names = await this.#list(SERVER);
      const states = await Promise.all(names.map((name) => this.#readFile(this.#path, name, ServerState)));
      return states.filter((state) => state !== undefined);
    });
  }

  async close(): Promise<void> {
    // If the lock file cannot be removed, the next process removes it.
    await this.#lock.release().catch(() => undefined);
  }

  #exclusively<Result>(write: () => Promise<Result>): Promise<Result> {
    return this.#inFolder(() => this.#lock.runLocked(write));
  }

  /** Creates the folder, without access rights for group and others, and writes into it. */
  #inFolder<Result>(write: () => Promise<Result>): Promise<Result> {
    return explained(async () => {
      await this.#disk.makeFolder(this.#path);
      await this.#disk.restrictFolder(this.#path);
      return write();
    });
  }

  /** Reads the complete lines of a journal, and the offset after them. */
  async *#readJournal(name: string, from: number): AsyncIterable<{ pieces: Piece[]; end: number }> {
    const file = await this.#disk.open(join(this.#path, name), 'read');
    try {
      const size = file.size();
      // A file that became shorter was replaced, and is read from its beginning.
      for (let offset = from > size ? 0 : from; offset < size; ) {
        const read = await readPieces(file, offset, size);
        // The last line is not complete.
        if (read.end === offset) return;
        offset = read.end;
        yield read;
      }
    } finally {
      await file.close();
    }
  }

  /** @returns undefined if there is no such file, or if it is damaged or of another version */
  async #readFile<S extends z.ZodType>(folder: string, name: string, schema: S) {
    const bytes = await readWhole(this.#disk, join(folder, name)).catch((error: unknown) => {
      if (error instanceof CorruptionError) return undefined;
      throw error;
    });
    return bytes && schema.safeParse(parseJson(bytes.toString())).data;
  }

  async #denialFiles(): Promise<[n: number, name: string][]> {
    const names = await this.#list(DENIAL, this.#denialsPath);
    return names.map((name): [number, string] => [parseInt(name), name]).sort(([a], [b]) => a - b);
  }

  /** @returns the sorted names of such files; empty if there is no folder */
  async #list(pattern: RegExp, path = this.#path): Promise<string[]> {
    return (await listNames(this.#disk, path)).filter((name) => pattern.test(name)).sort();
  }
}

function* parseEntries(pieces: readonly Piece[]): Iterable<Entry> {
  for (const { bytes, length } of pieces) {
    // Each entry has a line feed before and after it. A piece that is too long for a line is no entry.
    const entry = length === 0 ? undefined : Entry.safeParse(parseJson(String(bytes))).data;
    if (entry !== undefined) yield entry;
  }
}

const explained = explainBy(toFailure);

function toFailure(error: unknown): StoreFailure {
  if (error instanceof StoreFailure) return error;
  return new StoreFailure('nothing', describeDiskError(error), { cause: error });
}

/** @returns the bits of the network; undefined once the key of the day of the message is destroyed */
function toDenied({ range, behind }: DenialData, keys: DayKeys): string | undefined {
  if (range !== undefined) return toBits(range);
  const clientKey = behind && keys.open(behind.sealed, behind.id)?.clientKey;
  return clientKey && toBits(behind.isWide ? widenNetwork(clientKey) : clientKey);
}
