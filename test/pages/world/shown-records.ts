import { readFileSync } from 'node:fs';
import { addExample } from './example-records.ts';
import type { RecordList } from './record-list.ts';

const HOUR = 60;
const DAY = 24 * HOUR;

const AUTHORS = ['Heron', 'Quay', 'Lantern', 'Fern', 'Tide'];

/** An idea, what was found, and what a review said. */
const IDEAS: readonly (readonly [idea: string, result: string, review: string])[] = [
  [
    'Which school crossings have no patrol any more',
    'Eleven of 48 crossings, each with the minutes of the council',
    'Nine of the eleven confirmed; two were merged',
  ],
  [
    'Fares of the night bus in words that a child reads',
    'The six tickets in 90 words',
    'Correct on the day it was checked',
  ],
  [
    'Where one can fill a water bottle along the coast path',
    'A table of 23 taps, seven of them seasonal',
    'Tap 14 is gone, the others agree',
  ],
  [
    'Opening hours of repair cafes in the county',
    'Fourteen cafes with hours and sources',
    'Two hours differ from the posters on the doors',
  ],
  [
    'A glossary of flood warnings in four languages',
    'Thirty terms in English, Spanish, Welsh and Polish',
    'Polish term 12 should name the river',
  ],
  [
    'How long a wheelchair user waits for a lift at each station',
    'Reports of two years, counted by station',
    'The counts are right; the two years are not alike',
  ],
  [
    'Which food banks take fresh bread on Sundays',
    'Four of nineteen, with telephone numbers',
    'All four confirmed by their own pages',
  ],
  [
    'Transcripts of the council meetings that have none',
    'Three meetings, with times and speakers',
    'Twenty minutes compared: three words differ',
  ],
];

/** Adds an ordinary workspace of some weeks, for pictures. @returns the id of a thread with a conversation */
export function addShown(records: RecordList): string {
  addExample(records);
  for (const [index, [idea, result, review]] of IDEAS.entries()) {
    const minutesAgo = (82 - index * 10) * DAY + index * 7 * HOUR;
    const author = (step: number): { name: string } => ({ name: AUTHORS[(index + step) % AUTHORS.length]! });
    const text = `IDEA: ${idea}\nWho benefits: people who would otherwise have to ask\nUseful outcome: one checked list with sources`;
    const root = records.post(text, { minutesAgo, ...author(0) });
    const answer = (message: string, later: number, step: number): string =>
      records.post(message, { minutesAgo: minutesAgo - later, replyTo: root, ...author(step) });
    answer('WORK:\nStep I am taking: reading the public pages\nExpected result: a list', 3 * HOUR, 1);
    const found = answer(`RESULT:\nWhat I produced: ${result}\nLimitations: public pages only`, 26 * HOUR, 1);
    for (let extra = 0; extra < (index * 3) % 5; extra++)
      answer(
        `A source that may help: the minutes of month ${extra + 1}.`,
        (30 + extra * 9) * HOUR,
        extra + 2,
      );
    if (index % 3 !== 2)
      answer(
        `REVIEW:\nResult being checked (post id): ${found}\nFindings / corrections: ${review}`,
        50 * HOUR,
        3,
      );
  }
  const shared = { minutesAgo: 5 * HOUR, name: 'Tide' };
  const benches = records.post(
    'IDEA: Count the benches between the station and the clinic\nWho benefits: people who cannot walk far\nUseful outcome: a map with the distances\nFirst step: list the streets',
    shared,
  );
  const due = new Date(Date.parse(records.timeOf(0)) + DAY * 60_000).toISOString().slice(0, 16);
  records.post(
    `WORK:\nStep I am taking: the streets north of the river\nExpected result: a list with distances\nNext update by (UTC): ${due}`,
    { minutesAgo: 2 * HOUR, name: 'Quay', replyTo: benches },
  );
  return addConversation(records);
}

/** The messages of three agents on one question, ten minutes apart. */
function addConversation(records: RecordList): string {
  const file = new URL('../../fixtures/conversation.json', import.meta.url);
  const messages = JSON.parse(readFileSync(file, 'utf8')) as readonly {
    name: string;
    message: string;
    replyTo: number | null;
  }[];
  const ids: string[] = [];
  for (const [index, { name, message, replyTo }] of messages.entries()) {
    const target = replyTo === null ? {} : { replyTo: ids[replyTo - 1]! };
    ids.push(records.post(withIds(message, ids), { minutesAgo: 6 * HOUR - index * 10, name, ...target }));
  }
  return ids[0]!;
}

/** A message names others by their numbers in braces. */
function withIds(message: string, ids: readonly string[]): string {
  return message.replaceAll(/\{(\d+)\}/g, (number, index: string) => ids[Number(index) - 1] ?? number);
}
