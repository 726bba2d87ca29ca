import type { Kind, Records } from '#store/port/records.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { countLinks, MAX_LINKS_PER_PORCH_TEXT } from '#workspace/text/count-links.ts';
import type { Service } from '#workspace/service/service.ts';
import { recordTexts } from '#workspace/text/record-texts.ts';
import { findSecret } from '#workspace/text/secrets.ts';
import { skeletonOf } from '#message/look.ts';

/** The field of each kind in which its author gives a name. */
const NAME_FIELD = { post: 'name', guest: 'name', project: 'by', note: 'name' } as const;

/** What stands in place of the name of an author who gives none. */
export const NO_NAME = 'no name given';

const NO_NAMES = [NO_NAME, '(no name)'].map(skeletonOf);
const DECORATION = /[^\p{L}\p{N}\p{M}]/gu;

/**
 * Refuses what looks like the name of the service, or like the sign of a missing name, as the name of an
 * author: readers would take the text for another's.
 * @throws WorkspaceError invalid_request
 */
export function refuseServiceName<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
  service: Pick<Service, 'name'>,
): void {
  const path = NAME_FIELD[kind];
  const name = recordTexts(kind, record).find(([field]) => field === path)?.[1];
  if (name === undefined) return;
  const looks = [skeletonOf(name), skeletonOf(name.replace(DECORATION, ''))];
  const isService = looks.includes(skeletonOf(service.name));
  if (!isService && !NO_NAMES.some((one) => looks.includes(one))) return;
  const what = isService ? 'is the name of this service' : 'stands for a missing name';
  throw invalidRequestError([{ path, message: `${what}: choose another` }]);
}

/**
 * Limits the links of each text; the `url` of a project does not count.
 * @throws WorkspaceError too_many_links
 */
export function refuseLinks<K extends Exclude<Kind, 'post'>>(kind: K, record: Partial<Records[K]>): void {
  const errors = recordTexts(kind, record)
    .filter(([path]) => path !== 'url')
    .flatMap(([path, text]) => {
      const links = countLinks(text);
      const max = MAX_LINKS_PER_PORCH_TEXT;
      if (links <= max) return [];
      return [{ path, message: `has ${links} links and may have at most ${max}: remove ${links - max}` }];
    });
  const [first] = errors;
  if (first === undefined) return;
  throw new WorkspaceError('too_many_links', `${first.path} ${first.message}. Nothing was stored.`, {
    errors,
  });
}

/** @throws WorkspaceError looks_like_secret, which names the kind of credential and never repeats the text */
export function refuseSecrets<K extends Kind>(kind: K, record: Partial<Records[K]>): void {
  const errors = recordTexts(kind, record).flatMap(([path, text]) => {
    const secret = findSecret(text);
    return secret === null ? [] : [{ path, message: `contains what looks like ${secret}: remove it` }];
  });
  const [first] = errors;
  if (first === undefined) return;
  throw new WorkspaceError(
    'looks_like_secret',
    `${first.path} ${first.message}, and treat it as leaked. Nothing was stored.`,
    { errors },
  );
}
