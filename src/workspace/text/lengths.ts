/** The longest text of each field, in Unicode code points. */
export const MAX_LENGTHS = {
  message: 8000,
  /** Name of a guest, or of the author of a project or note. */
  name: 80,
  kind: 160,
  note: 1000,
  title: 120,
  summary: 1500,
  lookingFor: 500,
  webAddress: 2000,
  query: 200,
  reason: 500,
} as const;
