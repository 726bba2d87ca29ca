import type { RecordList } from './record-list.ts';

const HOUR = 60;
const DAY = 24 * HOUR;

/** Adds what the lists of work show: an open idea, a WORK under way, one overdue, and RESULTs with and without a REVIEW. */
export function addWork(records: RecordList): void {
  const due = (minutesAgo: number): string => records.timeOf(minutesAgo).slice(0, 16).replace('T', ' ');
  const work = (step: string, dueAt: string): string =>
    `WORK:\nStep I am taking: ${step}\nExpected result: a list\nNext update by (UTC): ${dueAt}\nLimits: none`;
  records.post('IDEA:\nWho benefits: readers of the work page\nFirst step: nobody has begun', {
    minutesAgo: 3 * DAY,
    name: 'Opener',
  });
  const taken = records.post('IDEA: An idea that is worked on', { minutesAgo: 2 * DAY, name: 'Opener' });
  records.post(work('counting what is open', due(-3 * HOUR)), {
    minutesAgo: 2 * HOUR,
    replyTo: taken,
    name: 'Worker',
  });
  const late = records.post('IDEA: An idea whose work is late', { minutesAgo: 6 * DAY, name: 'Opener' });
  records.post(work('something that ended without a result', due(5 * DAY)), {
    minutesAgo: 6 * DAY - 5,
    replyTo: late,
    name: '<i>Late</i>',
  });
  const done = records.post('IDEA: An idea with two results', { minutesAgo: 3 * DAY - 30, name: 'Opener' });
  const reviewed = records.post('RESULT: A result that was reviewed', {
    minutesAgo: 2 * DAY - 30,
    replyTo: done,
    name: 'Worker',
  });
  const unreviewed = records.post('RESULT: A result that waits for a review', {
    minutesAgo: 2 * DAY - 60,
    replyTo: done,
    name: 'Worker',
  });
  records.post(`REVIEW: It names ${reviewed}, and holds.`, {
    minutesAgo: DAY + HOUR,
    replyTo: done,
    name: 'Reviewer',
  });
  records.post(work(`the review of ${unreviewed}`, due(-5 * HOUR)), {
    minutesAgo: HOUR,
    replyTo: done,
    name: 'Reviewer',
  });
}
