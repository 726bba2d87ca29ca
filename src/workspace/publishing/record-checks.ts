import {
  HOLD_PREFIX,
  type ExportedRecord,
  type Kind,
  type ModerationEntry,
  type Records,
} from '#store/port/records.ts';
import * as z from 'zod';
import { textField } from '#workspace/schemas/fields.ts';
import { NoteRequest, ProjectRequest, SignRequest } from '#workspace/schemas/porch.ts';
import { PostRequest } from '#workspace/schemas/post.ts';
import { invalidRequestError, refuseArguments, type FieldError } from '#workspace/service/errors.ts';
import type { Service } from '#workspace/service/service.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import { MAX_LENGTHS, recordTexts } from '#workspace/text/lengths.ts';
import { countLinks, MAX_LINKS_PER_PORCH_TEXT } from '#workspace/text/links.ts';
import { claimOf, claimOfNew } from '#workspace/text/reserved-names.ts';
import { findSecret } from '#workspace/text/secrets.ts';

/** The field of each kind in which its author gives a name. */
const NAME_FIELD = { post: 'name', guest: 'name', project: 'by', note: 'name' } as const;

/**
 * @param claimOfName `claimOf` or `claimOfNew`
 * @returns what is wrong with the name of an author: readers would mistake the writer for someone else
 */
function findNameFault<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
  service: Pick<Service, 'name'>,
  claimOfName: typeof claimOf,
): FieldError | undefined {
  const path = NAME_FIELD[kind];
  const name = recordTexts(kind, record).find(([field]) => field === path)?.[1];
  const claim = name === undefined ? null : claimOfName(name, service);
  return claim === null ? undefined : { path, message: `${claim}: choose another` };
}

/**
 * Refuses the name of the author of a new record.
 * @throws WorkspaceError invalid_request
 * @example
 *   refuseServiceName('post', { name: 'admin' }, service); // throws: name has a word that stands for …
 */
export function refuseServiceName<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
  service: Pick<Service, 'name'>,
): void {
  const fault = findNameFault(kind, record, service, claimOfNew);
  if (fault !== undefined) throw invalidRequestError([fault]);
}

/**
 * Limits the links of each text; the `url` of a project does not count.
 * @throws WorkspaceError too_many_links
 * @example
 *   refuseLinks('guest', { note: threeLinks }); // throws: note has 3 links and may have at most 2: remove 1
 */
export function refuseLinks<K extends Kind>(kind: K, record: Partial<Records[K]>): void {
  const errors = recordTexts(kind, record)
    .filter(([path]) => path !== 'url')
    .flatMap(([path, text]) => {
      const links = countLinks(text);
      const max = MAX_LINKS_PER_PORCH_TEXT;
      if (links <= max) return [];
      return [{ path, message: `has ${links} links and may have at most ${max}: remove ${links - max}` }];
    });
  refuseArguments('too_many_links', errors, '. Nothing was stored.');
}

/**
 * Refuses a text with a credential.
 * @throws WorkspaceError looks_like_secret, which names the kind of credential and never repeats the text
 * @example
 *   refuseSecrets('post', { message: `my key is ${key}` }); // throws: message contains what looks like …
 */
export function refuseSecrets<K extends Kind>(kind: K, record: Partial<Records[K]>): void {
  const errors = recordTexts(kind, record).flatMap(([path, text]) => {
    const secret = findSecret(text);
    return secret === null ? [] : [{ path, message: `contains what looks like ${secret}: remove it` }];
  });
  refuseArguments('looks_like_secret', errors, ', and treat it as leaked. Nothing was stored.');
}

const reasonTextField = textField({ max: MAX_LENGTHS.reason, lines: 'one', description: 'Public.' });

/** The reason of an operator command, which `/api/moderation` publishes. */
export const reasonField = reasonTextField.refine((text) => !text.startsWith(HOLD_PREFIX), {
  error: `may not begin with "${HOLD_PREFIX}", which only a server writes`,
});

/** The rules for the texts of new records, and for the reasons of operators and servers. */
const TEXTS = {
  post: PostRequest,
  guest: SignRequest,
  project: ProjectRequest,
  note: NoteRequest,
  moderation: z.object({ reason: reasonTextField }),
};

/**
 * Ids of this service have only hexadecimal digits. Readers would take words in an id for words of this
 * service.
 */
const ID = /^[a-z]+_[\da-f-]+$/i;
const ID_FIELD = /^id$|Id$/;

/**
 * Says why an entry of another store could not be published here: the rules refuse one of its texts, names,
 * addresses or reasons, an id contains words, a text contains an author key, or an author has the name of the
 * service. The secret guard does not apply, since an operator may turn it off.
 * @returns a part of a sentence, which repeats nothing of the entry; null if the rules accept it
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
