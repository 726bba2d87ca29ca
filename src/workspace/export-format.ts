import type { Entry, Kind, ModerationEntry, Records } from '#store/store.ts';
import { z } from 'zod';
import { answersOf } from './text/reply-references.ts';
import { POST_ID } from './schemas/post.ts';
import { MAX_LENGTHS } from './schemas/lengths.ts';
import { earliestNotBefore } from './text/rfc3339.ts';
import { prefixOf } from './text/prefix.ts';
import { storedTextField, storedWebAddressField, textField } from './schemas/fields.ts';

/** Begins an export; raised when older programs can no longer read one. */
const HEADER = JSON.stringify({ porchlight: 'export', format: 1 });

const stamp = z
  .string()
  .refine((text) => earliestNotBefore(text) === text, { error: 'must be a stamp of this service' });
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
const EXPORTED = {
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
  z.strictObject({ post: EXPORTED.post }),
  z.strictObject({ guest: EXPORTED.guest }),
  z.strictObject({ project: EXPORTED.project }),
  z.strictObject({ note: EXPORTED.note }),
  z.strictObject({ moderation: Moderation }),
]);

/** What is wrong with a line of an export. */
export class LineError extends Error {
  override readonly name = 'LineError';
}

/** An export as lines of JSON: the records in the order of their stamps, then what was done to them. */
export async function* toLines(history: AsyncIterable<Entry | ModerationEntry>): AsyncIterable<string> {
  yield HEADER;
  for await (const entry of inOneOrder(history)) yield JSON.stringify(toLine(entry));
}

/** What came to have one stamp in another store stands by its ids: each engine has an order of its own for it. */
async function* inOneOrder(
  history: AsyncIterable<Entry | ModerationEntry>,
): AsyncIterable<Entry | ModerationEntry> {
  const keyOf = (entry: Entry | ModerationEntry): string =>
    'action' in entry ? `moderation ${entry.at}` : entry.record.createdAt;
  let same: (Entry | ModerationEntry)[] = [];
  const idOf = (entry: Entry | ModerationEntry): string => ('action' in entry ? entry.id : entry.record.id);
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

function toLine(entry: Entry | ModerationEntry): object {
  if ('action' in entry) return { moderation: entry };
  const { kind, record } = entry;
  const fields = Object.keys(EXPORTED[kind].shape).map((field) => [
    field,
    (record as unknown as Record<string, unknown>)[field],
  ]);
  return { [kind]: Object.fromEntries(fields) as object };
}

/** @throws LineError where the text does not begin an export that can be read */
export function checkHeader(text: string | undefined): void {
  if (text !== HEADER) throw new LineError('is not the beginning of an export of this version');
}

/** @throws LineError where the line breaks a rule that every record keeps */
export function fromLine(text: string): Entry | ModerationEntry {
  const checked = Line.safeParse(parse(text));
  if (!checked.success) throw new LineError(`is no record: ${wordsOf(parse(text))}`);
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
    throw new LineError('is not JSON');
  }
}

/** What the schema of that kind of line says of it, since a union says only that none fits. */
function wordsOf(line: unknown): string {
  const [kind, record] = Object.entries(line ?? {})[0] ?? [];
  const schema =
    kind === 'moderation'
      ? Moderation
      : kind !== undefined && Object.hasOwn(EXPORTED, kind)
        ? EXPORTED[kind as Kind]
        : undefined;
  const issue = schema?.safeParse(record).error?.issues[0];
  return issue === undefined
    ? 'it must hold one post, guest, project, note or moderation'
    : `${issue.path.join('.')} ${issue.message}`;
}

function toPost(post: z.infer<typeof EXPORTED.post>): Records['post'] {
  const { id, message, parentId, rootId, createdAt } = post;
  const prefix = prefixOf(message);
  return { id, message, prefix, parentId, rootId, answers: answersOf(message, prefix, post), createdAt };
}
