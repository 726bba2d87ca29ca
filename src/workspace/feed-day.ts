import type { Reader } from '#store/port/store.ts';
import { LOOPBACK_CLIENT } from './caller.ts';
import { readPage, type Page } from './page.ts';
import { dayAfter } from './text/time.ts';
import { floorToMicrosecond } from './text/rfc3339.ts';

/** The text budget of a page of the feed, because the Markdown form of a day shows each text in full. */
const READER = { clientKey: LOOPBACK_CLIENT, textBudget: 200_000 };

export interface DayQuery {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** RFC 3339 date-time, exclusive. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export async function readFeedDay(read: Reader, { day, after, limit }: DayQuery): Promise<Page<'post'>> {
  const cursor = after === undefined ? null : floorToMicrosecond(after);
  const from = cursor !== null && cursor > day ? cursor : day;
  return readPage(read, 'post', { order: 'oldest', after: from, before: dayAfter(day), limit }, READER);
}
