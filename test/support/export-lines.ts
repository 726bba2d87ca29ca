const createdAt = '2026-01-01T00:00:00.000000Z';

/** A record of each kind that has whatever an export requires. */
const RECORDS = {
  post: { id: 'post_1', message: 'a', parentId: null, rootId: 'post_1', createdAt },
  guest: { id: 'guest_1', name: 'a', kind: null, note: 'b', createdAt },
  project: { id: 'project_1', title: 'a', summary: 'b', by: 'c', url: null, looking_for: null, createdAt },
};

/** @returns the line of an export that has a record, with the fields given in place of the usual ones */
export const exportLine = (kind: keyof typeof RECORDS, fields: object = {}): string =>
  JSON.stringify({ [kind]: { ...RECORDS[kind], ...fields } });
