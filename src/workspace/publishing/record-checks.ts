import type { Kind, Records } from '#store/port/records.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { countLinks, MAX_LINKS_PER_PORCH_TEXT } from '#workspace/text/links.ts';
import type { Service } from '#workspace/service/service.ts';
import { recordTexts } from '#workspace/text/lengths.ts';
import { findSecret } from '#workspace/text/secrets.ts';
import { skeletonOf } from '#message/look.ts';

/** The field of each kind in which its author gives a name. */
const NAME_FIELD = { post: 'name', guest: 'name', project: 'by', note: 'name' } as const;

/** Shown in place of a missing name. */
export const NO_NAME = 'no name given';

const DECORATION = /[^\p{L}\p{N}\p{M}]/gu;

/** The skeleton of a text, in which a 9 also equals a g. */
const shapeOf = (text: string): string => skeletonOf(text).replaceAll('9', 'g');

const NO_NAMES = [NO_NAME, '(no name)'].map(shapeOf);

const toShapes = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(shapeOf));

/** Words that stand for the operator in any name. */
const ROLES = toShapes(
  ['operator', 'moderator', 'administrator', 'admin', 'sysadmin', 'system'].flatMap((one) => [
    one,
    `${one}s`,
  ]),
);
const CLAIMS = toShapes(['verified', 'official']);
/** Words that, together with the name of the service, still name the service. */
const OF_SERVICE = toShapes(['service', 'server', 'bot', 'team', 'staff', 'support', 'host', 'the']);

/** Between two words of a name, also inside of `SystemBot`. */
const WORD_END = /[^\p{L}\p{N}\p{M}\p{S}]+|(?<=\p{Ll})(?=\p{Lu})/u;

/** @returns why readers would take a name for the service or its operator; null if they would not */
function claimOf(name: string, service: Pick<Service, 'name'>): string | null {
  const shapes = [shapeOf(name), shapeOf(name.replace(DECORATION, ''))];
  const ofService = shapeOf(service.name);
  if (shapes.includes(ofService)) return 'is the name of this service';
  if (NO_NAMES.some((one) => shapes.includes(one))) return 'stands for a missing name';
  const words = name.split(WORD_END).map(shapeOf).filter(Boolean);
  if ([...shapes, ...words].some((one) => ROLES.has(one) || CLAIMS.has(one)))
    return 'has a word that stands for the operator of this service';
  const rest = words.filter((word) => !OF_SERVICE.has(word)).join('');
  return rest === ofService ? 'is the name of this service' : null;
}

/**
 * Refuses the name of an author if it looks like the name of the service, has a word for its operator, or
 * looks like `NO_NAME`: readers would take the text for that of another writer.
 * @throws WorkspaceError invalid_request
 */
export function refuseServiceName<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
  service: Pick<Service, 'name'>,
): void {
  const path = NAME_FIELD[kind];
  const name = recordTexts(kind, record).find(([field]) => field === path)?.[1];
  const claim = name === undefined ? null : claimOf(name, service);
  if (claim !== null) throw invalidRequestError([{ path, message: `${claim}: choose another` }]);
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
