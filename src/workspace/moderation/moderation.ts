import type { ModerationEntry } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import * as z from 'zod';
import { MAX_LOG_LINES } from '#workspace/log/public-log.ts';
import type { Reports } from './reports.ts';
import { findLatestModerations } from '#workspace/moderation/operator-writes.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { ceilToMicrosecond } from '#workspace/text/time.ts';

export type ModerationLog = Awaited<ReturnType<typeof readModerationLog>>;

export const ModerationQuery = z.object({ before: beforeField });

/** Reads a page of the public moderation log: up to 1,000 entries, newest first, without texts of records. */
export async function readModerationLog(
  read: Pick<Reader, 'moderations'>,
  reports: Pick<Reports, 'state'>,
  { before }: z.infer<typeof ModerationQuery> = {},
) {
  const found = await read.moderations(MAX_LOG_LINES + 1, ceilToMicrosecond(before));
  const page = found.slice(0, pageLength(found));
  return {
    /** Null only if there are no older entries. */
    nextBefore: page.length < found.length ? (page.at(-1)?.at ?? null) : null,
    entries: page.map(({ id, action, at, reason }) => ({ id, action, at, reason })),
    /** How many networks operators denied on each of the last 30 UTC days, newest first. */
    denials: await reports.state().then(
      (state) => state.denials(),
      () => [],
    ),
  };
}

/** Imported entries with the same timestamp are on one page, unless they fill more than a page. */
function pageLength(found: readonly ModerationEntry[]): number {
  const next = found[MAX_LOG_LINES];
  if (next === undefined) return found.length;
  const first = found.findIndex(({ at }) => at === next.at);
  return first === 0 ? MAX_LOG_LINES : first;
}

/**
 * @returns the moderation that hid or erased a record, and in `firstVisible` the id of the first visible
 *   message in the thread of a hidden post; undefined for a record that is visible or unknown
 */
export async function readTakedown(read: Pick<Reader, 'moderations' | 'records' | 'page'>, id: string) {
  const latest = (await findLatestModerations(read, [id])).get(id);
  if (latest === undefined || latest.action === 'unhide') return undefined;
  const [{ record } = {}] = await read.records([id]);
  const thread = record !== undefined && 'rootId' in record ? record.rootId : undefined;
  const posts = thread === undefined ? [] : await read.page('post', { thread, order: 'oldest', limit: 1 });
  return { ...latest, firstVisible: posts[0]?.record.id };
}

/** How many of the newest entries of the moderation log are examined. */
const MAX_EXAMINED = 200;

/**
 * Creates a function that finds why posts of a thread are hidden. The thread of a post never changes, so each
 * hidden post is read only once.
 * @returns a function that returns the reason of each hidden post, newest first
 * @example
 *   await createHiddenReasons(read)('post_1'); // ['advertising', 'advertising']
 */
export function createHiddenReasons(
  read: Pick<Reader, 'moderations' | 'records'>,
): (rootId: string) => Promise<string[]> {
  /** The id of the first post in its thread, by the id of a hidden post. */
  const roots = new Map<string, string>();
  const readRoots = async (ids: readonly string[]): Promise<void> => {
    const unknown = ids.filter((id) => !roots.has(id));
    if (unknown.length === 0) return;
    for (const id of roots.keys()) if (!ids.includes(id)) roots.delete(id);
    for (const { record } of await read.records(unknown))
      roots.set(record.id, 'rootId' in record ? record.rootId : '');
  };
  return async (rootId) => {
    const newest = await read.moderations(MAX_EXAMINED);
    const latest = newest.filter(({ id }, index) => newest.findIndex((one) => one.id === id) === index);
    const hidden = latest.filter(({ id, action }) => action === 'hide' && id.startsWith('post_'));
    // The thread is shown even if the hidden records cannot be read.
    await readRoots(hidden.map(({ id }) => id)).catch(() => undefined);
    return hidden.filter(({ id }) => roots.get(id) === rootId).map(({ reason }) => reason);
  };
}
