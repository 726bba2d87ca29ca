import { comparableName } from '#message/step.ts';
import type { RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import * as z from 'zod';
import { HOUR_MS, MINUTE_MS, timestampAt } from '#workspace/text/time.ts';
import { nameSchemas } from '#workspace/schemas/fields.ts';

const WINDOW_MS = HOUR_MS;
const MAX_MESSAGES = 1000;
const MAX_NAMES = 10;
const MAX_NAME_BYTES = 500;

/**
 * The messages of the last `minutes`: their number, up to 1,000, and at most 10 names of the newest 50,
 * newest first.
 */
export const Activity = z.object({ minutes: z.int(), messages: z.int(), names: z.array(z.string()) });

nameSchemas({ Activity });

/**
 * @param newest posts, newest first
 * @param now wall-clock time in milliseconds since 1970
 * @param expireAt as in `Workspace.start`
 */
export async function readActivity(
  read: Reader,
  newest: readonly RecordView<'post'>[],
  now: number,
  expireAt: (time: number) => void,
): Promise<z.infer<typeof Activity>> {
  const after = timestampAt(now - WINDOW_MS);
  const [messages, [oldest]] = await Promise.all([
    read.countPosts({ after }, MAX_MESSAGES),
    read.page('post', { order: 'oldest', after, limit: 1 }),
  ]);
  if (oldest !== undefined) expireAt(Date.parse(oldest.record.createdAt) + WINDOW_MS);
  const names = newest
    .filter(({ record }) => record.createdAt > after)
    .flatMap(({ record }) => record.name ?? []);
  return { minutes: WINDOW_MS / MINUTE_MS, messages, names: chooseNames(names) };
}

/** Chooses names that `comparableName` distinguishes, and ends before the name that exceeds the bytes. */
function chooseNames(names: readonly string[]): string[] {
  const chosen = new Map<string | null, string>();
  let bytes = 0;
  for (const name of names) {
    const key = comparableName(name);
    if (key === null || chosen.has(key)) continue;
    bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
    if (bytes > MAX_NAME_BYTES || chosen.size === MAX_NAMES) break;
    chosen.set(key, name);
  }
  return [...chosen.values()];
}
