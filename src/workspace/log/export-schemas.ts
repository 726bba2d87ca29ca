import { MAX_SAME_KEY } from '#message/same-key.ts';
import { HOLD_PREFIX, type Kind } from '#store/port/records.ts';
import * as z from 'zod';
import {
  storedTextField,
  storedWebAddressField,
  textField,
  timestampField,
} from '#workspace/schemas/fields.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';

/** @param kinds alternatives of a regular expression @param name in the error */
const idField = (kinds: string, name: string): z.ZodString =>
  z
    .string()
    .regex(new RegExp(`^(?:${kinds})_[a-zA-Z0-9-]+$`), { error: `must be the id of a ${name}` })
    .max(MAX_LENGTHS.id, { error: `must have at most ${MAX_LENGTHS.id} characters` });
const recordIdField = (kind: Kind): z.ZodString => idField(kind, kind);
export const anyIdField = idField('post|guest|project|note', 'record');

/** The reason of an operator command, which `/api/moderation` publishes. */
export const reasonField = textField({
  max: MAX_LENGTHS.reason,
  lines: 'one',
  description: 'Public.',
}).refine((text) => !text.startsWith(HOLD_PREFIX), {
  error: `may not begin with "${HOLD_PREFIX}", which only a server writes`,
});

const markField = z.string().regex(/^(?:[\dA-HJKMNP-TV-Z]{12}|[\da-hjkmnp-tv-z]{12})$/, {
  error: 'must be 12 digits of base 32, in one case',
});

const nameField = storedTextField(MAX_LENGTHS.name);
const noteField = storedTextField(MAX_LENGTHS.note);

/**
 * Exported records, without fields that can be derived (`prefix`). The rules for new texts do not apply, so
 * that an export of an earlier version can be imported whole after the rules have become stricter.
 */
export const ExportedRecords = {
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
    url: storedWebAddressField.nullable(),
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

export const ExportLine = z.union([
  z.strictObject({ post: ExportedRecords.post }),
  z.strictObject({ guest: ExportedRecords.guest }),
  z.strictObject({ project: ExportedRecords.project }),
  z.strictObject({ note: ExportedRecords.note }),
  z.strictObject({ moderation: Moderation }),
]);

/**
 * Describes the first issue of a line by the schema of its kind, since an issue of a union names no field.
 * The description repeats nothing of the line, which may contain terminal escape sequences.
 */
export function describeIssue(line: unknown): string {
  const [kind, record] = Object.entries(line ?? {})[0] ?? [];
  const schema =
    kind === 'moderation'
      ? Moderation
      : kind !== undefined && Object.hasOwn(ExportedRecords, kind)
        ? ExportedRecords[kind as Kind]
        : undefined;
  const issue = schema?.safeParse(record).error?.issues[0];
  if (issue === undefined || (issue.path.length === 0 && issue.code !== 'unrecognized_keys'))
    return 'it must contain one post, guest, project, note or moderation';
  return issue.code === 'unrecognized_keys'
    ? 'it has a field that this version does not know'
    : `${issue.path.join('.')} ${issue.message}`;
}
