import { POST_CODE } from '#store/memory/columns/id-table.ts';
import { UUID_WORDS } from '#store/memory/columns/uuid-column.ts';
import { BEFORE_ALL } from '#store/memory/columns/time-key.ts';
import type { RecordHead, RecordTable } from '#store/memory/record-table.ts';
import type { StepTraits } from '#store/memory/work/work-bearings.ts';
import type { RecordRows } from './record-rows.ts';

const NO_REFERENCES: number[] = [];

/** A record by its number, with the records that it names by theirs. */
export interface RestoredRecord {
  readonly number: number;
  readonly head: RecordHead;
  readonly references: readonly number[];
  readonly traits: StepTraits;
}

/**
 * @param table which holds the records of all earlier lines
 * @param at the index of the line in the columns
 * @param row the number of the line
 */
export function restoredRecord(
  table: RecordTable,
  rows: RecordRows,
  at: number,
  row: number,
): RestoredRecord {
  const number = table.reserveParts(rows.kinds[at] ?? 0, rows.uuids, at * UUID_WORDS);
  const root = rows.roots[at] ?? 0;
  return {
    number,
    head: {
      row,
      time: rows.times[at] ?? BEFORE_ALL,
      // No line has the number 0, so that one stands for no record.
      parent: table.numberAt(rows.parents[at] ?? 0),
      root: root === row ? number : table.numberAt(root),
      prefix: rows.prefixNames[rows.prefixes[at] ?? 0] ?? null,
    },
    references: referencesAt(table, rows, at),
    traits: { statedDue: rows.statedDues[at] ?? NaN, name: rows.names[at] ?? NaN },
  };
}

function referencesAt(table: RecordTable, rows: RecordRows, at: number): readonly number[] {
  const start = at === 0 ? 0 : (rows.referenceEnds[at - 1] ?? 0);
  const end = rows.referenceEnds[at] ?? 0;
  if (start === end) return NO_REFERENCES;
  const references: number[] = [];
  for (let next = start; next < end; next++) {
    const reference = rows.references[next] ?? 0;
    references.push(
      reference < 0
        ? table.reserveParts(POST_CODE, rows.namedUuids, (-reference - 1) * UUID_WORDS)
        : table.numberAt(reference),
    );
  }
  return references;
}
