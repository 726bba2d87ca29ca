import { crc32 } from 'node:zlib';
import { parseJson } from '#runtime/json.ts';
import {
  isFreezeOperation,
  type AddOperation,
  type ErasedAddition,
  type Operation,
} from '#store/engine/operation.ts';
import { kindOf, type AnyRecord, type ModerationEntry } from '#store/port/records.ts';
import type { FreezeOperation } from '#store/port/store.ts';
import type { DiskFile } from './fs/disk.ts';

export const LOG = 'log.jsonl';
/** A longer piece is not a line, and is skipped without being read into memory. */
export const MAX_LINE_BYTES = 256 * 1024;

/** The position of a line as its writer states it, at the beginning of the line. */
export interface LineHeader {
  /** The offset at which the writer expected the line to begin. */
  readonly offset: number;
  /** The number of the line among those that count. */
  readonly seq: number;
  /** The number of the last line that the writer knew to be synced. */
  readonly syncedUpTo: number;
}

/** As an erase stores it: the line of the erased record, and what is needed to blank its text. */
export interface EraseTarget extends Pick<CountedLine, 'length' | 'seq'> {
  /** The offset of the line. */
  readonly at: number;
  /** The offsets, in the line, of the first byte of the text and of the byte after it. */
  readonly span: readonly [start: number, end: number];
  /** The checksum of the line with a blank text. */
  readonly sum: string;
}

/** A record as a line holds it. Without its texts it is erased. */
type StoredRecord = Record<string, unknown> & { id: string; createdAt: string };

/** An operation as a line holds it. `by` is its encrypted write entry. */
export type StoredOperation =
  | { add: string; by?: string; record: StoredRecord }
  | {
      moderate: string;
      id: string;
      at: string;
      reason: string;
      mark?: string | undefined;
      /** The line that an erase erases; absent if the store never had the record. */
      line?: EraseTarget;
    }
  | { turn: string; at: string };

/** A line of the log. It counts if it begins at its `offset`, and `seq` is the next number. */
export interface DecodedLine extends LineHeader {
  readonly do: StoredOperation;
}

/** A line under the names that the file has. */
type StoredLine = Pick<EraseTarget, 'at' | 'seq'> & { readonly base: number; readonly do: StoredOperation };

export interface Span {
  readonly offset: number;
  readonly length: number;
}

export type CountedLine = Span & Pick<DecodedLine, 'seq' | 'do'>;

export const SPACE = 0x20;
const LINE_FEED = 0x0a;
const SUM_START = ',"sum":"';
const SUM_DIGITS = 8;
const SUM_CLOSE = '"}';
const SUM_LENGTH = SUM_START.length + SUM_DIGITS + SUM_CLOSE.length;
/** What an erase leaves of the checksum. No fragment of a write and no blanked dead bytes end like this. */
const BLANKED_SUM = SUM_START + ' '.repeat(SUM_DIGITS) + SUM_CLOSE;
const HEAD = /^\{"at":(\d{1,16}),"seq":(\d{1,16}),"base":(\d{1,16}),/;
const HEAD_BYTES = 70;
const CREATED_AT = '"createdAt":"';
const TIMESTAMP_LENGTH = '2026-11-21T10:49:32.123456Z'.length;
/** The fields that remain when a record is erased. All others are texts. */
const STRUCTURE = ['id', 'projectId', 'parentId', 'rootId', 'createdAt'];
/** Begins every write. The line feed ends a fragment left by a crash, so that the fragment never counts. */
export const WRITE_START = Buffer.from('#\n');
export const FIRST_LINE = withSum('{"porchlight":"folder","format":3');

function checksum(bytes: Buffer | string): string {
  return crc32(bytes).toString(16).padStart(SUM_DIGITS, '0');
}

/** @param text the line without its checksum and the closing brace */
function withSum(text: string): Buffer {
  return Buffer.from(`${text}${SUM_START}${checksum(text)}${SUM_CLOSE}\n`);
}

/** Puts the texts of an added record last, so that they can be blanked in one run of bytes. */
export function encodeLine({ offset, seq, syncedUpTo }: LineHeader, operation: StoredOperation): Buffer {
  return withSum(`{"at":${offset},"seq":${seq},"base":${syncedUpTo},"do":${encodeOperation(operation)}`);
}

function encodeOperation(operation: StoredOperation): string {
  if (!('add' in operation)) return JSON.stringify(operation);
  const { record, ...rest } = operation;
  const { id, projectId, parentId, rootId, createdAt, ...texts } = record;
  const structure = JSON.stringify({ id, projectId, parentId, rootId, createdAt }).slice(0, -1);
  const stored = `${structure},${JSON.stringify(texts).slice(1)}`;
  return `${JSON.stringify(rest).slice(0, -1)},"record":${stored}}`;
}

/** @param piece bytes between two line feeds @returns undefined if the piece is not a whole line */
export function decodeLine(piece: Buffer): DecodedLine | undefined {
  const end = piece.length - SUM_LENGTH;
  if (end < 0) return undefined;
  const sum = `${SUM_START}${checksum(piece.subarray(0, end))}${SUM_CLOSE}`;
  return piece.toString('latin1', end) === sum ? parseLine(piece) : undefined;
}

function parseLine(piece: Buffer): DecodedLine | undefined {
  const line = parseJson(piece.toString()) as StoredLine | null | undefined;
  if (typeof line?.do !== 'object') return undefined;
  return { offset: line.at, seq: line.seq, syncedUpTo: line.base, do: line.do };
}

/** @returns the header of a piece with a wrong checksum; undefined if the piece begins with none */
export function claimedHeader(piece: Buffer): LineHeader | undefined {
  const head = HEAD.exec(piece.toString('latin1', 0, HEAD_BYTES));
  if (head === null) return undefined;
  return { offset: Number(head[1]), seq: Number(head[2]), syncedUpTo: Number(head[3]) };
}

/** Whether the piece contains no text: it is blank, or begins a write. */
export function holdsNothing(piece: Buffer): boolean {
  return piece.equals(WRITE_START.subarray(0, 1)) || piece.every((byte) => byte === SPACE);
}

/** Keeps line feeds, and zeros, so that a hole in the file stays a hole. */
export function blankedBytes(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === LINE_FEED || byte === 0 ? byte : SPACE)));
}

/** @param line a line that adds a record, without the line feed */
export function toEraseTarget(line: Buffer, { offset, seq }: Omit<LineHeader, 'syncedUpTo'>): EraseTarget {
  // From the comma before the texts up to the closing brace of the record.
  const start = line.indexOf(CREATED_AT) + CREATED_AT.length + TIMESTAMP_LENGTH + 1;
  const span: EraseTarget['span'] = [start, line.length - SUM_LENGTH - 2];
  const blank = withoutText(line, span);
  return { at: offset, length: line.length, seq, span, sum: checksum(blank.subarray(0, -SUM_LENGTH)) };
}

/** Blanks the checksum too, since it could confirm a guess of the text. */
export function withoutText(line: Buffer, [start, end]: EraseTarget['span']): Buffer {
  const digits = line.length - SUM_CLOSE.length - SUM_DIGITS;
  return Buffer.from(line)
    .fill(SPACE, start, end)
    .fill(SPACE, digits, digits + SUM_DIGITS);
}

/** @param piece its text may be wholly or partly blank @returns undefined if it is another line */
export function decodeErased(piece: Buffer, { length, span, sum }: EraseTarget): DecodedLine | undefined {
  if (piece.length !== length) return undefined;
  const blank = withoutText(piece, span);
  return checksum(blank.subarray(0, -SUM_LENGTH)) === sum ? parseLine(blank) : undefined;
}

/** @returns the header of a line whose text an erase has overwritten; undefined for any other piece */
export function blankedHeader(piece: Buffer): LineHeader | undefined {
  const isBlanked = piece.toString('latin1', Math.max(0, piece.length - SUM_LENGTH)) === BLANKED_SUM;
  return isBlanked ? claimedHeader(piece) : undefined;
}

/** @param by the encrypted write entry of an added record @returns the operation as a line holds it */
export function toStored(operation: Operation, by: string | undefined): StoredOperation {
  if (isFreezeOperation(operation)) return { turn: operation.action, at: operation.at };
  if (operation.action === 'add')
    return { add: operation.kind, ...(by !== undefined && { by }), record: { ...operation.record } };
  const { action: moderate, id, at, reason, mark } = operation;
  return { moderate, id, at, reason, ...(mark !== undefined && { mark }) };
}

/** @returns the operation without its write entry */
export function toOperation(stored: StoredOperation): Operation | ErasedAddition {
  // Safe: the checksum of the line was right, so `toStored` made this.
  if ('turn' in stored) return { action: stored.turn, at: stored.at } as FreezeOperation;
  if ('moderate' in stored) {
    const { moderate: action, id, at, reason, mark } = stored;
    return { action, id, at, reason, mark } as ModerationEntry;
  }
  const record = recordIn(stored);
  const { id, createdAt } = stored.record;
  if (record === undefined) return { action: 'erased-add', id, at: createdAt };
  return { action: 'add', kind: kindOf(id), record } as AddOperation;
}

/** @returns the record that a line adds; undefined if it adds none, or if its texts were erased */
export function recordIn(stored: StoredOperation): AnyRecord | undefined {
  if (!('add' in stored) || Object.keys(stored.record).every((field) => STRUCTURE.includes(field)))
    return undefined;
  const { id, projectId, message, prefix, parentId, rootId, createdAt, ...texts } = stored.record;
  const note = projectId === undefined ? { id, ...texts, createdAt } : { id, projectId, ...texts, createdAt };
  const record =
    message === undefined ? note : { id, message, prefix, parentId, rootId, ...texts, createdAt };
  return record as unknown as AnyRecord;
}

/** Applying the lines of a chunk takes about 10 ms. The event loop does other work between two chunks. */
export const CHUNK_BYTES = 2 * MAX_LINE_BYTES;

/** Bytes between two line feeds. */
export interface Piece extends Span {
  /** Undefined if the piece is longer than `MAX_LINE_BYTES`. */
  readonly bytes: Buffer | undefined;
}

/**
 * Reads the next pieces of a file: about 512 KiB of them, or one longer piece.
 * @param from the offset at which a piece begins @param limit the offset before which it ends
 * @returns `end`: the offset after the last whole piece; `from` if there is none
 * @throws Error if the file ends before the limit
 */
export async function readPieces(
  file: Pick<DiskFile, 'read'>,
  from: number,
  limit: number,
): Promise<{ pieces: Piece[]; end: number }> {
  const bytes = await readFully(file, from, Math.min(CHUNK_BYTES, limit - from));
  const pieces: Piece[] = [];
  let start = 0;
  for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, start)) {
    const length = feed - start;
    const isLine = length <= MAX_LINE_BYTES;
    pieces.push({ offset: from + start, bytes: isLine ? bytes.subarray(start, feed) : undefined, length });
    start = feed + 1;
  }
  if (start > 0 || from + bytes.length === limit) return { pieces, end: from + start };
  for (let end = from + bytes.length; end < limit; ) {
    const more = await readFully(file, end, Math.min(CHUNK_BYTES, limit - end));
    const feed = more.indexOf(LINE_FEED);
    end += feed < 0 ? more.length : feed + 1;
    if (feed >= 0) return { pieces: [{ offset: from, bytes: undefined, length: end - 1 - from }], end };
  }
  return { pieces, end: from };
}

/** Fills a buffer. @throws Error if the file ends before that */
export async function readFully(file: Pick<DiskFile, 'read'>, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const read = await file.read(bytes.subarray(filled), from + filled);
    if (read === 0) throw new Error(`the file ends at byte ${from + filled}`);
    filled += read;
  }
  return bytes;
}
