import { crc32 } from 'node:zlib';

/** What every line says about its place. */
export interface LinePlace {
  /** The byte of the segment at which the writer expected the line to begin. */
  readonly at: number;
  /** The number of the line among those that count. */
  readonly seq: number;
  /** The last number that the writer knew to be synced. */
  readonly base: number;
}

/** The first line of a segment. */
export interface SegmentHeader {
  readonly format: number;
  readonly number: number;
  /** The first number of the segment. Lines of earlier segments from this number on do not count. */
  readonly from: number;
  /** The last number copied from the segment before; `from - 1` without a copy. */
  readonly upto: number;
  /** Where the checksums of the other lines start, so that a line is valid in its own segment only. */
  readonly seed: number;
}

/** The place of the line of an erased record, and all that is needed to remove its text. */
export interface EraseTarget {
  /** Number of the segment. */
  readonly log: number;
  readonly at: number;
  /** In bytes, without the line feed. */
  readonly length: number;
  readonly seq: number;
  /** The text: first byte and the byte behind it, from the beginning of the line. */
  readonly span: readonly [start: number, end: number];
  /** Checksum of the line with a blank text. */
  readonly sum: string;
}

/** A record as a line holds it. Without its texts it is erased. */
export type StoredRecord = Record<string, unknown> & { id: string; createdAt: string };

/** An operation as a line holds it. `by` is the encrypted write entry. */
export type StoredOperation =
  | { add: string; by?: string; record: StoredRecord }
  | {
      moderate: string;
      id: string;
      at: string;
      reason: string;
      by?: string;
      /** Of an erase; absent if the store never held the record. */
      line?: EraseTarget;
    }
  | { turn: string; at: string };

/** A line of the log. Only a line with `do` takes a number. */
export type Line = LinePlace &
  (
    | { readonly log: SegmentHeader }
    | { readonly do: StoredOperation }
    /** Proves that everything up to `base` was synced. */
    | { readonly proof: 1 }
    /** Number of an erase whose text is removed. */
    | { readonly wiped: number }
    /** A process that lost to others several times asks them to let it append next. */
    | { readonly claim: string }
    /** The end of the segment: the name of the file that becomes the next one. */
    | { readonly seal: string }
  );

/** A line that counts. */
export interface CountedLine {
  readonly seq: number;
  readonly do: StoredOperation;
  /** Number of the segment. */
  readonly log: number;
  readonly at: number;
  readonly bytes: Buffer;
}

export const FORMAT = 2;

export const OLDER_FORMAT =
  'an earlier version of this program wrote it; export the store with that version, and import the file here';

/** A longer piece is no line, and is skipped without being held in memory. */
export const MAX_LINE_BYTES = 256 * 1024;

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const HASH = 0x23;

/** Begins every write. It ends a fragment that a crash left, so that the fragment never counts. */
export const WRITE_START = Buffer.from('#\n');

const SUM_START = ',"sum":"';
const SUM_DIGITS = 8;
const SUM_CLOSE = '"}';
const SUM_END = Buffer.from(`${SUM_START}${'0'.repeat(SUM_DIGITS)}${SUM_CLOSE}`);
const SUM_LENGTH = SUM_END.length;
const HEX = Buffer.from('0123456789abcdef');
const HEAD = /^\{"at":(\d{1,16}),"seq":(\d{1,16}),"base":(\d{1,16}),/;
const CREATED_AT = '"createdAt":"';
const TIMESTAMP_LENGTH = '2026-11-21T10:49:32.123456Z'.length;

function checksum(bytes: Buffer | string, seed: number): string {
  return crc32(bytes, seed).toString(16).padStart(SUM_DIGITS, '0');
}

/**
 * @param body the JSON of the line without its place, its checksum and the outer braces
 * @param seed of the segment; 0 for its header
 * @returns the line with its line feed
 */
export function encodeLine({ at, seq, base }: LinePlace, body: string, seed: number): Buffer {
  const text = `{"at":${at},"seq":${seq},"base":${base},${body}`;
  return Buffer.from(`${text}${SUM_START}${checksum(text, seed)}"}\n`);
}

export function headerLine(header: SegmentHeader): Buffer {
  return encodeLine({ at: 0, seq: 0, base: 0 }, `"log":${JSON.stringify(header)}`, 0);
}

/**
 * @param piece bytes between two line feeds
 * @returns undefined if the piece is not a line of a segment with the seed
 */
export function decodeLine(piece: Buffer, seed: number): Line | undefined {
  const end = piece.length - SUM_LENGTH;
  if (end < 0 || !endsWithSum(piece, crc32(piece.subarray(0, end), seed))) return undefined;
  try {
    return JSON.parse(piece.toString()) as Line;
  } catch {
    return undefined;
  }
}

/** Whether the bytes end as `encodeLine` ends such a line. Makes no string: every line passes here. */
function endsWithSum(piece: Buffer, sum: number): boolean {
  const start = piece.length - SUM_LENGTH;
  for (let index = 0; index < SUM_LENGTH; index++) {
    const digit = index - SUM_START.length;
    const isDigit = digit >= 0 && digit < SUM_DIGITS;
    const expected = isDigit ? HEX[(sum >>> (4 * (SUM_DIGITS - 1 - digit))) & 15] : SUM_END[index];
    if (piece[start + index] !== expected) return false;
  }
  return true;
}

export function sumOf(line: Buffer): string {
  return line.toString('latin1', line.length - SUM_LENGTH + SUM_START.length, line.length - SUM_CLOSE.length);
}

/** @returns the number that a piece with a wrong checksum claims; undefined if its beginning is no head */
export function claimedNumber(piece: Buffer): number | undefined {
  const head = HEAD.exec(piece.toString('latin1', 0, 70));
  return head === null ? undefined : Number(head[2]);
}

/** @returns the JSON of a line without its place and its checksum */
export function bodyOf(line: Buffer): string {
  const text = line.toString('utf8', 0, line.length - SUM_LENGTH);
  return text.slice(HEAD.exec(text)?.[0].length);
}

/** Whether the piece is empty or consists of spaces, as a removed line does. */
export function isBlank(piece: Buffer): boolean {
  return piece.every((byte) => byte === SPACE);
}

/** Whether the piece begins a write, and holds nothing of a fragment. */
export function isWriteStart(piece: Buffer): boolean {
  return piece.length === 1 && piece[0] === HASH;
}

/** @returns a copy of the bytes with every byte but line feeds replaced by a space */
export function blankedBytes(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === LINE_FEED ? LINE_FEED : SPACE)));
}

/**
 * @param line a line that adds a record. Invariant of `encodeOperation`: `createdAt` is the last field of
 *   the record that is no text, and the record ends the body.
 * @returns the bytes of the texts, from the comma before them to before the closing brace of the record
 */
export function textSpan(line: Buffer): [start: number, end: number] {
  const start = line.indexOf(CREATED_AT) + CREATED_AT.length + TIMESTAMP_LENGTH + 1;
  return [start, line.length - SUM_LENGTH - 2];
}

/** @returns the line with blanks in place of its text, and the checksum of that, which is part of it */
export function withoutText(
  line: Buffer,
  [start, end]: readonly [number, number],
  seed: number,
): { bytes: Buffer; sum: string } {
  const text = Buffer.from(line.subarray(0, line.length - SUM_LENGTH)).fill(SPACE, start, end);
  const sum = checksum(text, seed);
  return { bytes: Buffer.concat([text, Buffer.from(`${SUM_START}${sum}"}`)]), sum };
}
