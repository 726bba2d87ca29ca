/** The code of a line of which the columns say nothing: it has to be read. */
export const UNKNOWN = 0;

/**
 * What the index takes from consecutive lines of a log, in columns, without the texts. Records are named by the numbers of
 * the lines that added them, which stand before the lines that name them.
 */
export interface RecordRows {
  /** `UNKNOWN`, or the code of the kind of the added record in `IdTable`. */
  readonly kinds: Uint8Array;
  /** Indexes in `prefixNames`. */
  readonly prefixes: Uint8Array;
  readonly prefixNames: readonly (string | null)[];
  /** Keys, as `TimeKey`. */
  readonly times: Float64Array;
  /** `UUID_WORDS` each. */
  readonly uuids: Int32Array;
  /** Numbers of lines; 0 without a parent, or unless the record is a post. */
  readonly parents: Int32Array;
  readonly roots: Int32Array;
  /** As `StepTraits`. */
  readonly statedDues: Float64Array;
  readonly names: Float64Array;
  /** Where the references of each post end in `references`. */
  readonly referenceEnds: Int32Array;
  /** Numbers of lines; below 0 the posts of `namedUuids`, -1 for the first, which no earlier line added. */
  readonly references: Int32Array;
  /** `UUID_WORDS` each. */
  readonly namedUuids: Int32Array;
}
