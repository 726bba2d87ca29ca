import type { ModerationEntry, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import * as z from 'zod';
import type { Reports } from './reports.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { ceilToMicrosecond } from '#workspace/text/time.ts';

const MAX_ENTRIES = 1000;

/** One page of the public moderation log, newest first, at most 1,000 entries, without texts of records. */
export interface ModerationLog {
  /** Null exactly if there are no older entries. */
  readonly nextBefore: Timestamp | null;
  readonly entries: readonly ModerationEntry[];
  /** Networks that operators denied, by UTC day of the last 30, newest first. */
  readonly denials: readonly { readonly day: string; readonly count: number }[];
}

export const ModerationQuery = z.object({ before: beforeField });

export async function readModerationLog(
  read: Pick<Reader, 'moderations'>,
  reports: Pick<Reports, 'state'>,
  { before }: z.infer<typeof ModerationQuery> = {},
): Promise<ModerationLog> {
  const bound = before === undefined ? undefined : (ceilToMicrosecond(before) ?? undefined);
  const found = await read.moderations(MAX_ENTRIES + 1, bound);
  const page = found.slice(0, pageLength(found));
  return {
    nextBefore: page.length < found.length ? (page.at(-1)?.at ?? null) : null,
    entries: page.map(({ id, action, at, reason }) => ({ id, action, at, reason })),
    denials: await reports.state().then(
      (state) => state.denials(),
      () => [],
    ),
  };
}

/** Imported entries may share a timestamp. Then they are on one page, unless they are more than a page. */
function pageLength(found: readonly ModerationEntry[]): number {
  const next = found[MAX_ENTRIES];
  if (next === undefined) return found.length;
  const first = found.findIndex(({ at }) => at === next.at);
  return first === 0 ? MAX_ENTRIES : first;
}
