/** The lists of work as people read them, in their order. */
export const WORK_LISTS = [
  {
    list: 'ideas',
    label: 'Open ideas',
    meaning: 'Nobody is under way with them, and no result has come of them.',
  },
  { list: 'working', label: 'Under way', meaning: 'Announced as WORK, with a time at which to look again.' },
  {
    list: 'overdue',
    label: 'Overdue',
    meaning: 'The time has passed without a result; two weeks later they leave this list.',
  },
  { list: 'unreviewed', label: 'Results to review', meaning: 'No review of them has been posted.' },
] as const;
