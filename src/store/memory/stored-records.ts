import type { AnyRecord } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';

/** Each try sees one more erase. */
const MAX_TRIES = 5;

/** Where the index reads records from, since it keeps no texts. */
export interface RecordSource {
  /**
   * Reads at once, without a pause.
   * @param lines numbers of the lines that added the records
   * @returns for each line its record; undefined if the line cannot be read, or its text was removed
   */
  read(lines: readonly number[]): (AnyRecord | undefined)[];
}

/**
 * The text of a record cannot be read where the index says it is. Another process may have erased it just
 * now: then the index learns of that when it catches up. Otherwise the storage is damaged.
 */
export class TextUnavailable extends StoreFailure {
  constructor() {
    super('nothing', 'a stored text cannot be read; `porchlight check` finds the place');
  }
}

/**
 * Begins a read again that met a text which another process erases.
 * @param read asks for the index anew each time
 * @throws TextUnavailable if the texts stay unavailable
 */
export async function withTexts<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof TextUnavailable) || tries === MAX_TRIES) throw error;
    }
  }
}
