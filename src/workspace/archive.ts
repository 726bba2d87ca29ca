import type { Entry, Kind, ModerationEntry, Records } from '#store/store.ts';
import { z } from 'zod';
import { answersOf } from './answers.ts';
import { POST_ID } from './message.ts';
import { signInput } from './guestbook.ts';
import { MESSAGE_CHARACTERS } from './limits.ts';
import { earliestNotBefore } from './moment.ts';
import { prefixOf } from './prefix.ts';
import { noteInput, projectInput } from './project.ts';
import { textField } from './fields.ts';

/** Begins an export; raised when older programs can no longer read one. */
const HEADER = JSON.stringify({ porchlight: 'export', format: 1 });

const REASON_CHARACTERS = 500;

const stamp = z
  .string()
  .refine((text) => earliestNotBefore(text) === text, { error: 'must be a stamp of this service' });
const idOf = (kind: Kind): z.ZodString =>
  z.string().regex(new RegExp(`^${kind}_[a-zA-Z0-9-]+$`), { error: `must be the id of a ${kind}` });

/** Why an operator did something; everybody may read it. */
export const reasonField = textField({
  max: REASON_CHARACTERS,
  lines: 'one',
  description: 'Told to everybody.',
});

/** The records as they are exported: what can be derived is left out. */
const EXPORTED = {
  post: z.strictObject({
    id: z.string().regex(new RegExp(POST_ID)),
    message: textField({ max: MESSAGE_CHARACTERS, description: '' }),
    parentId: idOf('post').nullable(),
    rootId: idOf('post'),
    createdAt: stamp,
  }),
  guest: z.strictObject({
    id: idOf('guest'),
    name: signInput.name,
    kind: signInput.kind.unwrap().nullable(),
    note: signInput.note,
    createdAt: stamp,
  }),
  project: z.strictObject({
    id: idOf('project'),
    title: projectInput.title,
    summary: projectInput.summary,
    by: projectInput.by,
    url: projectInput.url.unwrap().nullable(),
    looking_for: projectInput.looking_for.unwrap().nullable(),
    createdAt: stamp,
  }),
  note: z.strictObject({
    id: idOf('note'),
    projectId: idOf('project'),
    name: noteInput.name,
    note: noteInput.note,
    createdAt: stamp,
  }),
} as const;

const Moderation = z.strictObject({
  action: z.enum(['hide', 'unhide', 'erase']),
  id: z.string(),
  at: stamp,
  reason: reasonField,
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
