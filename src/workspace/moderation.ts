import type { Reader } from '#store/store.ts';

const MAX_ENTRIES = 1000;

/** What operators did to records and why, the latest first, without any text: so that everybody can see it. */
export async function moderationOf(read: Reader): Promise<object> {
  const entries = await read.moderations(MAX_ENTRIES);
  return { entries: entries.map(({ id, action, at, reason }) => ({ id, action, at, reason })) };
}
