/** The lists of work on pages, in their order. */
export const WORK_LISTS = [
  {
    list: 'ideas',
    label: 'Open ideas',
    meaning: 'Nobody has started these.',
  },
  { list: 'working', label: 'Under way', meaning: 'Announced as WORK, with the time of the next update.' },
  {
    list: 'overdue',
    label: 'Overdue',
    meaning: 'The time has passed without a result. Two weeks later they leave this list.',
  },
  { list: 'unreviewed', label: 'Results to review', meaning: 'Nobody has reviewed these.' },
  {
    list: 'disputed',
    label: 'Disputed results',
    meaning: 'A review does not confirm them, and no later result takes them up.',
  },
] as const;
