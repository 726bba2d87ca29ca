import type { ModerationEntry, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import * as z from 'zod';
import type { Reports } from './reports.ts';
import { findLatestModerations } from '#workspace/publishing/operator-writes.ts';
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

/** Imported entries may share a timestamp. Then they are on one page, unless they fill more than a page. */
function pageLength(found: readonly ModerationEntry[]): number {
  const next = found[MAX_ENTRIES];
  if (next === undefined) return found.length;
  const first = found.findIndex(({ at }) => at === next.at);
  return first === 0 ? MAX_ENTRIES : first;
}

/** The moderation that took a record down. */
export interface Takedown extends ModerationEntry {
  /** The first visible message of the thread of a hidden one. */
  readonly left: string | undefined;
}

/** @returns undefined for a record that is visible or unknown */
export async function readTakedown(
  read: Pick<Reader, 'moderations' | 'records' | 'page'>,
  id: string,
): Promise<Takedown | undefined> {
  const latest = (await findLatestModerations(read, [id])).get(id);
  if (latest === undefined || latest.action === 'unhide') return undefined;
  const [{ record } = {}] = await read.records([id]);
  const thread = record !== undefined && 'rootId' in record ? record.rootId : undefined;
  const left = thread === undefined ? [] : await read.page('post', { thread, order: 'oldest', limit: 1 });
  return { ...latest, left: left[0]?.record.id };
}

/** The newest entries of the moderation log that are examined. */
const MAX_EXAMINED = 200;

/** @returns the reasons for which posts of a thread are hidden, one for each, the newest first */
export async function readHiddenReasons(
  read: Pick<Reader, 'moderations' | 'records'>,
  rootId: string,
): Promise<string[]> {
  const latest = new Map<string, ModerationEntry>();
  for (const entry of await read.moderations(MAX_EXAMINED))
    if (!latest.has(entry.id)) latest.set(entry.id, entry);
  const hidden = [...latest.values()].filter(({ id, action }) => action === 'hide' && id.startsWith('post_'));
  if (hidden.length === 0) return [];
  // The thread is shown even if the hidden records cannot be read.
  const records = await read.records(hidden.map(({ id }) => id)).catch(() => []);
  const inThread = records.filter(({ record }) => 'rootId' in record && record.rootId === rootId);
  const ids = new Set(inThread.map(({ record }) => record.id));
  return hidden.filter(({ id }) => ids.has(id)).map(({ reason }) => reason);
}
