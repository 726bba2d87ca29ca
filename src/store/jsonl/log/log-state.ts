import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import { identityOf, isSigned } from './codec.ts';
import type { EraseTarget, CountedLine, SegmentHeader } from './line.ts';
import { LinePlaces, type LinePlace } from './line-places.ts';
import { readErasures, type Erasure } from './erasures.ts';
import type { Position, ScanResult, ScanSource } from './scan.ts';
import { SegmentFile } from './segment-file.ts';
import { segmentName } from './segment-names.ts';
import type { Snapshot } from './snapshot.ts';

export interface LogContext {
  readonly disk: Disk;
  readonly folder: string;
  /** Messages for the operator, without texts and addresses. */
  readonly report: (message: string) => void;
  readonly pause: (ms: number) => Promise<void>;
  /** Receives the lines that count, in order. */
  readonly consumer: LogConsumer;
}

export interface LogConsumer {
  line(line: CountedLine): void;
  /** Takes a line from the snapshot. @returns false if the line has to be read */
  restore(seq: number): boolean;
  /** The log is read from its beginning next, since lines from this number on were replaced. */
  replaced(seq: number): void;
  /** The log is read from its beginning, first from the snapshot. The earlier state counts until `loaded`. */
  reset(snapshot: Snapshot | undefined): Promise<void>;
  /** All lines since `reset` were visited, and take the place of those before it. */
  loaded(): void;
}

/** A file of the log. */
export interface Segment {
  /** Open, so that texts can be read. */
  readonly file: SegmentFile;
  readonly header: SegmentHeader;
  /** Of the header line, with its line feed. */
  readonly headerEnd: number;
  /** The offset behind the last line that counts. Everything after it in an earlier segment is dead. */
  end: number;
}

/** A line that counts, without its bytes. */
export interface AcceptedLine extends LinePlace {
  readonly seq: number;
  readonly identity: string;
  /** Of an erase whose record was in the store. */
  readonly target: EraseTarget | undefined;
}

/** So many of the latest lines are remembered, to see whether a new segment holds the same. */
const REMEMBERED_LINES = 4096;

/** All that a process knows of the log. The functions of this folder work on it, one at a time. */
export class LogState {
  readonly context: LogContext;
  /** In the order of their numbers. The last one is the current one. */
  readonly segments: Segment[] = [];
  file: SegmentFile;
  seq = 0;
  /** The size of the current segment when it was last read. */
  size = 0;
  /** Its size with lines of this process that are not synced yet; undefined if there are none. */
  inFlight: number | undefined;
  /** Resolves once the lines of the current append are in the file, synced or not. */
  appending: Promise<void> | undefined;
  /** The bytes of all earlier segments. */
  olderBytes = 0;
  /** The last number that this process knows to be synced. */
  base = 0;
  /**
   * Lines up to this number were read when the segment was opened, and nothing proves that they were synced:
   * a descriptor that is opened later does not learn of a sync that failed. 0 if there are none.
   */
  unproved = 0;
  /** What the claims of this process hold. */
  readonly claimant = randomBytes(8).toString('hex');
  /** The first claim that no line followed yet. */
  claim: string | undefined;
  /** A claim that no line followed in time: its process may have died. */
  expiredClaim: string | undefined;
  /** How many appends in a row were displaced. */
  displaced = 0;
  /** The sync of the current segment has failed: it is not written any more. */
  syncFailed = false;
  places = new LinePlaces();
  /** By number of the erase line: targets whose text may not be removed yet. */
  readonly unfinished = new Map<number, EraseTarget>();
  /** Before the line with this number all dead bytes are overwritten and synced. */
  wipedTo = 0;
  /** The latest lines, by number modulo `REMEMBERED_LINES`. */
  readonly #remembered: Pick<AcceptedLine, 'seq' | 'identity'>[] = [];

  constructor(context: LogContext, file: SegmentFile) {
    this.context = context;
    this.file = file;
  }

  /** @throws Error before the first segment was read */
  get current(): Segment {
    const segment = this.segments.at(-1);
    if (segment === undefined) throw new Error('no segment was read');
    return segment;
  }

  get position(): Position {
    return { offset: this.current.end, seq: this.seq };
  }

  /** Forgets everything that was read. `file` stays open. */
  async clear(): Promise<void> {
    const files = this.segments.splice(0).map(({ file }) => file);
    await Promise.all(files.filter((file) => file !== this.file).map((file) => file.close()));
    this.seq = this.size = this.olderBytes = this.base = this.unproved = this.wipedTo = 0;
    this.syncFailed = false;
    this.places = new LinePlaces();
    this.unfinished.clear();
    this.#remembered.length = 0;
  }

  /** Applies a line that counts, and passes it to the consumer. */
  accept(line: CountedLine): void {
    this.remember(toAcceptedLine(line));
    this.context.consumer.line(line);
  }

  /** Applies a line that counts and that the consumer knows already. */
  remember({ seq, identity, target, ...place }: AcceptedLine): void {
    this.seq = Math.max(this.seq, seq);
    this.places.set(seq, place);
    this.#remembered[seq % REMEMBERED_LINES] = { seq, identity };
    if (target !== undefined) this.unfinished.set(seq, target);
  }

  /** Whether the line with this number is the one that was accepted. */
  isKnown({ seq, identity }: Pick<AcceptedLine, 'seq' | 'identity'>): boolean {
    const line = this.#remembered[seq % REMEMBERED_LINES];
    return line?.seq === seq && line.identity === identity;
  }

  async enter(file: SegmentFile): Promise<void> {
    const old = this.file;
    this.file = file;
    if (!this.segments.some((segment) => segment.file === old)) await old.close();
  }

  /** Makes the file that was entered a segment of which nothing but its header was read. */
  beginReading(header: SegmentHeader, headerEnd: number): void {
    const { file } = this;
    this.segments.push({ file, header, headerEnd, end: headerEnd });
  }

  async close(): Promise<void> {
    await this.clear();
    await this.file.close();
  }

  /** Syncs the current segment. @returns false if a sync ever failed: the system reports it only once */
  async sync(): Promise<boolean> {
    if (this.syncFailed) return false;
    try {
      await this.file.sync();
      return true;
    } catch {
      this.syncFailed = true;
      return false;
    }
  }

  /**
   * Works on a segment. An older one is opened for that time.
   * @throws CorruptionError if another file has the name of the segment
   */
  async withSegment<Result>(
    number: number,
    work: (file: SegmentFile, segment: Segment) => Promise<Result>,
  ): Promise<Result> {
    const { disk, folder } = this.context;
    const segment = this.segments.find(({ header }) => header.number === number);
    if (segment === undefined) throw new CorruptionError(folder, `there is no segment ${number}`);
    if (segment === this.current) return work(this.file, segment);
    const file = await SegmentFile.open(disk, folder, segmentName(number));
    try {
      const { header } = await file.readHeader();
      if (header.seed !== segment.header.seed || header.number !== number)
        throw new CorruptionError(file.path, 'the segment was replaced');
      return await work(file, segment);
    } finally {
      await file.close();
    }
  }

  /** One system call. */
  hasMoved(): boolean {
    if (this.segments.length === 0) return true;
    return this.file.size !== (this.inFlight ?? this.size);
  }

  /**
   * Records the place of lines that were appended and synced.
   * @param end behind the last of them
   * @param size of the segment, if everything behind `end` was read; 0 to have it read
   */
  finishAppend(end: number, size: number): void {
    this.current.end = end;
    this.size = size;
    this.claim = undefined;
    this.base = this.seq;
  }

  /** Applies what a scan of the current segment found besides lines. */
  finishScan({ position, size, wiped, claim }: ScanResult): void {
    this.current.end = position.offset;
    this.size = size;
    this.claim = claim;
    for (const seq of wiped) this.finishErase(seq);
  }

  /** @param seq of an erase line; whoever finished it overwrote all dead bytes before it */
  finishErase(seq: number): void {
    this.unfinished.delete(seq);
    this.wipedTo = Math.max(this.wipedTo, seq);
  }

  /** @param stop the first number of the next segment; Infinity if there is none */
  sourceOf(file: SegmentFile, header: SegmentHeader, stop = Infinity): ScanSource {
    return {
      file,
      header,
      stop,
      erasures: () => this.#readErasures(header, file),
      isContinued: async () => stop === Infinity && (await this.hasSegment(header.number + 1)),
    };
  }

  async hasSegment(number: number): Promise<boolean> {
    const { disk, folder } = this.context;
    return (await disk.list(folder)).includes(segmentName(number));
  }

  /** Reads all erase lines that name a line of a segment, in that segment and the later ones. */
  async #readErasures({ number }: SegmentHeader, file: SegmentFile): Promise<Erasure[]> {
    const erasures = await readErasures(number, file);
    const { disk, folder } = this.context;
    for (let next = number + 1; await this.hasSegment(next); next++) {
      const later = await SegmentFile.open(disk, folder, segmentName(next));
      try {
        erasures.push(...(await readErasures(number, later)));
      } finally {
        await later.close();
      }
    }
    return erasures;
  }

  path(name: string): string {
    return join(this.context.folder, name);
  }
}

export function toAcceptedLine({ seq, log, at, bytes, do: stored }: CountedLine): AcceptedLine {
  const target = 'moderate' in stored ? stored.line : undefined;
  const place = { log, at, length: bytes.length, isSigned: isSigned(stored) };
  return { seq, ...place, identity: identityOf(stored), target };
}
