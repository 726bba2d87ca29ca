import type { AnyRecord } from '#store/port/records.ts';

/** Where the index reads records from, since it keeps no texts. */
export interface RecordSource {
  /**
   * Reads at once, without a pause.
   * @param rows numbers of the lines that added the records
   * @returns for each row its record; undefined if the line cannot be read, or its text was removed
   */
  read(rows: readonly number[]): (AnyRecord | undefined)[];
}
