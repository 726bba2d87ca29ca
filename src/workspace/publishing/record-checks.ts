import type { Kind, Records } from '#store/port/records.ts';
import { invalidRequestError, refuseArguments, type FieldError } from '#workspace/service/errors.ts';
import type { Service } from '#workspace/service/service.ts';
import { recordTexts } from '#workspace/text/lengths.ts';
import { countLinks, MAX_LINKS_PER_PORCH_TEXT } from '#workspace/text/links.ts';
import { claimOfNew } from '#workspace/text/reserved-names.ts';
import { findSecret } from '#workspace/text/secrets.ts';

/** The field of each kind in which its author gives a name. */
const NAME_FIELD = { post: 'name', guest: 'name', project: 'by', note: 'name' } as const;

/**
 * @param claimOfName `claimOf` for a stored record, `claimOfNew` for a new one
 * @returns the error if readers would mistake the author for the service or its operator
 */
export function findNameFault<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
  service: Pick<Service, 'name'>,
  claimOfName: typeof claimOfNew,
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
