import { escapeLineBreaks } from '#runtime/escape-line-breaks.ts';
import { parseJson } from '#runtime/parse-json.ts';
import type { ExportedRecord, ModerationEntry, Timestamp } from '#store/port/records.ts';
import type * as z from 'zod';
import { describeIssue, ExportedRecords, ExportLine } from './export-schemas.ts';
import { derivePost } from '#workspace/text/prefix.ts';

/**
 * The first line of an export. `format` rises when older versions of the program cannot read the other lines:
 * in 2 posts may have a name, in 3 a mark, in 4 erases too; 5 has `sameKeyAs` of posts, and a last line.
 */
const formatHeader = (format: number): string => JSON.stringify({ porchlight: 'export', format });

const FORMAT = 5;

/** The last line of an export since format 5, by which a file says itself that it is whole. */
export const formatEnd = (entries: number): string => JSON.stringify({ end: { entries } });
const FIRST_FORMAT_WITH_END = 5;

const READABLE_HEADERS: readonly string[] = [1, 2, 3, 4, FORMAT].map(formatHeader);

/** The most by which a timestamp of another machine may be ahead of the clock of this one. */
export const MAX_AHEAD_MS = 60 * 1000;

/** A line of an export is invalid. The message follows "Line 7" in a sentence. */
export class ExportLineError extends Error {
  override readonly name = 'ExportLineError';
}

/**
 * Encodes an export as lines of JSON without line feeds: a header, the records oldest first, the
 * moderations oldest first, and the end.
 * @param history as `Reader.history` returns it
 */
export async function* encodeExport(
  history: AsyncIterable<ExportedRecord | ModerationEntry>,
): AsyncIterable<string> {
  yield formatHeader(FORMAT);
  let entries = 0;
  for await (const entry of sortedByTimestamp(history)) {
    entries += 1;
    yield escapeLineBreaks(JSON.stringify(toExportLine(entry)));
  }
  yield formatEnd(entries);
}

/**
 * Sorts entries with equal timestamps by id. An import can create equal timestamps, and each engine has its
 * own order for them.
 */
async function* sortedByTimestamp(
  history: AsyncIterable<ExportedRecord | ModerationEntry>,
): AsyncIterable<ExportedRecord | ModerationEntry> {
  const toKey = (entry: ExportedRecord | ModerationEntry): string =>
    'action' in entry ? `moderation ${entry.at}` : entry.record.createdAt;
  let equal: (ExportedRecord | ModerationEntry)[] = [];
  const toId = (entry: ExportedRecord | ModerationEntry): string =>
    'action' in entry ? entry.id : entry.record.id;
  // A stable sort keeps the order of arrival, which decides between moderations of one record at one time.
  const sorted = (): typeof equal =>
    equal.sort((a, b) => (toId(a) === toId(b) ? 0 : toId(a) < toId(b) ? -1 : 1));
  for await (const entry of history) {
    const [first] = equal;
    if (first !== undefined && toKey(first) !== toKey(entry)) {
      yield* sorted();
      equal = [];
    }
    equal.push(entry);
  }
  yield* sorted();
}

function toExportLine(entry: ExportedRecord | ModerationEntry): object {
  if ('action' in entry) return { moderation: entry };
  return { [entry.kind]: toExportedFields(entry) };
}

/** @returns the fields of a record in an export and in the public log: all that no other field implies */
export function toExportedFields({ kind, record }: ExportedRecord): object {
  const values: Record<string, unknown> = { ...record };
  const fields = Object.keys(ExportedRecords[kind].shape).map((field) => [field, values[field]]);
  return Object.fromEntries(fields) as object;
}

/**
 * @returns whether the export has a last line
 * @throws ExportLineError unless the line is the header of an export in format 1 to 5
 */
export function readHeader(line: string): boolean {
  const format = 1 + READABLE_HEADERS.indexOf(line);
  if (format === 0) throw new ExportLineError('is not the header of an export that this version can read');
  return format >= FIRST_FORMAT_WITH_END;
}

/**
 * @param now wall-clock time, milliseconds since 1970
 * @throws ExportLineError if the line is not JSON, is not a valid record or moderation, or has a timestamp
 *   ahead of the clock
 */
export function decodeExportLine(text: string, now: number): ExportedRecord | ModerationEntry {
  const line = parseJson(text);
  if (line === undefined) throw new ExportLineError('is not JSON');
  return decodeEntry(line, now);
}

/**
 * Reads a parsed line of an export, and derives from the text of a post what no export holds.
 * @param now wall-clock time, milliseconds since 1970
 * @throws ExportLineError if the line is not a valid record or moderation, or has a timestamp ahead of the
 *   clock
 */
export function decodeEntry(value: unknown, now: number): ExportedRecord | ModerationEntry {
  const line = parseLine(value, now);
  if ('moderation' in line) return line.moderation;
  if ('post' in line) return { kind: 'post', record: derivePost(line.post) };
  if ('guest' in line) return { kind: 'guest', record: line.guest };
  return 'project' in line ? { kind: 'project', record: line.project } : { kind: 'note', record: line.note };
}

/**
 * Applies the rules of `decodeExportLine` to an entry of a store.
 * @param now wall-clock time, milliseconds since 1970
 * @throws ExportLineError
 */
export function validateEntry(entry: ExportedRecord | ModerationEntry, now: number): void {
  parseLine(toExportLine(entry), now);
}

/** @throws ExportLineError */
function parseLine(value: unknown, now: number): z.infer<typeof ExportLine> {
  const parsed = ExportLine.safeParse(value);
  if (!parsed.success) throw new ExportLineError(`is not a valid record: ${describeIssue(value)}`);
  const [entry] = Object.values(parsed.data) as ({ at: Timestamp } | { createdAt: Timestamp })[];
  if (entry !== undefined && isAhead('at' in entry ? entry.at : entry.createdAt, now))
    throw new ExportLineError(
      'has a timestamp that is more than a minute ahead of the clock of this machine',
    );
  return parsed.data;
}

/**
 * Whether a timestamp is more than `MAX_AHEAD_MS` ahead of the clock.
 * @param now wall-clock time, milliseconds since 1970
 */
export function isAhead(at: Timestamp, now: number): boolean {
  return Date.parse(at) > now + MAX_AHEAD_MS;
}
