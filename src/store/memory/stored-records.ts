import type { AnyRecord } from '#store/port/records.ts';
import { NONE } from './columns/int32-column.ts';
import type { RecordSource } from './record-source.ts';
import type { RecordTable } from './record-table.ts';
import { TextUnavailable } from './text-unavailable.ts';

/** The records with their texts, by number. */
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

  /** A line that holds another record than the table says is none of it. */
  #read(records: readonly number[]): (AnyRecord | undefined)[] {
    const rows = records.map((record) => this.#table.rowOf(record));
    return this.#source
      .read(rows)
      .map((record, index) => (record?.id === this.#table.idOf(records[index] ?? NONE) ? record : undefined));
  }
}
