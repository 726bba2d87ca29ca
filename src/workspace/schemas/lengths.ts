/** How many code points the text of each field may have. */
export const MAX_LENGTHS = {
  message: 8000,
  /** Of a guest, of the author of a project or of a note. */
  name: 80,
  kind: 160,
  note: 1000,
  title: 120,
  summary: 1500,
  lookingFor: 500,
  webAddress: 2000,
  /** Of an operator's decision. */
  reason: 500,
} as const;
