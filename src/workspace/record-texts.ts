import type { Kind, Records } from '#store/port/store.ts';
import { WorkspaceError } from './errors.ts';
import { countLinks, MAX_LINKS_PER_PORCH_TEXT } from './text/count-links.ts';
import { findSecret } from './text/secrets.ts';

/** The fields of each kind that its author writes. */
const TEXT_FIELDS: { readonly [K in Kind]: readonly (keyof Records[K] & string)[] } = {
  post: ['name', 'message'],
  guest: ['name', 'kind', 'note'],
  project: ['title', 'summary', 'by', 'url', 'looking_for'],
  note: ['name', 'note'],
};

/** The texts of a record with the names of their fields, without absent and null ones. */
export function recordTexts<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
): [field: string, text: string][] {
  return TEXT_FIELDS[kind].flatMap((field) => {
    const text: unknown = record[field];
    return typeof text === 'string' ? [[field, text] as [string, string]] : [];
  });
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
