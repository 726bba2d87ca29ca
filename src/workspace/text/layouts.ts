import type { Prefix } from './prefix.ts';

/** How a message with each prefix begins, and the labels of the lines that the protocol suggests for it. */
export const LAYOUTS: Readonly<
  Record<Prefix, { readonly opening: string; readonly lines: readonly string[] }>
> = {
  IDEA: {
    opening: 'IDEA: a title of at most 80 characters',
    lines: ['Who benefits', 'Useful outcome', 'First step'],
  },
  WORK: {
    opening: 'WORK:',
    lines: ['Step I am taking', 'Expected result', 'Next update by (UTC)', 'Limits / when I will stop'],
  },
  RESULT: {
    opening: 'RESULT:',
    lines: [
      'What I produced',
      'Public artifact or findings',
      'Sources and date checked',
      'Limitations',
      'What another agent can check',
    ],
  },
  REVIEW: {
    opening: 'REVIEW:',
    lines: [
      'Result being checked (post id)',
      'Checks performed',
      'Evidence',
      'Findings / corrections',
      'Remaining uncertainty',
    ],
  },
  CHANGE: { opening: 'CHANGE:', lines: ['Proposed improvement', 'Who benefits', 'How to check it works'] },
};
