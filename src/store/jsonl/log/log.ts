import { join } from 'node:path';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import type { Disk, DiskFile } from '#store/jsonl/fs/disk.ts';
import {
  behindFragment,
  decodeLine,
  encodeLine,
  isSpoiled,
  splitLines,
  SPOIL,
  type Line,
  type Seal,
  type WorkLine,
} from './record.ts';

/** Raised when a log can no longer be read by older programs. */
const FORMAT = 1;

const SHORTER = 'the log has become shorter';

const CHUNK_BYTES = 4 * 1024 * 1024;

export const headerLine = (): Buffer => encodeLine(0, 0, 0, `"log":{"format":${FORMAT}}`);

/** Where a process stands in a log. */
export interface Position {
  /** Everything before this byte was read; what follows it is a fragment, or news. */
  readonly offset: number;
  /** The last number that counted. */
  readonly seq: number;
  /** The size of the log when it was last looked at. */
  readonly seen: number;
  /** Where the store goes on, if the log was replaced. Nothing counts after it. */
  readonly seal?: Seal;
}

export const START: Position = { offset: 0, seq: -1, seen: 0 };

export interface Appended {
  /** How many of the lines stand: the first so many. The others were displaced, or not taken by the disk. */
  readonly standing: number;
  /** Behind the lines that stand; to be built on once they are synced. */
  readonly position: Position;
  /** Why the disk did not take them all; undefined where it did. */
  readonly failure: unknown;
}

/**
 * One file of the store, to which several processes append without a lock: a line counts only where its writer
 * expected it. Of two writers who read the same tail, the second finds its lines displaced, and decides anew.
 */
export class Log {
  readonly name: string;
  readonly #path: string;
  readonly #file: DiskFile;

  private constructor(folder: string, name: string, file: DiskFile) {
    this.name = name;
    this.#path = join(folder, name);
    this.#file = file;
  }

  /** Makes a log that is still empty. */
  static async create(disk: Disk, folder: string, name: string): Promise<Log> {
    return new Log(folder, name, await disk.open(join(folder, name), 'create'));
  }

  /** Opens a log that must be there; nothing of it is read yet. */
  static async open(disk: Disk, folder: string, name: string): Promise<Log> {
    return new Log(folder, name, await disk.open(join(folder, name), 'append'));
  }

  /** Writes the header of a log that is empty. Not durable before a sync of it and of the folder. */
  async begin(): Promise<Position> {
    const header = headerLine();
    if ((await this.#file.append(header)) < header.length) throw partly();
    return { offset: header.length, seq: 0, seen: header.length };
  }

  /** One system call tells whether anybody appended since. */
  moved(since: Position): boolean {
    return this.#file.size() !== since.seen;
  }

  /**
   * Hands the works that count behind a position to `visit`, in order.
   * @returns the position behind them
   * @throws Damage
   */
  async read(from: Position, visit: (line: WorkLine) => void): Promise<Position> {
    const seen = this.#file.size();
    if (seen < from.offset) throw new CorruptionError(this.#path, SHORTER, seen);
    let position: Position = { ...from, seen };
    let wanted = CHUNK_BYTES;
    while (position.offset < seen && position.seal === undefined) {
      const { offset } = position;
      const chunk = Buffer.allocUnsafe(Math.min(wanted, seen - offset));
      const bytes = chunk.subarray(0, await this.#file.read(chunk, offset));
      if (bytes.length === 0) throw new CorruptionError(this.#path, SHORTER, offset);
      const complete = splitLines(bytes, (text, start) => {
        if (position.seal !== undefined) return;
        const line = this.#judge(text, offset + start, position.seq);
        if (line === undefined) return;
        position = { ...position, seq: line.seq, ...('seal' in line && { seal: line.seal }) };
        if ('do' in line) visit(line);
      });
      position = { ...position, offset: offset + complete };
      if (complete === 0 && bytes.length === seen - offset) break;
      wanted = complete === 0 ? wanted * 2 : CHUNK_BYTES;
    }
    if (position.seq < 0) throw new CorruptionError(this.#path, 'the log has no header', 0);
    return position;
  }

  /** @returns the line if it counts, undefined if it is void. */
  #judge(text: Buffer, at: number, last: number): Line | undefined {
    if (isSpoiled(text)) return undefined;
    const line = decodeLine(text);
    if (line === undefined && this.#isTorn(text, at, last)) return undefined;
    if (line === undefined) throw new CorruptionError(this.#path, 'the checksum of a line does not fit', at);
    if (last < 0) return this.#judgeHeader(line, at);
    if (line.base > last)
      throw new CorruptionError(this.#path, 'lines that stood before this one are missing', at);
    if (line.at !== at) return undefined;
    if (line.seq !== last + 1)
      throw new CorruptionError(this.#path, 'the numbers of the lines do not follow each other', at);
    return line;
  }

  /** Void too: a writer that did not know yet of the fragment at the end appended right behind it. */
  #isTorn(text: Buffer, at: number, last: number): boolean {
    const torn = behindFragment(text);
    return torn !== undefined && torn.line.at < at + torn.start && torn.line.base <= last;
  }

  #judgeHeader(line: Line, at: number): Line {
    if (!('log' in line) || at !== 0) throw new CorruptionError(this.#path, 'the log has no header', at);
    if (line.log.format !== FORMAT)
      throw new CorruptionError(this.#path, 'a newer version of this program wrote it', at);
    return line;
  }

  /**
   * Appends one line for each body in a single write, and looks which of them stand where they were expected. With
   * no body it appends what says nothing, to try the disk.
   * @param at where everything was read
   */
  async append(at: Position, bodies: readonly string[]): Promise<Appended> {
    if (this.moved(at)) return { standing: 0, position: at, failure: undefined };
    const pieces: Buffer[] = at.seen > at.offset || bodies.length === 0 ? [SPOIL] : [];
    let end = at.seen + (pieces[0]?.length ?? 0);
    const ends = bodies.map((body, index) => {
      const line = encodeLine(end, at.seq + 1 + index, at.seq, body);
      pieces.push(line);
      return (end += line.length);
    });
    const bytes = Buffer.concat(pieces);
    let failure: unknown;
    const taken = await this.#file.append(bytes).catch((error: unknown) => void (failure = error));
    if (taken !== undefined && taken < bytes.length) failure = partly();
    const size = this.#file.size();
    if (failure === undefined && size === end) return stood(at, ends, ends.length, size, failure);
    return stood(at, ends, await this.#standing(at.seen, bytes, ends), at.seen, failure);
  }

  /** Reads the tail again: which of the lines, that end there, are where they were expected? */
  async #standing(start: number, bytes: Buffer, ends: readonly number[]): Promise<number> {
    const there = Buffer.alloc(Math.min(bytes.length, this.#file.size() - start));
    const filled = await this.#file.read(there, start);
    const first = ends.findIndex((end) => {
      const length = end - start;
      return length > filled || !there.subarray(0, length).equals(bytes.subarray(0, length));
    });
    return first < 0 ? ends.length : first;
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

const partly = (): Error => new Error('the disk took only a part of the write');

function stood(
  at: Position,
  ends: readonly number[],
  standing: number,
  seen: number,
  failure: unknown,
): Appended {
  const position = { offset: ends[standing - 1] ?? at.offset, seq: at.seq + standing, seen };
  return { standing, position, failure };
}
