import { crc32 } from 'node:zlib';

/** What a line of the log says, besides where it stands. */
type Body = { log: { format: number } } | { do: readonly unknown[] } | { seal: Seal };

/** The last line of a log that was replaced: where the store goes on. */
export interface Seal {
  log: string;
}

interface Place {
  /** The byte at which the writer expected the line to begin. */
  at: number;
  /** The line's number among those that count. */
  seq: number;
  /** The last number that the writer had read. */
  base: number;
}

export type Line = Place & Body;

/** A line that keeps what one work decided. */
export type WorkLine = Extract<Line, { do: unknown }>;

const LINE_FEED = 0x0a;
const SPOILED = 0x23;

/** Put before a line that follows a fragment, so that the fragment never comes to life (`#` and a line feed). */
export const SPOIL = Buffer.from([SPOILED, LINE_FEED]);

const BEGINNING = '{"at":';

const SUM_LENGTH = ',"sum":"00000000"}'.length;

function sumOf(text: string | Buffer): string {
  return `,"sum":"${crc32(text).toString(16).padStart(8, '0')}"}`;
}

/** @param body the JSON of a Body, without its outer braces */
export function encodeLine(at: number, seq: number, base: number, body: string): Buffer {
  const text = `${BEGINNING}${at},"seq":${seq},"base":${base},${body}`;
  return Buffer.from(`${text}${sumOf(text)}\n`);
}

export const isSpoiled = (line: Buffer): boolean => line.at(-1) === SPOILED;

/**
 * @param line a complete line without its line feed, not a spoiled one
 * @returns undefined where it is none, as its checksum tells
 */
export function decodeLine(line: Buffer): Line | undefined {
  const end = line.length - SUM_LENGTH;
  if (end < 0 || line.toString('latin1', end) !== sumOf(line.subarray(0, end))) return undefined;
  try {
    return JSON.parse(line.toString()) as Line;
  } catch {
    return undefined;
  }
}

/**
 * @param text what ends in a line feed and is no line: a fragment, and what a writer appended who did not know of it?
 * Within a line its beginning cannot occur, since JSON escapes the quotation marks of a text.
 * @returns the line behind the fragment, and at which byte of `text` it begins
 */
export function behindFragment(text: Buffer): { line: Line; start: number } | undefined {
  for (let start = text.indexOf(BEGINNING, 1); start > 0; start = text.indexOf(BEGINNING, start + 1)) {
    const line = decodeLine(text.subarray(start));
    if (line !== undefined) return { line, start };
  }
  return undefined;
}

/**
 * Hands every complete line in a buffer to `visit`, without its line feed.
 * @returns how many bytes were complete lines
 */
export function splitLines(bytes: Buffer, visit: (line: Buffer, offset: number) => void): number {
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    visit(bytes.subarray(start, end), start);
    start = end + 1;
  }
  return start;
}
