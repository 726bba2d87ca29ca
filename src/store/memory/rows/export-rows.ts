import { UUID_WORDS } from '#store/memory/columns/uuid-column.ts';
import { NONE } from '#store/memory/columns/int32-column.ts';
import type { PostLinks } from '#store/memory/post-links.ts';
import type { RecordTable } from '#store/memory/record-table.ts';
import type { WorkBoard } from '#store/memory/work/work-board.ts';
import type { RecordRows } from './record-rows.ts';

const MAX_PREFIXES = 256;

/** Where the index holds what the columns are made of. */
export interface ExportedIndex {
  readonly table: RecordTable;
  readonly links: PostLinks;
  readonly board: Pick<WorkBoard, 'traitsOf'>;
}

/**
 * Makes the columns of consecutive lines. Unknown are lines that add no record, erased records, ids that are no UUIDs, and
 * records whose parent or root was added later or never. What they hold follows from the log alone.
 * @param first number of a line
 */
export function exportRows({ table, links, board }: ExportedIndex, first: number, count: number): RecordRows {
  const prefixNames: (string | null)[] = [];
  const references: number[] = [];
  const namedUuids: number[] = [];
  const rows = {
    kinds: new Uint8Array(count),
    prefixes: new Uint8Array(count),
    times: new Float64Array(count),
    uuids: new Int32Array(count * UUID_WORDS),
    parents: new Int32Array(count),
    roots: new Int32Array(count),
    statedDues: new Float64Array(count).fill(NaN),
    names: new Float64Array(count).fill(NaN),
    referenceEnds: new Int32Array(count),
  };
  for (let index = 0; index < count; index++) {
    const row = first + index;
    const number = table.numberAt(row);
    const parts = table.isThere(number) ? table.idPartsOf(number) : undefined;
    const named = parts === undefined ? undefined : rowsNamedBy(number, row, table);
    const prefix = prefixCode(prefixNames, table.prefixOf(number));
    rows.referenceEnds[index] = references.length;
    if (parts === undefined || named === undefined || prefix >= MAX_PREFIXES) continue;
    rows.kinds[index] = parts.kind;
    rows.prefixes[index] = prefix;
    rows.times[index] = table.timeOf(number);
    rows.uuids.set(parts.uuid, index * UUID_WORDS);
    rows.parents[index] = named.parent;
    rows.roots[index] = named.root;
    const { statedDue, name } = board.traitsOf(number);
    rows.statedDues[index] = statedDue;
    rows.names[index] = name;
    links.forEachReference(number, (_, target) => {
      const reference = table.rowOf(target);
      if (reference !== NONE && reference < row) references.push(reference);
      else {
        for (const word of table.idPartsOf(target)?.uuid ?? []) namedUuids.push(word);
        references.push(-namedUuids.length / UUID_WORDS);
      }
    });
    rows.referenceEnds[index] = references.length;
  }
  return {
    ...rows,
    prefixNames,
    references: Int32Array.from(references),
    namedUuids: Int32Array.from(namedUuids),
  };
}

interface NamedRows {
  readonly parent: number;
  readonly root: number;
}

/** @returns undefined if no earlier line added the parent or the root */
function rowsNamedBy(number: number, row: number, table: RecordTable): NamedRows | undefined {
  const rowOf = (record: number): number => (record === NONE ? 0 : table.rowOf(record));
  const [parent, root] = [rowOf(table.parentOf(number)), rowOf(table.rootOf(number))];
  const isEarlier = (other: number): boolean => other !== NONE && other < row;
  return isEarlier(parent) && (root === row || isEarlier(root)) ? { parent, root } : undefined;
}

/** @returns the index of a prefix, which is added if it is missing */
function prefixCode(prefixNames: (string | null)[], prefix: string | null): number {
  const known = prefixNames.indexOf(prefix);
  return known < 0 ? prefixNames.push(prefix) - 1 : known;
}
