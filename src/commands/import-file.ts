import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { TextDecoder } from 'node:util';
import { parseJson } from '#runtime/json.ts';
import {
  decodeEntry,
  ExportLineError,
  formatEnd,
  isAhead,
  readHeader,
} from '#workspace/log/export-format.ts';
import { dayAt, justAfter } from '#workspace/text/time.ts';
import type { ExportEntry } from './import-entries.ts';
import { CommandError, describeSystemError } from './command.ts';

const LINE_FEED = 0x0a;

const CHUNK_BYTES = 64 * 1024;

/** A text has at most 8,000 characters, each of which JSON can encode as escapes of 12 bytes. */
const MAX_LINE_BYTES = 256 * 1024;

const CUT_OFF = 'it was cut off, or is still being written. Import a whole export';

/** The maximum number of blank lines of an import, since an input of blank lines may be endless. */
const MAX_BLANK_LINES = 100;

/**
 * Opens a file that can be read more than once: standard input (`-`) and pipes are copied to a file without a
 * name. It checks all lines of a copied file, and the first lines of any other file.
 * @param folders for the copy: the first one in which a file can be created is used
 * @param now wall-clock time, milliseconds since 1970
 * @throws CommandError if the file cannot be read or is not an export
 */
export async function openImportFile(
  name: string,
  folders: readonly string[],
  now: number,
): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = name === '-' ? undefined : await open(name, 'r');
    if (file !== undefined && (await file.stat()).isFile()) {
      for await (const _ of readEntries(readChunks(file), now)) break;
      return file;
    }
    const stream = file?.createReadStream() ?? process.stdin;
    file = await createNamelessFile(folders);
    // Each line is checked before the next one is read, since the stream may be endless.
    for await (const _ of readEntries(copy(stream, file), now));
    return file;
  } catch (error) {
    await file?.close();
    throw toCommandError(error);
  }
}

async function* copy(stream: AsyncIterable<Buffer>, to: FileHandle): AsyncIterable<Buffer> {
  for await (const chunk of stream) {
    try {
      await to.writeFile(chunk);
    } catch (error) {
      throw toCommandError(error, 'copied');
    }
    yield chunk;
  }
}

/** @returns a file that the system removes once it is closed */
async function createNamelessFile([folder = '', ...others]: readonly string[]): Promise<FileHandle> {
  const path = join(folder, `.import-${randomUUID()}`);
  try {
    const file = await open(path, 'wx+', 0o600);
    await rm(path);
    return file;
  } catch (error) {
    if (others.length === 0) throw toCommandError(error, 'copied');
    return createNamelessFile(others);
  }
}

interface EntryLine {
  readonly entry: ExportEntry;
  readonly number: number;
}

/**
 * Repairs the times of a service whose clock was once ahead. The result is the same all day, so that an
 * interrupted import can continue.
 */
export async function* clampTimes(lines: AsyncIterable<EntryLine>, now: number): AsyncIterable<EntryLine> {
  let last: string | undefined;
  for await (const { entry, number } of lines) {
    const at = 'action' in entry ? entry.at : entry.record.createdAt;
    if (isAhead(at, now)) {
      last = justAfter(last ?? `${dayAt(now)}T00:00:00.000000Z`);
      if ('action' in entry) yield { number, entry: { ...entry, at: last } };
      else yield { number, entry: { ...entry, record: { ...entry.record, createdAt: last } } };
    } else {
      last = last === undefined || at > last ? at : last;
      yield { number, entry };
    }
  }
}

/**
 * Accepts CRLF line endings, a byte order mark (RFC 8259 section 8.1), and some blank lines.
 * @param now wall-clock time, milliseconds since 1970
 * @param outcome a sentence for the error that says what was imported
 * @throws CommandError with the number of the first invalid line, without its text
 */
export async function* readEntries(
  chunks: AsyncIterable<Buffer>,
  now: number,
  outcome = 'Nothing was imported.',
): AsyncIterable<EntryLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let blanks = 0;
  let entries = 0;
  let needsEnd = false;
  let isEnded = false;
  for await (const bytes of readLines(chunks)) {
    number += 1;
    try {
      if (bytes.length > MAX_LINE_BYTES) throw new ExportLineError('is longer than any entry of an export');
      if (number === 1) needsEnd = readHeader(decode(decoder, bytes));
      if (bytes.at(-1) !== LINE_FEED)
        throw new ExportLineError(`does not end with a line feed: ${CUT_OFF}, or add what is missing`);
      const line = decode(decoder, bytes);
      if (number === 1 || (line.trim() === '' && ++blanks <= MAX_BLANK_LINES)) continue;
      if (isEnded) throw new ExportLineError('comes after the end of the export');
      isEnded = needsEnd && line.startsWith('{"end":');
      if (isEnded && line !== formatEnd(entries))
        throw new ExportLineError(`gives a number of entries that is not the ${entries} before it`);
      if (isEnded) continue;
      entries += 1;
      yield { entry: decodeEntry(parseJson(line), now), number };
    } catch (error) {
      if (error instanceof ExportLineError)
        throw new CommandError(`Line ${number} ${error.message}. ${outcome}`);
      throw error;
    }
  }
  if (number === 0) throw new CommandError(`The file is empty. ${outcome}`);
  if (needsEnd && !isEnded)
    throw new CommandError(
      `The file does not end as an export does: ${CUT_OFF}. If this is all that is left, add the line ` +
        `${formatEnd(entries)} and import it: hides and erases come last, so some are missing. ${outcome}`,
    );
}

/** @throws ExportLineError */
function decode(decoder: TextDecoder, bytes: Buffer): string {
  try {
    return decoder.decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new ExportLineError('is not valid UTF-8');
  }
}

/** Splits only at line feeds, unlike node:readline. Yields only part of a line that is too long. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([rest, chunk.subarray(start, end + 1)]);
      rest = Buffer.alloc(0);
      start = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(start)]);
    if (rest.length > MAX_LINE_BYTES) break;
  }
  if (rest.length > 0) yield rest;
}

/** Reads a file from its beginning, without a stream: a stream closes the file when its reader stops. */
export async function* readChunks(file: FileHandle): AsyncIterable<Buffer> {
  for (let position = 0; ; ) {
    const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, position).catch((error: unknown) => {
      throw toCommandError(error);
    });
    if (bytesRead === 0) return;
    yield bytes.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function toCommandError(error: unknown, what: 'read' | 'copied' = 'read'): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(`The file to import cannot be ${what}: ${describeSystemError(error)}.`);
}
