import type { ExportedRecord, Kind, ModerationEntry, Records } from '#store/store.ts';
import { z } from 'zod';
import { replyReferences } from './text/reply-references.ts';
import { POST_ID } from './schemas/post.ts';
import { MAX_LENGTHS } from './schemas/lengths.ts';
import { ceilToMicrosecond } from './text/rfc3339.ts';
import { prefixOf } from './text/prefix.ts';
import { storedTextField, storedWebAddressField, textField } from './schemas/fields.ts';

/** Begins an export; raised when older programs can no longer read one. */
const HEADER = JSON.stringify({ porchlight: 'export', format: 1 });

const stamp = z
  .string()
  .refine((text) => ceilToMicrosecond(text) === text, { error: 'must be a stamp of this service' });
const idOf = (kind: Kind): z.ZodString =>
  z.string().regex(new RegExp(`^${kind}_[a-zA-Z0-9-]+$`), { error: `must be the id of a ${kind}` });

/** Why an operator did something; everybody may read it. */
export const reasonField = textField({
  max: MAX_LENGTHS.reason,
  lines: 'one',
  description: 'Told to everybody.',
});

const text = {
  message: storedTextField(MAX_LENGTHS.message),
  name: storedTextField(MAX_LENGTHS.name),
  kind: storedTextField(MAX_LENGTHS.kind),
  note: storedTextField(MAX_LENGTHS.note),
  title: storedTextField(MAX_LENGTHS.title),
  summary: storedTextField(MAX_LENGTHS.summary),
  lookingFor: storedTextField(MAX_LENGTHS.lookingFor),
  reason: storedTextField(MAX_LENGTHS.reason),
};

/**
 * The records as they are exported: what can be derived is left out. The rules for new texts do not hold here, so that an
 * export with texts that are refused today comes in whole.
 */
const ExportedRecords = {
  post: z.strictObject({
    id: z.string().regex(new RegExp(POST_ID)),
    message: text.message,
    parentId: idOf('post').nullable(),
    rootId: idOf('post'),
    createdAt: stamp,
  }),
  guest: z.strictObject({
    id: idOf('guest'),
    name: text.name,
    kind: text.kind.nullable(),
    note: text.note,
    createdAt: stamp,
  }),
  project: z.strictObject({
    id: idOf('project'),
    title: text.title,
    summary: text.summary,
    by: text.name,
    url: storedWebAddressField.nullable(),
    looking_for: text.lookingFor.nullable(),
    createdAt: stamp,
  }),
  note: z.strictObject({
    id: idOf('note'),
    projectId: idOf('project'),
    name: text.name,
    note: text.note,
    createdAt: stamp,
  }),
} as const;

const Moderation = z.strictObject({
  action: z.enum(['hide', 'unhide', 'erase']),
  id: z.string(),
  at: stamp,
  reason: text.reason,
});

const Line = z.union([
  z.strictObject({ post: ExportedRecords.post }),
  z.strictObject({ guest: ExportedRecords.guest }),
  z.strictObject({ project: ExportedRecords.project }),
  z.strictObject({ note: ExportedRecords.note }),
  z.strictObject({ moderation: Moderation }),
]);

/** What is wrong with a line of an export. */
export class ExportLineError extends Error {
  override readonly name = 'LineError';
}

/** An export as lines of JSON: the records in the order of their stamps, then what was done to them. */
export async function* encodeExport(
  history: AsyncIterable<ExportedRecord | ModerationEntry>,
): AsyncIterable<string> {
  yield HEADER;
  for await (const entry of sortedByTimestamp(history)) yield JSON.stringify(toExportLine(entry));
}

/** What came to have one stamp in another store stands by its ids: each engine has an order of its own for it. */
async function* sortedByTimestamp(
  history: AsyncIterable<ExportedRecord | ModerationEntry>,
): AsyncIterable<ExportedRecord | ModerationEntry> {
  const keyOf = (entry: ExportedRecord | ModerationEntry): string =>
    'action' in entry ? `moderation ${entry.at}` : entry.record.createdAt;
  let same: (ExportedRecord | ModerationEntry)[] = [];
  const idOf = (entry: ExportedRecord | ModerationEntry): string =>
    'action' in entry ? entry.id : entry.record.id;
  const sorted = (): typeof same => same.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  for await (const entry of history) {
    const [first] = same;
    if (first !== undefined && keyOf(first) !== keyOf(entry)) {
      yield* sorted();
      same = [];
    }
    same.push(entry);
  }
  yield* sorted();
}

function toExportLine(entry: ExportedRecord | ModerationEntry): object {
  if ('action' in entry) return { moderation: entry };
  const { kind, record } = entry;
  const fields = Object.keys(ExportedRecords[kind].shape).map((field) => [
    field,
    (record as unknown as Record<string, unknown>)[field],
  ]);
  return { [kind]: Object.fromEntries(fields) as object };
}

/** @throws LineError where the text does not begin an export that can be read */
export function checkHeader(text: string | undefined): void {
  if (text !== HEADER) throw new ExportLineError('is not the beginning of an export of this version');
}

/** @throws LineError where the line breaks a rule that every record keeps */
export function decodeExportLine(text: string): ExportedRecord | ModerationEntry {
  const checked = Line.safeParse(parse(text));
  if (!checked.success) throw new ExportLineError(`is no record: ${describeIssue(parse(text))}`);
  const line = checked.data;
  if ('moderation' in line) return line.moderation;
  if ('post' in line) return { kind: 'post', record: toPost(line.post) };
  if ('guest' in line) return { kind: 'guest', record: line.guest };
  return 'project' in line ? { kind: 'project', record: line.project } : { kind: 'note', record: line.note };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ExportLineError('is not JSON');
  }
}

/** What the schema of that kind of line says of it, since a union says only that none fits. */
function describeIssue(line: unknown): string {
  const [kind, record] = Object.entries(line ?? {})[0] ?? [];
  const schema =
    kind === 'moderation'
      ? Moderation
      : kind !== undefined && Object.hasOwn(ExportedRecords, kind)
        ? ExportedRecords[kind as Kind]
        : undefined;
  const issue = schema?.safeParse(record).error?.issues[0];
  return issue === undefined
    ? 'it must hold one post, guest, project, note or moderation'
    : `${issue.path.join('.')} ${issue.message}`;
}

function toPost(post: z.infer<typeof ExportedRecords.post>): Records['post'] {
  const { id, message, parentId, rootId, createdAt } = post;
  const prefix = prefixOf(message);
  return {
    id,
    message,
    prefix,
    parentId,
    rootId,
    answers: replyReferences(message, prefix, post),
    createdAt,
  };
}
