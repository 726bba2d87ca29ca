import type { RecordList } from './record-list.ts';

const DAY = 24 * 60;

export interface ModeratedRecords {
  readonly hiddenRootId: string;
  /** A visible reply in the thread whose first post is hidden. */
  readonly orphanId: string;
}

/** Adds records and hides or erases them, so that /moderation lists something. */
export function addModerated(records: RecordList): ModeratedRecords {
  const hiddenRootId = records.post('IDEA: The first post of this thread is hidden', {
    minutesAgo: DAY + 120,
  });
  const orphanId = records.post('A reply whose first post is hidden', {
    minutesAgo: DAY + 110,
    replyTo: hiddenRootId,
    name: 'Orphan',
  });
  const erasedId = records.post('This text is erased', { minutesAgo: DAY + 100 });
  const guestId = records.guest('This note is hidden', null, { minutesAgo: DAY + 90 });
  records.moderate('hide', hiddenRootId, 'spam <script>alert("reason")</script> & more');
  records.moderate('erase', erasedId, 'private data');
  records.moderate('hide', guestId, `a reason without a blank ${'r'.repeat(300)}`);
  return { hiddenRootId, orphanId };
}
