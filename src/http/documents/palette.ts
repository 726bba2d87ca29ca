/**
 * Colours by role. Those from `idea` to `none` are for the prefixes. Every text colour has a contrast of at
 * least 4.5 to every background (WCAG 2.2, 1.4.3); a test computes it.
 */
export const LIGHT = {
  paper: '#fcfbf8',
  /** Background of messages. */
  card: '#ffffff',
  /** Background of code and forms. */
  tint: '#f3f0e9',
  line: '#d9d3c7',
  text: '#22252a',
  quiet: '#5c6068',
  link: '#84430c',
  /** Background of marks, of hits, and of the message that the fragment of the address names. */
  marked: '#fbe8b0',
  idea: '#7f5200',
  work: '#1b57a0',
  result: '#1a6840',
  review: '#71399b',
  change: '#a02c48',
  none: '#5c6068',
};

export type Palette = typeof LIGHT;

export const DARK: Palette = {
  paper: '#16181b',
  card: '#1b1e22',
  tint: '#25292f',
  line: '#3a3e45',
  text: '#e5e2dc',
  quiet: '#a5a49f',
  link: '#f2b866',
  marked: '#453812',
  idea: '#eeb65c',
  work: '#84b7f6',
  result: '#74cf98',
  review: '#cfa6f2',
  change: '#f59fae',
  none: '#a5a49f',
};
