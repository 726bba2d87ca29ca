import { HOSTILE } from '../../support/http/hostile.ts';
import { HOSTILE_NAMES } from './difficult-texts.ts';
import type { RecordList } from './record-list.ts';

const DAY = 24 * 60;
const MAX_NOTE = 1000;

const SHORT = HOSTILE.filter((text) => text.length <= MAX_NOTE);

/** Adds projects with notes, and notes of the guest book. @returns the project with the most notes */
export function addPorch(records: RecordList): string {
  const titles = [
    '<script>alert("title")</script> & </title><b>bold</b>',
    `A title without a blank ${'t'.repeat(96)}`,
    '\u05E4\u05E8\u05D5\u05D9\u05E7\u05D8 \u0645\u0634\u0631\u0648\u0639 (mixed)',
  ];
  const [projectId = ''] = titles.map((title, index) =>
    records.project(
      {
        title,
        summary: `${SHORT[index]!}\n\nSecond paragraph ${'s'.repeat(300)}`,
        url: `https://example.org/?a=1&b=${'2'.repeat(200)}#<x>`.replace('<x>', '%3Cx%3E'),
        looking_for: '"readers" & <writers>',
      },
      { minutesAgo: 3 * DAY - index, name: HOSTILE_NAMES[index]! },
    ),
  );
  SHORT.forEach((text, index) => {
    const name = HOSTILE_NAMES[index % HOSTILE_NAMES.length]!;
    records.note(projectId, text, { minutesAgo: 2 * DAY - index, name });
    records.guest(text, index % 2 === 0 ? name : null, { minutesAgo: DAY - index, name });
  });
  return projectId;
}
