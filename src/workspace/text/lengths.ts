import type { Kind, Records } from '#store/port/records.ts';

/** The maximum length of each field, in Unicode code points. */
export const MAX_LENGTHS = {
  /** Ids of this service have at most 44 characters. An import may have longer ones. */
  id: 80,
  message: 8000,
  /** The name of a guest, or of the author of a project or note. */
  name: 80,
  kind: 160,
  note: 1000,
  title: 120,
  summary: 1500,
  lookingFor: 500,
  webAddress: 2000,
  query: 200,
  reason: 500,
} as const;

/** The maximum number of combining marks in a row: Unicode's stream-safe text format (UAX 15, section 13). */
export const MAX_MARKS = 30;

/** @returns the error for a text that is too long, in the form of `validateText` */
export function lengthError(length: number, max: number): string {
  return `has ${length} characters and may have at most ${max}: shorten it by ${length - max}`;
}

const TEXT_FIELDS: { readonly [K in Kind]: readonly (keyof Records[K] & string)[] } = {
  post: ['name', 'message'],
  guest: ['name', 'kind', 'note'],
  project: ['title', 'summary', 'by', 'url', 'looking_for'],
  note: ['name', 'note'],
};

/** @returns the texts of a record with the names of their fields, without absent and null ones */
export function recordTexts<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
): [field: string, text: string][] {
  return TEXT_FIELDS[kind].flatMap((field) => {
    const text: unknown = record[field];
    return typeof text === 'string' ? [[field, text] as [string, string]] : [];
  });
}
