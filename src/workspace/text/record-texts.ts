import type { Kind, Records } from '#store/port/records.ts';

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
