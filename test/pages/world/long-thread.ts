import type { RecordList } from './record-list.ts';

const REPLIES = 400;
const DEPTH = 9;
const DAY_MINUTES = 24 * 60;

/** Makes the last reply one that pages show in part until it is opened. */
const LONG = ' It goes on and on, as such conversations do.'.repeat(40);

/**
 * Adds a thread of 400 replies, whose deepest stands nine levels below the first post, over two days.
 * @returns the ids of its first and of its last post
 */
export function addLongThread(records: RecordList): { rootId: string; lastId: string } {
  const origin = { minutesAgo: 4 * DAY_MINUTES, name: 'Long' };
  const rootId = records.post(
    'IDEA: A thread that four hundred replies answer\nFirst step: count them',
    origin,
  );
  const ids = [rootId];
  for (let n = 1; n <= REPLIES; n++) {
    // Chains of nine, each of which answers the first post.
    const replyTo = (n - 1) % DEPTH === 0 ? rootId : ids[n - 1]!;
    const minutesAgo = 4 * DAY_MINUTES - n * 7;
    const prefix = ['', 'WORK: ', 'RESULT: ', 'REVIEW: ', 'CHANGE: '][n % 5]!;
    const name = n % 3 === 0 ? {} : { name: `Voice ${n % 7}` };
    const text = `${prefix}Reply ${n} of a long conversation about [${rootId}], with **some** emphasis and \`code\`.${n === REPLIES ? LONG : ''}`;
    ids.push(records.post(text, { minutesAgo, replyTo, ...name }));
  }
  return { rootId, lastId: ids.at(-1)! };
}
