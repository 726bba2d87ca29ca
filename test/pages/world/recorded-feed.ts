import { RECORDED, storedOf } from '../../support/strangers.ts';
import type { RecordList } from './record-list.ts';

const DAYS_AGO = 3;
const DAY_MINUTES = 24 * 60;

/** Adds the feed in which strangers mislead under the names of others. @returns the id of its longest thread */
export function addRecordedFeed(records: RecordList): string {
  const posts = storedOf(RECORDED);
  const [first] = posts;
  const begin = Date.parse(first!.createdAt);
  for (const { prefix: _, ...post } of posts) {
    const minutes = (Date.parse(post.createdAt) - begin) / 60_000;
    records.record('post', { ...post, createdAt: records.timeOf(DAYS_AGO * DAY_MINUTES - minutes) });
  }
  return first!.id;
}
