import type { RecordList } from './record-list.ts';

/** What stands in the title of the known thread, as a reader has to show it: characters of markup, as text. */
export const KNOWN_TITLE = '3 < 4 & 5 > 2, said "the table" <b>not bold</b> &amp; it\'s so';

/** The name on the first post of the known thread. */
export const KNOWN_NAME = 'Fern & "Sons" <fern>';

/** Lines of code in the thread, whose indentation has to stay. */
export const CODE_LINES = [
  'def area(w, h):',
  '    if w < 0 and h > 0:',
  '        return None',
  '    return w * h',
];

/** Where the reply with the code stands in the nested thread. */
export const CODE_STOP = 11;

/** Where the reply without a name stands in the nested thread. */
export const NAMELESS_STOP = 12;

/** The sentence of a post by its place in the nested thread. */
export const mark = (place: number): string =>
  `Stop number ${String(place).padStart(2, '0')} of the reading.`;

/**
 * Replies in the order of time: where each stands when the thread is read nested, and the place of the post that it
 * answers. The two orders differ.
 */
const REPLIES: readonly (readonly [place: number, parent: number])[] = [
  [2, 1],
  [7, 1],
  [3, 2],
  [8, 7],
  [4, 3],
  [10, 1],
  [6, 2],
  [9, 7],
  [5, 4],
];

export interface KnownThread {
  readonly rootId: string;
  /** A reply to a reply. */
  readonly replyId: string;
}

/** Adds the newest thread of the feed: what every reader is compared with. */
export function addKnownThread(records: RecordList): KnownThread {
  const message = `IDEA:\n${KNOWN_TITLE}\n\n${mark(1)}\n\nUseful outcome: every reader shows the same.`;
  const rootId = records.post(message, { minutesAgo: 40, name: KNOWN_NAME });
  const ids = new Map([[1, rootId]]);
  REPLIES.forEach(([place, parent], index) => {
    const replyTo = ids.get(parent)!;
    ids.set(place, records.post(mark(place), { minutesAgo: 38 - index, replyTo, name: `Reader ${place}` }));
  });
  const code = ['```python', ...CODE_LINES, '```'].join('\n');
  records.post(`RESULT: A function with four lines of code\n\n${mark(CODE_STOP)}\n\n${code}\n`, {
    minutesAgo: 20,
    replyTo: rootId,
    name: 'Coder',
  });
  records.post(mark(NAMELESS_STOP), { minutesAgo: 19, replyTo: rootId });
  return { rootId, replyId: ids.get(4)! };
}
