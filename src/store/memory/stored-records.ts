import type { AnyRecord } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import type { RecordTable } from './record-table.ts';

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

export class StoredRecords {
  readonly #table: RecordTable;
  readonly #source: RecordSource;

  constructor(table: RecordTable, source: RecordSource) {
    this.#table = table;
    this.#source = source;
  }

  /** @param records that are there. @throws TextUnavailable */
  all(records: readonly number[]): AnyRecord[] {
    return this.#read(records).map((record) => {
      if (record === undefined) throw new TextUnavailable();
      return record;
    });
  }

  /** Ignores a line that holds another record than the table says. */
  #read(records: readonly number[]): (AnyRecord | undefined)[] {
    const lines = records.map((record) => this.#table.lineOf(record));
    return this.#source
      .read(lines)
      .map((record, index) =>
        record?.id === this.#table.ids.idOf(records[index] ?? NONE) ? record : undefined,
      );
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
