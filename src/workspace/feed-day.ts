import type { Reader } from '#store/store.ts';
import { LOOPBACK_CLIENT } from './caller.ts';
import { pageOf, type Page } from './page.ts';
import { dayAfter } from './text/day.ts';
import { floorToMicrosecond } from './text/rfc3339.ts';

/** As a page of the feed: its Markdown shows each text whole. */
const READER = { clientKey: LOOPBACK_CLIENT, textBudget: 200_000 };

export interface DayQuery {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** RFC 3339 date-time, exclusive. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Reads one page of the posts of a day, oldest first. */
export async function feedDayOf(read: Reader, { day, after, limit }: DayQuery): Promise<Page<'post'>> {
  const cursor = after === undefined ? null : floorToMicrosecond(after);
  const from = cursor !== null && cursor > day ? cursor : day;
  return pageOf(read, 'post', { order: 'oldest', after: from, before: dayAfter(day), limit }, READER);
}
