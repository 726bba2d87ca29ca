import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import * as z from 'zod';
import { reasonTextField } from '#workspace/schemas/fields.ts';
import { findNameFault } from '#workspace/publishing/record-checks.ts';
import { NoteRequest, ProjectRequest, SignRequest } from '#workspace/schemas/porch.ts';
import { PostRequest } from '#workspace/schemas/post.ts';
import type { Service } from '#workspace/service/service.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import { claimOf } from '#workspace/text/reserved-names.ts';

/** The rules for the texts of new records, and for the reasons of operators and servers. */
const TEXTS = {
  post: PostRequest,
  guest: SignRequest,
  project: ProjectRequest,
  note: NoteRequest,
  moderation: z.object({ reason: reasonTextField }),
};

/** Ids have only hexadecimal digits: readers would take words in an id for words of this service. */
const ID = /^[a-z]+_[\da-f-]+$/i;
const ID_FIELD = /^id$|Id$/;

/**
 * Says why an entry of another store could not be published here: the rules refuse one of its texts, names,
 * URLs or reasons, an id contains words, a text contains an author key, or an author has the name of the
 * service. The secret guard does not apply, because an operator may turn it off.
 * @returns a part of a sentence that repeats no part of the entry; null if the rules accept it
 * @example
 *   textRefusal({ kind: 'guest', record: { …, note: '' } }, service); // 'note is empty'
 */
export function textRefusal(
  entry: ExportedRecord | ModerationEntry,
  service: Pick<Service, 'name'>,
): string | null {
  const [kind, fields] = 'action' in entry ? (['moderation', entry] as const) : [entry.kind, entry.record];
  const strings = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  const [issue] = TEXTS[kind].safeParse(Object.fromEntries(strings)).error?.issues ?? [];
  if (issue !== undefined) return describe(issue.path.join('.'), issue.message);
  const [wrong] = strings.find(([field, value]) => ID_FIELD.test(field) && !ID.test(String(value))) ?? [];
  if (wrong !== undefined) return `${wrong} has letters that no id here has`;
  const [leaking] = strings.find(([, value]) => holdsAuthorKey(String(value))) ?? [];
  if (leaking !== undefined) return `${leaking} contains what looks like an author key`;
  if ('action' in entry) return null;
  const fault = findNameFault(entry.kind, entry.record, service, claimOf);
  return fault === undefined ? null : describe(fault.path, fault.message);
}

/** Leaves out the advice to the author, which follows the colon. */
const describe = (path: string, message: string): string => `${path} ${message.replace(/: .*/, '')}`;
