import { escapeLineBreaks } from '#runtime/json.ts';
import { MAX_SAME_KEY } from '#message/same-key.ts';
import type { ExportedRecord, Kind, ModerationEntry, Timestamp } from '#store/port/records.ts';
import * as z from 'zod';
import { storedTextField, timestampField, withValidator } from '#workspace/schemas/fields.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { validateStoredWebAddress } from '#workspace/text/links.ts';
import { derivePost } from '#workspace/publishing/derive-post.ts';

/**
 * The first line of an export. `format` rises when older versions of the program cannot read the other lines:
 * in 2, posts may have a name, and in 3 a mark; 4 has erases; 5 has `sameKeyAs` of posts, and a last line.
 */
const formatHeader = (format: number): string => JSON.stringify({ porchlight: 'export', format });

const FORMAT = 5;

/** The last line of an export since format 5. It proves that the file is complete. */
export const formatEnd = (entries: number): string => JSON.stringify({ end: { entries } });
const FIRST_FORMAT_WITH_END = 5;

const READABLE_HEADERS: readonly string[] = [1, 2, 3, 4, FORMAT].map(formatHeader);

/** How far a timestamp of another machine may be ahead of this machine's clock. */
export const MAX_AHEAD_MS = 60 * 1000;

/** @param kinds alternatives of a regular expression @param name in the error */
const idField = (kinds: string, name: string): z.ZodString =>
  z
    .string()
    .regex(new RegExp(`^(?:${kinds})_[a-zA-Z0-9-]+$`), { error: `must be the id of a ${name}` })
    .max(MAX_LENGTHS.id, { error: `must have at most ${MAX_LENGTHS.id} characters` });
const recordIdField = (kind: Kind): z.ZodString => idField(kind, kind);
export const anyIdField = idField('post|guest|project|note', 'record');

const markField = z.string().regex(/^(?:[\dA-HJKMNP-TV-Z]{12}|[\da-hjkmnp-tv-z]{12})$/, {
  error: 'must be 12 digits of base 32, in one case',
});

const nameField = storedTextField(MAX_LENGTHS.name);
const noteField = storedTextField(MAX_LENGTHS.note);

/**
 * Exported records, without fields that can be derived (`prefix`). The rules for new texts do not apply, so
 * that an export of an earlier version can be imported completely after the rules have become stricter.
 */
const ExportedRecords = {
  post: z.strictObject({
    id: recordIdField('post'),
    // Absent if there is none, so that posts without a name are exported as in format 1.
    name: nameField.optional(),
    // Absent in formats 1 and 2.
    mark: markField.optional(),
    sameKeyAs: z.array(recordIdField('post')).max(MAX_SAME_KEY).optional(),
    message: storedTextField(MAX_LENGTHS.message),
    parentId: recordIdField('post').nullable(),
    rootId: recordIdField('post'),
    createdAt: timestampField,
  }),
  guest: z.strictObject({
    id: recordIdField('guest'),
    name: nameField,
    kind: storedTextField(MAX_LENGTHS.kind).nullable(),
    note: noteField,
    createdAt: timestampField,
  }),
  project: z.strictObject({
    id: recordIdField('project'),
    title: storedTextField(MAX_LENGTHS.title),
    summary: storedTextField(MAX_LENGTHS.summary),
    by: nameField,
    url: withValidator(validateStoredWebAddress).nullable(),
    looking_for: storedTextField(MAX_LENGTHS.lookingFor).nullable(),
    createdAt: timestampField,
  }),
  note: z.strictObject({
    id: recordIdField('note'),
    projectId: recordIdField('project'),
    name: nameField,
    note: noteField,
    createdAt: timestampField,
  }),
} as const;

const Moderation = z
  .strictObject({
    action: z.enum(['hide', 'unhide', 'erase']),
    id: anyIdField,
    at: timestampField,
    reason: storedTextField(MAX_LENGTHS.reason),
    // Absent in formats 1 to 3.
    mark: markField.optional(),
  })
  .refine(({ action, id, mark }) => mark === undefined || (action === 'erase' && id.startsWith('post_')), {
    path: ['mark'],
    error: 'belongs to an erase of a post',
  });

/** The content of a line, by its only key. */
const ENTRIES = { ...ExportedRecords, moderation: Moderation };

type Entry = {
  [K in keyof typeof ENTRIES]: { readonly kind: K; readonly fields: z.infer<(typeof ENTRIES)[K]> };
}[keyof typeof ENTRIES];

/** An invalid line of an export. The message follows "Line 7" in a sentence. */
export class ExportLineError extends Error {
  override readonly name = 'ExportLineError';
}

/**
 * Encodes an export as lines of JSON without line feeds: a header, the records oldest first, the
 * moderations oldest first, and the end.
 * @param history records and moderations, oldest first
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
 * Sorts entries with equal timestamps by id. An import can create equal timestamps, which each engine returns
 * in its own order.
 */
async function* sortedByTimestamp(
  history: AsyncIterable<ExportedRecord | ModerationEntry>,
): AsyncIterable<ExportedRecord | ModerationEntry> {
  const toKey = (entry: ExportedRecord | ModerationEntry): string =>
    'action' in entry ? `moderation ${entry.at}` : entry.record.createdAt;
  let equal: (ExportedRecord | ModerationEntry)[] = [];
  const toId = (entry: ExportedRecord | ModerationEntry): string =>
    'action' in entry ? entry.id : entry.record.id;
  // A stable sort keeps the order of arrival, which decides between simultaneous moderations of one record.
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

/** @returns the fields of a record in an export and in the public log: those that no other field implies */
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
 * Decodes a line of an export, and derives the fields of a post that exports omit.
 * @param value of `parseJson`: undefined for a line that is not JSON
 * @param now wall-clock time, milliseconds since 1970
 * @throws ExportLineError if the line is not JSON, is not a valid record or moderation, or has a timestamp
 *   ahead of the clock
 */
export function decodeEntry(value: unknown, now: number): ExportedRecord | ModerationEntry {
  if (value === undefined) throw new ExportLineError('is not JSON');
  const line = parseLine(value, now);
  if (line.kind === 'moderation') return line.fields;
  if (line.kind === 'post') return { kind: 'post', record: derivePost(line.fields) };
  return { kind: line.kind, record: line.fields };
}

/**
 * Applies the rules of `decodeEntry` to an entry of a store.
 * @param now wall-clock time, milliseconds since 1970
 * @throws ExportLineError
 */
export function validateEntry(entry: ExportedRecord | ModerationEntry, now: number): void {
  parseLine(toExportLine(entry), now);
}

/** @throws ExportLineError */
function parseLine(value: unknown, now: number): Entry {
  const [[kind, fields] = ['', undefined], ...others] = Object.entries(value ?? {});
  const schema = Object.hasOwn(ENTRIES, kind) ? ENTRIES[kind as Entry['kind']] : undefined;
  const { data, error } = schema?.safeParse(fields) ?? {};
  if (data === undefined || others.length > 0)
    throw new ExportLineError(`is not a valid record: ${describeIssue(error?.issues[0])}`);
  if (isAhead('at' in data ? data.at : data.createdAt, now))
    throw new ExportLineError(
      'has a timestamp that is more than a minute ahead of the clock of this machine',
    );
  return { kind, fields: data } as Entry;
}

/** Repeats no part of the line, which may contain terminal escape sequences. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return 'it has a field that this version does not know';
  return issue === undefined || issue.path.length === 0
    ? 'it must contain one post, guest, project, note or moderation'
    : `${issue.path.join('.')} ${issue.message}`;
}

/**
 * Whether a timestamp is more than `MAX_AHEAD_MS` ahead of the clock.
 * @param now wall-clock time, milliseconds since 1970
 */
export function isAhead(at: Timestamp, now: number): boolean {
  return Date.parse(at) > now + MAX_AHEAD_MS;
}
