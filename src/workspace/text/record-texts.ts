import type { Kind, Records } from '#store/store.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import { countLinks, LINKS_PER_PORCH_TEXT } from './count-links.ts';
import { secretIn } from './secrets.ts';

/** Which fields of a record hold what somebody wrote. */
const TEXTS: { readonly [K in Kind]: readonly (keyof Records[K] & string)[] } = {
  post: ['message'],
  guest: ['name', 'kind', 'note'],
  project: ['title', 'summary', 'by', 'url', 'looking_for'],
  note: ['name', 'note'],
};

/** @returns the texts of a record by the names of their fields, the absent ones left out. */
export function textsOf<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
): [field: string, text: string][] {
  return TEXTS[kind].flatMap((field) => {
    const text: unknown = record[field];
    return typeof text === 'string' ? [[field, text] as [string, string]] : [];
  });
}

/** @throws WorkspaceError too_many_links where one text of the porch holds more links than it may */
export function refuseLinks<K extends Exclude<Kind, 'post'>>(kind: K, record: Partial<Records[K]>): void {
  const errors = textsOf(kind, record)
    .filter(([path]) => path !== 'url')
    .flatMap(([path, text]) => {
      const links = countLinks(text);
      if (links <= LINKS_PER_PORCH_TEXT) return [];
      return [
        {
          path,
          message: `holds ${links} links and may hold ${LINKS_PER_PORCH_TEXT}: remove ${links - LINKS_PER_PORCH_TEXT}`,
        },
      ];
    });
  const [first] = errors;
  if (first === undefined) return;
  throw new WorkspaceError('too_many_links', `${first.path} ${first.message}. Nothing was stored.`, {
    errors,
  });
}

/** @throws WorkspaceError looks_like_secret, which names the kind and never repeats the text */
export function refuseSecrets<K extends Kind>(kind: K, record: Partial<Records[K]>): void {
  const errors = textsOf(kind, record).flatMap(([path, text]) => {
    const secret = secretIn(text);
    return secret === null ? [] : [{ path, message: `holds what looks like ${secret}: take it out` }];
  });
  const [first] = errors;
  if (first === undefined) return;
  throw new WorkspaceError(
    'looks_like_secret',
    `${first.path} ${first.message}, and consider it known to others. ` + 'Nothing was stored.',
    { errors },
  );
}
