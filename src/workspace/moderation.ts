import type { ModerationEntry, Reader } from '#store/port/store.ts';

const MAX_ENTRIES = 1000;

/** The public moderation log, newest first, at most 1,000 entries, without texts of records. */
export interface ModerationLog {
  readonly entries: readonly ModerationEntry[];
}

export async function readModerationLog(read: Reader): Promise<ModerationLog> {
  const entries = await read.moderations(MAX_ENTRIES);
  return { entries: entries.map(({ id, action, at, reason }) => ({ id, action, at, reason })) };
}
